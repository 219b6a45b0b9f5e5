import type {Budget} from '../budget.js';
import type {ContextLoader} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import type {RegexEngine} from '../regex/types.js';
import {randomText} from './random-text.js';
import {parseRegexTree, type RegexTree, UnsupportedRegexError} from './regex-tree.js';

const maxPatternLength = 4096;
const maxTextLength = 65_536;

export interface RandomEnv {
  readonly budget: Budget;
  readonly regex: RegexEngine;
  readonly loader: Pick<ContextLoader, 'random'>;
}

/** A random text that the pattern matches, within the budget. Throws EvalError for patterns that cannot be served. */
export function randomOfPattern(pattern: string, env: RandomEnv): string {
  if (pattern === '') throw new EvalError('no pattern provided');
  if (pattern.length > maxPatternLength) throw new EvalError(`pattern is longer than ${maxPatternLength} characters`);
  env.budget.step(1 + (pattern.length >>> 4));
  // The engine's own reading decides what is valid, in the words users know.
  env.regex.compile(pattern);
  const draw = () => env.loader.random();
  const text = randomText(treeOf(pattern), {draw, budget: env.budget, maxLength: maxTextLength});
  if (text === undefined) throw new EvalError(`text for the pattern is longer than ${maxTextLength} characters`);
  return text;
}

function treeOf(pattern: string): RegexTree {
  try {
    return parseRegexTree(pattern);
  } catch (error) {
    if (error instanceof UnsupportedRegexError) throw new EvalError(error.message);
    throw error;
  }
}
