import {EvalError} from '../../diagnostic.js';
import type {CompiledRegex, FindAllOptions, RegexEngine} from '../../regex/types.js';
import {CelError} from '../errors.js';
import type {CelHost} from './library.js';

/** A pattern that is not valid is an error of the expression like any other. */
export function compiled(host: CelHost, pattern: string, prefix = ''): CompiledRegex {
  try {
    return host.regex.compile(pattern);
  } catch (error) {
    if (error instanceof EvalError && error.code === 'regex-syntax') throw new CelError(prefix + error.message);
    throw error;
  }
}

/**
 * Searches for a next match charge the budget for the text that they may have to look at: a pattern such as `a.*b|a` looks
 * to the end before it settles for one letter. Short texts, as nearly all are, charge little.
 */
export function searching(host: CelHost, limit?: number): FindAllOptions {
  const onSearch = (length: number): void => host.budget.step(1 + (length < 1024 ? length >> 4 : length >> 1));
  return limit === undefined ? {onSearch} : {onSearch, limit};
}

/** Cost of matching as Kubernetes counts it: by the lengths of text and pattern. */
export function regexCost(text: string, pattern: string): number {
  return Math.ceil((1 + text.length) / 10) * Math.ceil(pattern.length / 4);
}

/** What is wrong with a literal pattern. */
export function patternFault(pattern: string, regex: RegexEngine): string | undefined {
  try {
    regex.compile(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof EvalError) return error.message;
    throw error;
  }
}
