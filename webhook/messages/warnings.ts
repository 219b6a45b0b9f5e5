import type {PolicyResult} from '../../engine/types.js';

/** Of a validating request that goes through: what failed or could not be judged. */
export function validationWarnings(results: readonly PolicyResult[]): string[] {
  return warningsWhere(results, (_result, status) => status === 'fail' || status === 'error' || status === 'warn');
}

/** Of a mutating request: errors that did not stop it, and everything done by policies that ask to be heard. */
export function mutationWarnings(results: readonly PolicyResult[]): string[] {
  return warningsWhere(results, (result, status) => status === 'error' || (result.emitWarning && status !== 'skip'));
}

function warningsWhere(
  results: readonly PolicyResult[],
  wanted: (result: PolicyResult, status: PolicyResult['rules'][number]['status']) => boolean,
): string[] {
  const warnings: string[] = [];
  for (const result of results) {
    for (const rule of result.rules) {
      if (wanted(result, rule.status)) warnings.push(`policy ${result.policy.name}.${rule.rule}: ${rule.message}`);
    }
  }
  return warnings;
}
