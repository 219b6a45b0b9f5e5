import {EvalError} from '../../diagnostic.js';
import {randomText} from '../../random/random-text.js';
import {parseRegexTree, type RegexTree, UnsupportedRegexError} from '../../random/regex-tree.js';
import type {FunctionEnv} from '../types.js';
import {chargeScan} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

const maxPatternLength = 4096;
const maxTextLength = 65_536;

function treeOf(pattern: string): RegexTree {
  try {
    return parseRegexTree(pattern);
  } catch (error) {
    if (error instanceof UnsupportedRegexError) throw new EvalError(error.message);
    throw error;
  }
}

function random(pattern: string, env: FunctionEnv): string {
  if (pattern === '') throw new EvalError('no pattern provided');
  if (pattern.length > maxPatternLength) throw new EvalError(`pattern is longer than ${maxPatternLength} characters`);
  chargeScan(env, pattern.length * 4);
  // The engine's own reading decides what is valid, in the words users know.
  env.regex.compile(pattern);
  const draw = () => env.loader.random();
  const text = randomText(treeOf(pattern), {draw, budget: env.budget, maxLength: maxTextLength});
  if (text === undefined) throw new EvalError(`text for the pattern is longer than ${maxTextLength} characters`);
  return text;
}

export const randomFunctions: readonly FunctionDefinition[] = [
  define('random', ['string'], ([pattern], env) => random(pattern, env)),
];
