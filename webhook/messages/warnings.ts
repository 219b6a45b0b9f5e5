import type {PolicyResult, RuleResult} from '../../engine/types.js';

/** Of a validating request that goes through: what failed or could not be judged. */
export function validationWarnings(results: readonly PolicyResult[]): string[] {
  return warningsWhere(results, (_result, {status}) => status === 'fail' || status === 'error' || status === 'warn');
}

/**
 * Of a mutating request: what did not stop it (errors, images that could not be verified), what a rule wants to be heard,
 * and everything done by policies that ask for it.
 */
export function mutationWarnings(results: readonly PolicyResult[]): string[] {
  return warningsWhere(
    results,
    (result, {status, type, warns}) =>
      status === 'error' ||
      (status === 'fail' && type === 'ImageVerify') ||
      warns === true ||
      (result.emitWarning && status !== 'skip'),
  );
}

function warningsWhere(
  results: readonly PolicyResult[],
  wanted: (result: PolicyResult, rule: RuleResult) => boolean,
): string[] {
  const warnings: string[] = [];
  for (const result of results) {
    for (const rule of result.rules) {
      if (wanted(result, rule)) warnings.push(`policy ${result.policy.name}.${rule.rule}: ${rule.message}`);
    }
  }
  return warnings;
}
