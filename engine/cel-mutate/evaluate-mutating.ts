import {annotationValues} from '../cel-policies/run/annotations.js';
import {conditionsHold} from '../cel-policies/run/conditions.js';
import {exemptionFor, type PolicyException} from '../cel-policies/run/exceptions.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {PolicyScope} from '../cel-policies/run/scope.js';
import type {AnnotationList, CompiledMutations, ConditionList} from '../cel-policies/types.js';
import {EvalError} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';

export interface MutatingParts {
  /** Of the trigger, or of a target. */
  readonly conditions: ConditionList;
  readonly rules: Pick<CompiledMutations, 'apply'>;
  readonly annotations: AnnotationList;
}

export interface MutatingVerdict {
  readonly verdict: CelVerdict;
  /** After all mutations of the policy; the object given when it changed nothing or failed. */
  readonly object: JsonObject;
}

/**
 * A MutatingPolicy on an object that its constraints select; `object` is what `scope` has as `object`. All of its
 * mutations or none. Throws only to wait, and for faults of ours.
 */
export function evaluateMutating(
  parts: MutatingParts,
  exceptions: readonly PolicyException[],
  scope: PolicyScope,
  object: JsonObject,
): MutatingVerdict {
  try {
    return mutate(parts, exceptions, scope, object);
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    const message = `failed to evaluate policy: ${thrown.message}`;
    return {verdict: {rule: 'evaluation', status: 'error', message}, object};
  }
}

function mutate(
  {conditions, rules, annotations}: MutatingParts,
  exceptions: readonly PolicyException[],
  outer: PolicyScope,
  object: JsonObject,
): MutatingVerdict {
  const exemption = exemptionFor(exceptions, outer, false);
  if (exemption.type === 'full') return {verdict: exemption.verdict, object};
  const {allowedImages, allowedValues} = exemption;
  const scope = exceptions.length === 0 ? outer : outer.with({exceptions: {allowedImages, allowedValues}});
  if (!conditionsHold(conditions, scope)) return {verdict: {rule: '', status: 'skip', message: 'skip'}, object};
  const patched = rules.apply(object, scope);
  const properties = annotationValues(annotations, patched === object ? scope : scope.withObject(patched));
  return {verdict: {rule: '', status: 'pass', message: 'success', properties}, object: patched};
}
