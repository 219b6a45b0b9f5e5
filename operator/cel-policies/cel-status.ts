import type {CelPolicyState} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {Readiness} from '../status/classic-status.js';
import type {NativePolicyState} from '../native-policies/native-states.js';
import {type Condition, mergeConditions} from '../status/conditions.js';

export interface CelStatusInput {
  readonly state: CelPolicyState;
  readonly readiness: Readiness;
  /** Whether requests are intercepted for it; false for policies that only run in the background. */
  readonly intercepted: boolean;
  /** What reports cannot read: `list pods`, one each; `undefined` where nothing is read. */
  readonly missingRights: readonly string[] | undefined;
  readonly native: NativePolicyState | undefined;
  /** Of work in the background. */
  readonly background: readonly Condition[];
  readonly existing: Json | undefined;
  /** RFC 3339. */
  readonly now: string;
}

const maxMessageLength = 8_000;

/** Status of a policy written in CEL: `conditionStatus` as the field has it, and `conditions` with Ready besides. */
export function celStatus(input: CelStatusInput): JsonObject {
  const {state, existing, now, native} = input;
  const {generation} = state;
  const before: JsonObject = isObject(existing) ? existing : {};
  const merge = (wanted: readonly Condition[], old: Json | undefined) => mergeConditions(old, {wanted, generation, now});
  const ready = input.readiness.ready && state.status === 'served';
  const policy = state.status === 'served' ? state.policy : undefined;
  const {autogen: _autogen, generated: _generated, ...kept} = before;
  return {
    ...kept,
    observedGeneration: generation,
    conditions: merge([readyCondition(input), ...noteConditions(state), ...input.background], own(before, 'conditions')),
    conditionStatus: {
      ready,
      message: native?.message ?? '',
      conditions: merge(partConditions(input), ownPath(before, 'conditionStatus', 'conditions')),
    },
    ...(policy !== undefined && autogenOf(policy)),
    ...(native !== undefined && {generated: native.generated}),
  };
}

function readyCondition({state, readiness}: CelStatusInput): Condition {
  if (state.status === 'refused') {
    return {type: 'Ready', status: 'False', reason: 'Failed', message: cut(`Not Ready: ${state.problems.map(formatDiagnostic).join('; ')}`)};
  }
  if (readiness.ready) return {type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Ready'};
  return {type: 'Ready', status: 'False', reason: readiness.reason, message: cut(`Not Ready: ${readiness.message}`)};
}

function partConditions({state, readiness, intercepted, missingRights}: CelStatusInput): Condition[] {
  const conditions: Condition[] = [];
  if (state.status === 'refused') {
    const message = cut(state.problems.map(formatDiagnostic).join('; '));
    conditions.push({type: 'PolicyCompiled', status: 'False', reason: 'Failed', message});
  }
  // Also of a policy that the API server judges by a copy of its own: scripts wait for it.
  if (intercepted) {
    conditions.push(
      readiness.ready && state.status === 'served'
        ? {type: 'WebhookConfigured', status: 'True', reason: 'Succeeded', message: 'Webhook configured.'}
        : {type: 'WebhookConfigured', status: 'False', reason: 'Failed', message: 'Policy is not configured in the webhook.'},
    );
  }
  conditions.push(reportingCondition(missingRights));
  return conditions;
}

function reportingCondition(missing: readonly string[] | undefined): Condition {
  const type = 'RBACPermissionsGranted';
  if (missing === undefined) {
    return {type, status: 'True', reason: 'Succeeded', message: 'Background scanning disabled; reporting permissions not required.'};
  }
  return missing.length === 0
    ? {type, status: 'True', reason: 'Succeeded', message: 'Policy is ready for reporting.'}
    : {type, status: 'False', reason: 'Failed', message: cut(`Policy is not ready for reporting, missing permissions: ${missing.join('; ')}.`)};
}

/** Expressions that compile but hardly mean what they say, and what an evaluation may cost. */
function noteConditions(state: CelPolicyState): Condition[] {
  const conditions: Condition[] = [];
  if (state.warnings.length > 0) {
    const message = cut(state.warnings.map(formatDiagnostic).join('; '));
    conditions.push({type: 'ExpressionsSound', status: 'False', reason: 'Warnings', message});
  }
  if (state.status === 'served') {
    const {min, max} = state.policy.cost;
    const upper = Number.isFinite(max) ? `at most ${Math.round(max)}` : 'with the size of the objects, without a bound known beforehand';
    conditions.push({type: 'CostEstimated', status: 'True', reason: Number.isFinite(max) ? 'Bounded' : 'Unbounded', message: `one evaluation costs at least ${Math.round(min)} units, ${upper}`});
  }
  return conditions;
}

/** Of kinds that have such variants readers expect the field in any case. */
function autogenOf(policy: CompiledCelPolicy): JsonObject {
  if (policy.autogen.length > 0) return {autogen: {configs: configsOf(policy)}};
  return ['validating', 'mutating', 'imageValidating'].includes(policy.source.type) ? {autogen: {}} : {};
}

function configsOf({autogen}: CompiledCelPolicy): JsonObject {
  return Object.fromEntries(autogen.map(({name, targets, spec}) => [name, {targets: targets.map(target => ({...target})), spec}]));
}

function cut(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}
