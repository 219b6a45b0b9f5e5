import {EvalError} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import type {AnnotationList, CompiledGenerations, ConditionList} from '../types.js';
import {annotationValues} from './annotations.js';
import {conditionsHold} from './conditions.js';
import {exemptionFor, type PolicyException} from './exceptions.js';
import type {CelVerdict} from './results.js';
import type {PolicyScope} from './scope.js';

export interface GeneratingParts {
  /** Of the policy: its rules have no names. */
  readonly name: string;
  readonly conditions: ConditionList;
  readonly rules: CompiledGenerations;
  readonly annotations: AnnotationList;
  /** Conditions alone. */
  readonly selectOnly?: boolean | undefined;
}

export interface GenerationVerdict {
  readonly verdict: CelVerdict;
  readonly objects: readonly JsonObject[];
}

/** What a GeneratingPolicy would create for a request; `undefined` when its conditions do not hold. */
export function evaluateGenerating(
  {name, conditions, rules, annotations, selectOnly}: GeneratingParts,
  exceptions: readonly PolicyException[],
  scope: PolicyScope,
): GenerationVerdict | undefined {
  try {
    const exemption = exemptionFor(exceptions, scope, false);
    if (exemption.type === 'full') return {verdict: exemption.verdict, objects: []};
    const {allowedImages, allowedValues} = exemption;
    const own = exceptions.length === 0 ? scope : scope.with({exceptions: {allowedImages, allowedValues}});
    if (!conditionsHold(conditions, own)) return undefined;
    if (selectOnly === true) return {verdict: {rule: name, status: 'pass', message: 'triggered'}, objects: []};
    const objects = rules.generate(own);
    const properties = annotationValues(annotations, own);
    return {verdict: {rule: name, status: 'pass', message: 'policy evaluated successfully', properties}, objects};
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return {
      verdict: {rule: name, status: 'error', message: `failed to evaluate policy: ${thrown.message}`},
      objects: [],
    };
  }
}
