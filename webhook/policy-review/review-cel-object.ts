import {checkExceptionConditions} from '../../engine/cel-policies/compile/check-exception.js';
import {celKind} from '../../engine/cel-policies/load/kinds.js';
import {loadCelException} from '../../engine/cel-policies/load/load-cel-exception.js';
import {type CelStateOptions, compileCelState} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import type {ExceptionRules} from '../../engine/exception/compile-exception.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, own} from '../../engine/json/types.js';
import type {RegexEngine} from '../../engine/regex/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {PolicyReviewResult} from '../types.js';

export interface CelReviewOptions {
  readonly resources: () => ResourceMap;
  readonly compile: CelStateOptions['compile'];
  readonly exceptions: ExceptionRules;
}

/** Judges a policy or exception of `policies.kyverno.io` as it is written: each fault is told as a warning, too. */
export function reviewCelObject(
  object: JsonObject,
  {resources, compile, exceptions}: CelReviewOptions,
): PolicyReviewResult {
  const kind = textOf(own(object, 'kind'));
  if (celKind(kind) === undefined) return reviewException(object, exceptions, compile.regex);
  const state = compileCelState(object, {resources: resources(), compile});
  const warnings = state.warnings.map(formatDiagnostic);
  if (state.status === 'served') return {allowed: true, errors: [], warnings};
  const unserved = state.problems.filter(problem => problem.code === 'not-served');
  const errors = state.problems.filter(problem => problem.code !== 'not-served');
  const told = unserved.map(problem => `the policy will not be Ready: ${formatDiagnostic(problem)}`);
  return {allowed: errors.length === 0, errors, warnings: [...warnings, ...told, ...errors.map(formatDiagnostic)]};
}

function reviewException(object: JsonObject, {enabled}: ExceptionRules, regex: RegexEngine): PolicyReviewResult {
  const {policy, errors: faults, warnings} = loadCelException(object);
  const errors = policy === undefined ? faults : checkExceptionConditions(policy, regex);
  const told = warnings.map(formatDiagnostic);
  if (!enabled) told.push('PolicyException resources would not be processed until it is enabled.');
  return {allowed: errors.length === 0, errors, warnings: told};
}
