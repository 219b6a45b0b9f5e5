import type {LoadOptions, MaybePromise} from '../../context-loader.js';
import {BudgetError, EvalError} from '../../diagnostic.js';
import {CelError} from '../errors.js';
import type {CelHost} from '../library/library.js';

export interface Question<T> {
  /** What went wrong when it does: `failed to get resource`. */
  readonly failure: string;
  /** Everything that decides the answer; the first part names the function. */
  readonly key: readonly string[];
  readonly load: (options: LoadOptions) => MaybePromise<T>;
}

/**
 * Asks the world outside, once per request and question. What is refused or fails becomes an error of the expression,
 * which `||` may absorb; a budget that ran out and a wait do not.
 */
export function ask<T>(host: CelHost, {failure, key, load}: Question<T>): T {
  try {
    return host.settle<T>(JSON.stringify(key), load);
  } catch (thrown) {
    if (thrown instanceof EvalError && !(thrown instanceof BudgetError)) {
      throw new CelError(`${failure}: ${thrown.message}`);
    }
    throw thrown;
  }
}
