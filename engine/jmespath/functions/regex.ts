import type {FunctionEnv} from '../types.js';
import {plainText} from '../values.js';
import {chargeText} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

/** Below this bound a replacement simply runs and is charged by what it made. */
const freeSize = 1024 * 1024;

/** Steps of work between charges: a match walks |program| × |text| states at worst. */
const statesPerStep = 64;
/** What one replacement costs beside finding it, per character that may be one. */
const stepsPerReplacement = 4;

const repetition = /\{(\d{1,4})(?:,(\d{0,4}))?\}/g;

/** About the size of the program behind a pattern: its length times its counted repetitions (at most 1,000). */
function programSize(pattern: string): number {
  if (!pattern.includes('{')) return pattern.length;
  let factor = 1;
  for (const match of pattern.matchAll(repetition)) factor += Number(match[2] || match[1]);
  return pattern.length * Math.min(factor, 1000);
}

function chargeMatch(env: FunctionEnv, pattern: string, text: string): void {
  env.budget.step(1 + Math.ceil((programSize(pattern) * (text.length + 1)) / statesPerStep));
}

interface Replacement {
  readonly pattern: string;
  readonly text: string;
  readonly replacement: string;
  readonly literal: boolean;
}

/** Replaces all matches; a result that could be huge is charged before it is made. */
function replaceAll({pattern, text, replacement, literal}: Replacement, env: FunctionEnv): string {
  const regex = env.regex.compile(pattern);
  const chargePass = () => {
    chargeMatch(env, pattern, text);
    env.budget.step(text.length * stepsPerReplacement);
  };
  chargePass();
  if ((text.length + 1) * (replacement.length + 1) > freeSize) {
    chargePass();
    chargePass();
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

const replacer = (name: string, literal: boolean): FunctionDefinition =>
  define(name, ['string', 'string|number', 'string|number'], ([pattern, value, replacement], env) =>
    replaceAll({pattern, text: plainText(value), replacement: plainText(replacement), literal}, env),
  );

export const regexFunctions: readonly FunctionDefinition[] = [
  define('regex_match', ['string', 'string|number'], ([pattern, value], env) => {
    const text = plainText(value);
    chargeMatch(env, pattern, text);
    return env.regex.compile(pattern).test(text);
  }),
  replacer('regex_replace_all', false),
  replacer('regex_replace_all_literal', true),
];
