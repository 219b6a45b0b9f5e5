import type {CompiledRegex} from '../../regex/types.js';
import type {FunctionEnv} from '../types.js';
import {plainText} from '../values.js';
import {chargeScan, chargeText} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

/** Below this bound a replacement simply runs and is charged by what it made. */
const freeSize = 1024 * 1024;

interface Replacement {
  readonly regex: CompiledRegex;
  readonly text: string;
  readonly replacement: string;
  readonly literal: boolean;
}

/** Replaces all matches; a result that could be huge is charged before it is made. */
function replaceAll({regex, text, replacement, literal}: Replacement, env: FunctionEnv): string {
  env.budget.step(text.length);
  if ((text.length + 1) * (replacement.length + 1) > freeSize) {
    const matches = regex.replaceAllLiteral(text, '\u0001').length - regex.replaceAllLiteral(text, '').length;
    // Matches do not overlap, so each group reference makes at most one copy of the text.
    const references = literal ? 0 : replacement.split('$').length - 1;
    const bound = text.length + matches * replacement.length + references * text.length;
    if (bound > freeSize) env.budget.bytes(bound);
  }
  const result = literal ? regex.replaceAllLiteral(text, replacement) : regex.replaceAll(text, replacement);
  chargeText(env, result.length);
  return result;
}

export const regexFunctions: readonly FunctionDefinition[] = [
  define('regex_match', ['string', 'string|number'], ([pattern, value], env) => {
    const text = plainText(value);
    chargeScan(env, (pattern.length + text.length) * 4);
    return env.regex.compile(pattern).test(text);
  }),
  define('regex_replace_all', ['string', 'string|number', 'string|number'], ([pattern, value, replacement], env) => {
    const regex = env.regex.compile(pattern);
    return replaceAll({regex, text: plainText(value), replacement: plainText(replacement), literal: false}, env);
  }),
  define(
    'regex_replace_all_literal',
    ['string', 'string|number', 'string|number'],
    ([pattern, value, replacement], env) => {
      const regex = env.regex.compile(pattern);
      return replaceAll({regex, text: plainText(value), replacement: plainText(replacement), literal: true}, env);
    },
  ),
];
