import type {OwnRights} from '../permissions/own-rights.js';
import {nativeGroup, nativeKinds, type NativeObject} from './native-objects.js';
import type {NativePlan, NativeType} from './native-plan.js';
import type {WriteOutcome} from './native-writer.js';

const verbs = ['create', 'update', 'list', 'delete'];

/** Why the leader got no copy of this wording written. */
export interface Refusal {
  readonly plan: string;
  readonly message: string;
  /** What is there stays. */
  readonly keeps: boolean;
}

/** As the status tells it; `undefined` when nothing is known to be missing. */
export function missingRights(type: NativeType, rights: OwnRights): string | undefined {
  const lacking = Object.values(nativeKinds[type]).find(({resource}) => verbs.some(verb => rights.can(verb, nativeGroup, resource) === false));
  return lacking && `insufficient permissions to generate ${plural(lacking.kind)}`;
}

export function refusalFor(plan: NativePlan, {kind}: NativeObject, outcome: WriteOutcome): Omit<Refusal, 'plan'> {
  if (outcome.type === 'forbidden') return {message: `insufficient permissions to generate ${plural(kind)}`, keeps: true};
  const why = 'message' in outcome ? (outcome.type === 'refused' ? `the API server refuses it: ${outcome.message}` : outcome.message) : '';
  return {message: `skip generating ${nativeKinds[plan.type].policy.kind}: ${why}`, keeps: false};
}

export function textOfPlan({spec, binding}: NativePlan): string {
  return JSON.stringify([spec, binding], (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

function plural(kind: string): string {
  return kind.endsWith('Policy') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
