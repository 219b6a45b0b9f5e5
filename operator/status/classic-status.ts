import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';
import type {ClassicPolicy, ClassicRule} from '../../engine/policy/model.js';
import type {NativePolicyState} from '../native-policies/native-states.js';
import {type Condition, mergeConditions} from './conditions.js';

export type Readiness =
  | {readonly ready: true}
  | {readonly ready: false; readonly reason: string; readonly message: string};

export interface ClassicStatusInput {
  readonly generation: number;
  /** undefined when the policy could not be loaded. */
  readonly policy: ClassicPolicy | undefined;
  /** Why the policy is not served, one line each; empty when it compiled. */
  readonly refused: readonly string[];
  /** Derived rules in the shape that users write. */
  readonly autogenRules: readonly JsonObject[];
  /** What became of a native copy; `undefined` when nothing is known. */
  readonly native?: NativePolicyState | undefined;
  /** What the replicas and the webhook configurations say; counts only for a policy that compiled. */
  readonly readiness: Readiness;
  /** What is worth knowing of a policy that is ready, in the message of that condition. */
  readonly remarks?: readonly string[];
  /** Further conditions, for what is wrong; after Ready. */
  readonly conditions?: readonly Condition[];
  /** The status as it is, for transition times. */
  readonly existing: Json | undefined;
  /** RFC 3339. */
  readonly now: string;
}

const maxMessageLength = 8_000;

/** Status of a ClusterPolicy or Policy; printer columns read their effective values from it. */
export function classicStatus(input: ClassicStatusInput): JsonObject {
  const {generation, policy, autogenRules, existing, now} = input;
  const conditions = mergeConditions(isObject(existing) ? own(existing, 'conditions') : undefined, {
    wanted: [readyCondition(input), ...(input.conditions ?? [])],
    generation,
    now,
  });
  const runs = isObject(existing) ? own(existing, 'cleanup') : undefined;
  // Written by the clean-up itself.
  const status: JsonObject = {observedGeneration: generation, conditions, ...(runs !== undefined && {cleanup: runs})};
  if (policy === undefined) return status;
  const {spec} = policy;
  return {
    ...status,
    admission: spec.admission,
    background: spec.background,
    failurePolicy: spec.failurePolicy,
    autogen: autogenRules.length > 0 ? {rules: [...autogenRules]} : {},
    rulecount: ruleCount(spec.rules),
    validatingadmissionpolicy: {generated: input.native?.generated ?? false, message: input.native?.message ?? ''},
  };
}

function readyCondition({refused, readiness, remarks = []}: ClassicStatusInput): Condition {
  if (refused.length > 0) {
    return {type: 'Ready', status: 'False', reason: 'Failed', message: cut(`Not Ready: ${refused.join('; ')}`)};
  }
  if (readiness.ready) {
    return {type: 'Ready', status: 'True', reason: 'Succeeded', message: cut(['Ready', ...remarks].join('; '))};
  }
  return {type: 'Ready', status: 'False', reason: readiness.reason, message: cut(`Not Ready: ${readiness.message}`)};
}

function ruleCount(rules: readonly ClassicRule[]): JsonObject {
  const count = (type: ClassicRule['action']['type']) => rules.filter(rule => rule.action.type === type).length;
  return {
    validate: count('validate'),
    mutate: count('mutate'),
    generate: count('generate'),
    verifyimages: count('verifyImages'),
  };
}

function cut(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}
