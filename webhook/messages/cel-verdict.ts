import type {PolicyResult, RuleResult} from '../../engine/types.js';

/** Why a request is refused: every failing or erring policy that denies, joined as the field has it; `undefined` = it is not. */
export function celDenial(results: readonly PolicyResult[]): string | undefined {
  const texts = complaints(results, 'Deny');
  return texts.length === 0 ? undefined : texts.join('; ');
}

/** What policies that warn have to say, one line each; a policy may deny and warn. */
export function celWarnings(results: readonly PolicyResult[]): string[] {
  return complaints(results, 'Warn');
}

function complaints(results: readonly PolicyResult[], action: 'Deny' | 'Warn'): string[] {
  return results.flatMap(({policy, rules}) => rules.filter(rule => asks(rule, action)).map(rule => textOf(policy.name, rule)));
}

function asks({status, actions}: RuleResult, action: 'Deny' | 'Warn'): boolean {
  return (status === 'fail' || status === 'error') && actions?.includes(action) === true;
}

function textOf(policy: string, {status, message}: RuleResult): string {
  return `Policy ${policy} ${status === 'fail' ? 'failed' : 'error'}: ${message}`;
}
