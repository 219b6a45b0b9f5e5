import {hasStatus} from '../../adapters/kube/kube-error.js';
import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import type {Core} from '../feature.js';
import type {Synchronize} from '../generate/synchronize.js';
import type {RequestEvidence} from '../generate/sync-result.js';
import type {TriggerMutations} from '../mutate-existing/mutate-for-trigger.js';
import type {BackgroundFamily} from './background-policy.js';
import {findByUid} from './find-by-uid.js';
import {findPolicy} from './find-policy.js';
import {isToldOnly} from './told-request.js';
import {TriggerMissing, TriggerUnchanged} from './too-early.js';
import {kindOf, type NamedObject, refOf} from './trigger.js';
import type {RequestedWork, RuleContext} from './update-request.js';

export interface RequestedWorkOptions {
  readonly core: Pick<Core, 'client' | 'resources'>;
  readonly families: readonly BackgroundFamily[];
  readonly synchronize: Synchronize;
  readonly mutations: TriggerMutations;
}

/** Does the work of an update request on one trigger. */
export type DoRequested = (policyId: string, request: RequestedWork, named: NamedObject, contexts: readonly RuleContext[]) => Promise<void>;

export function createRequestedWork({core, families, synchronize, mutations}: RequestedWorkOptions): DoRequested {
  const {client, resources} = core;

  /** Judged by the trigger as it was, rules would not see what the request is about. */
  async function assertEffect(trigger: NamedObject, {operation, replaces = '', awaitsEffect, request = {}}: RequestedWork): Promise<void> {
    const kind = kindOf(trigger, resources());
    if (awaitsEffect !== true || operation !== 'UPDATE' || replaces === '' || kind === undefined || isToldOnly({operation, request})) return;
    // Whoever may not read it is told of that by the work itself.
    const live = await client.get(refOf(trigger, kind)).catch((error: unknown) => {
      if (!hasStatus(error, 403) && !hasStatus(error, 404)) throw error;
    });
    if (textOf(ownPath(live ?? undefined, 'metadata', 'resourceVersion')) === replaces) throw new TriggerUnchanged(trigger);
  }

  /** One that is gone stays without a name: nothing is found under it. */
  async function byUid(trigger: NamedObject): Promise<NamedObject> {
    const kind = kindOf(trigger, resources());
    const found = kind === undefined ? undefined : await findByUid(client, trigger, kind);
    if (found === undefined) throw new TriggerMissing(trigger);
    return found;
  }

  return async (policyId, request, named, contexts) => {
    const {operation = 'UPDATE', type, user, replaces = ''} = request;
    const trigger = named.name === '' ? await byUid(named) : named;
    const policy = findPolicy(families, policyId)?.policy;
    await assertEffect(trigger, request);
    const isCel = type === 'cel-generate' || type === 'cel-mutate';
    const rules = new Set(isCel && policy !== undefined ? policy.rules.map(rule => rule.name) : contexts.map(context => context.rule));
    if (type === 'mutate' || type === 'cel-mutate') return mutations.requested(policyId, rules, trigger, request);
    const deleteDownstream = contexts.some(context => context.deleteDownstream);
    const evidence: RequestEvidence = {operation, request: request.request ?? {}, user, replaces, rules, deleteDownstream};
    const {missing} = await synchronize(policyId, trigger, 'ur', evidence);
    if (missing && policy !== undefined && operation !== 'DELETE' && !deleteDownstream) throw new TriggerMissing(trigger);
  };
}
