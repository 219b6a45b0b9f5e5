import {BudgetError, EvalError} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import type {AnnotationList, CompiledValidations, ConditionList} from '../types.js';
import {annotationValues} from './annotations.js';
import {conditionsHold} from './conditions.js';
import {exemptionFor, type PolicyException} from './exceptions.js';
import {findPods} from './pod-templates.js';
import type {CelVerdict} from './results.js';
import type {PolicyScope} from './scope.js';
import {firstViolation} from './validations.js';

export interface ValidatingParts {
  readonly conditions: ConditionList;
  readonly rules: CompiledValidations;
  readonly annotations: AnnotationList;
}

export interface ValidatingMode {
  /** Judges the Pods that the object would make instead of the object. */
  readonly extracts: boolean;
  /** `failurePolicy: Ignore`: conditions that cannot be judged do not hold, and validations let others speak. */
  readonly lenient: boolean;
  readonly exceptions: readonly PolicyException[];
}

/** A ValidatingPolicy on a request that its constraints select: one verdict. Throws only to wait, and for faults of ours. */
export function evaluateValidating(parts: ValidatingParts, mode: ValidatingMode, scope: PolicyScope): CelVerdict {
  try {
    return mode.extracts ? evaluatePods(parts, mode, scope) : evaluateObject(parts, mode, scope);
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return {rule: 'evaluation', status: 'error', message: `failed to load context: ${thrown.message}`};
  }
}

function evaluateObject(parts: ValidatingParts, mode: ValidatingMode, scope: PolicyScope): CelVerdict {
  const {exceptions, lenient} = mode;
  if (exceptions.length === 0) return judge(parts, lenient, scope);
  const exemption = exemptionFor(exceptions, scope, false);
  if (exemption.type === 'full') return exemption.verdict;
  const {allowedImages, allowedValues} = exemption;
  // Exceptions were asked before anything was allowed; from here on the variables may know.
  return judge(parts, lenient, scope.with({exceptions: {allowedImages, allowedValues}}));
}

function judge({conditions, rules, annotations}: ValidatingParts, lenient: boolean, scope: PolicyScope): CelVerdict {
  if (!matches(conditions, scope, lenient)) return {rule: '', status: 'skip', message: 'skip'};
  const violation = firstViolation(rules, scope, lenient);
  if (violation === undefined) {
    return {rule: '', status: 'pass', message: 'success', properties: annotationValues(annotations, scope)};
  }
  const {status, message, index} = violation;
  const own = status === 'fail' ? annotationsOfFailure(annotations, scope) : {};
  return {rule: '', status, message, properties: {'cel.validationIndex': String(index), ...own}};
}

function matches(conditions: ConditionList, scope: PolicyScope, lenient: boolean): boolean {
  try {
    return conditionsHold(conditions, scope);
  } catch (thrown) {
    if (lenient && thrown instanceof EvalError && !(thrown instanceof BudgetError)) return false;
    throw thrown;
  }
}

/** They are told beside the verdict and never change it. */
function annotationsOfFailure(annotations: AnnotationList, scope: PolicyScope): Readonly<Record<string, string>> {
  try {
    return annotationValues(annotations, scope);
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return {};
  }
}

/** The first Pod that is not in order decides; one that is skipped does not. */
function evaluatePods(parts: ValidatingParts, mode: ValidatingMode, scope: PolicyScope): CelVerdict {
  const object = scope.request.object ?? scope.request.oldObject ?? {};
  const pods = findPods(object, scope.host.budget);
  let best: CelVerdict | undefined;
  for (const {path, pod} of pods) {
    const verdict = evaluateObject(parts, mode, scope.withObject(pod));
    if (verdict.status === 'fail' || verdict.status === 'error') {
      return {...verdict, message: `${verdict.message} (pod template at ${path})`};
    }
    if (best === undefined || best.status === 'skip') best = verdict;
  }
  return (
    best ?? {
      rule: '',
      status: 'error',
      message: `extraction mode: no pod template found in ${nameOfKind(scope, object)}`,
    }
  );
}

function nameOfKind({request}: PolicyScope, object: JsonObject): string {
  const {group, version, kind} = request.kind;
  const apiVersion = object['apiVersion'];
  return `${typeof apiVersion === 'string' ? apiVersion : group === '' ? version : `${group}/${version}`}/${kind}`;
}
