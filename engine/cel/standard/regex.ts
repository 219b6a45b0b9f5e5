import {BudgetError, EvalError} from '../../diagnostic.js';
import type {CompiledRegex, RegexEngine} from '../../regex/types.js';
import {CelError} from '../errors.js';

/** A compiled pattern; one that is not valid is an error of the expression (`error parsing regexp: …`). */
export function compileRegex(regex: RegexEngine, pattern: string): CompiledRegex {
  try {
    return regex.compile(pattern);
  } catch (error) {
    if (error instanceof EvalError && !(error instanceof BudgetError)) throw new CelError(error.message);
    throw error;
  }
}

/** Cost follows the text times the pattern, as Kubernetes estimates it. */
export function matchCost(text: string, pattern: string): number {
  return Math.ceil((text.length + 1) / 10) * Math.ceil((pattern.length + 1) / 4);
}

/** The same where the pattern is made at run time and has to be compiled. */
export function dynamicMatchCost(text: string, pattern: string): number {
  return matchCost(text, pattern) + 50 + 2 * pattern.length;
}
