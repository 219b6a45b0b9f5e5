import {conditionsHold} from '../cel-policies/run/conditions.js';
import type {PolicyException} from '../cel-policies/run/exceptions.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {PolicyScope} from '../cel-policies/run/scope.js';
import type {MutationTarget, PolicyBehaviour} from '../cel-policies/types.js';
import {EvalError} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {evaluateMutating} from './evaluate-mutating.js';

type Mutating = Extract<PolicyBehaviour, {readonly type: 'mutating'}>;

/** What a policy made of one existing object. */
export interface TargetVerdict extends MutationTarget {
  readonly verdict: CelVerdict;
  /** The target itself when nothing is to be written. */
  readonly patched: JsonObject;
}

export type TargetsOutcome =
  /** The trigger's conditions do not hold, or its targets cannot be had. */
  | {readonly verdict: CelVerdict; readonly targets?: undefined}
  | {readonly verdict?: undefined; readonly targets: readonly TargetVerdict[]};

/**
 * Existing objects that a MutatingPolicy changes for a trigger that its constraints select; `scope` has the trigger as
 * `object`. Nothing is written. Throws only to wait, and for faults of ours.
 */
export function evaluateTargets(
  behaviour: Mutating,
  exceptions: readonly PolicyException[],
  scope: PolicyScope,
  selectOnly = false,
): TargetsOutcome {
  const {conditions, rules, annotations} = behaviour;
  let targets: readonly MutationTarget[];
  try {
    if (!conditionsHold(conditions, scope)) return {verdict: {rule: '', status: 'skip', message: 'skip'}};
    if (selectOnly) return {verdict: {rule: '', status: 'pass', message: 'triggered'}};
    targets = rules.targets(scope);
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return {verdict: {rule: 'evaluation', status: 'error', message: `failed to fetch targets: ${thrown.message}`}};
  }
  const parts = {conditions: rules.targetConditions, rules, annotations};
  return {
    targets: targets.map(target => {
      const inner = scope.with({object: target.object, namespaceObject: null});
      const {verdict, object} = evaluateMutating(parts, exceptions, inner, target.object);
      return {...target, verdict, patched: object};
    }),
  };
}
