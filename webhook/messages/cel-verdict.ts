import {notesProperty} from '../../engine/cel-image/evaluate-images.js';
import type {FailurePolicy, PolicyResult, RuleResult} from '../../engine/types.js';

const mostReasons = 10;

/**
 * Why a request is refused: every failing or erring policy that denies, joined as the field has it; `undefined` = it is
 * not. What cannot be evaluated refuses nothing under `failurePolicy: Ignore`, as with policies of the API server.
 */
export function celDenial(results: readonly PolicyResult[]): string | undefined {
  const texts = complaints(results, 'Deny');
  return texts.length === 0 ? undefined : texts.join('; ');
}

/** What policies that warn have to say, one line each, and errors that refuse nothing; a policy may deny and warn. */
export function celWarnings(results: readonly PolicyResult[]): string[] {
  return [...complaints(results, 'Warn'), ...reasons(results)];
}

/** Why signatures did not hold: a message of the policy's own says that they did not. One line per image and attestor. */
function reasons(results: readonly PolicyResult[]): string[] {
  const lines = results.flatMap(({rules}) =>
    rules.flatMap(({status, properties = {}, message, actions = []}) => {
      const isTold = status === 'fail' && (actions.includes('Deny') || actions.includes('Warn'));
      const notes = isTold ? (properties[notesProperty] ?? '') : '';
      return notes.split('\n').filter(note => note !== '' && !message.includes(note));
    }),
  );
  return [...new Set(lines)].slice(0, mostReasons);
}

function complaints(results: readonly PolicyResult[], action: 'Deny' | 'Warn'): string[] {
  return results.flatMap(({policy, failurePolicy, rules}) =>
    rules.filter(rule => actionsOf(rule, failurePolicy).includes(action)).map(rule => textOf(policy.name, rule)),
  );
}

function actionsOf({status, actions = []}: RuleResult, failurePolicy: FailurePolicy): readonly string[] {
  if (status === 'fail') return actions;
  if (status !== 'error') return [];
  return failurePolicy === 'Ignore' ? actions.map(action => (action === 'Deny' ? 'Warn' : action)) : actions;
}

function textOf(policy: string, {status, message}: RuleResult): string {
  return `Policy ${policy} ${status === 'fail' ? 'failed' : 'error'}: ${message}`;
}
