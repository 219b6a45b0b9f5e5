import {Budget} from '../../budget.js';
import {BudgetError} from '../../diagnostic.js';
import type {RegexEngine} from '../../regex/types.js';
import {CelError} from '../errors.js';
import type {CelHost} from '../library/library.js';
import {Frame} from './frame.js';
import {free, type Node} from './node.js';

const limits = {steps: 5_000, bytes: 64 * 1024, deadline: Number.POSITIVE_INFINITY};

/**
 * Evaluates what depends on nothing but literals, once. What fails, or costs more than a compilation should, stays as it
 * is and is evaluated where it is reached.
 */
export function fold(node: Node, regex: RegexEngine): Node {
  if (!node.pure || node.constant !== undefined) return node;
  const frame = new Frame([], hostOf(regex), 0, limits.steps);
  try {
    const constant = node.run(frame);
    frame.settle();
    return {run: () => constant, constant, ...(node.sure && {sure: node.sure}), pure: true, cost: free};
  } catch (error) {
    if (error instanceof CelError || error instanceof BudgetError) return node;
    throw error;
  }
}

function hostOf(regex: RegexEngine): CelHost {
  const refuse = (): never => {
    throw new Error('a function that is not pure was folded');
  };
  return {budget: new Budget(limits, () => 0), regex, loader: undefined as never, settle: refuse};
}
