import type {Budget} from '../budget.js';
import type {Json} from '../json/types.js';

/**
 * What one pattern says about one object. Paths start and end with `/`, list indexes are plain segments, anchors are not
 * shown: `/spec/containers/0/image/`.
 */
export type PatternResult =
  | {readonly status: 'pass'}
  /** An anchor did not hold: the pattern does not apply. */
  | {readonly status: 'skip'; readonly message: string}
  | {readonly status: 'fail'; readonly path: string; readonly message: string}
  /** The pattern could not be judged: an anchor key was found nowhere, lengths differ, or the pattern is invalid. */
  | {readonly status: 'error'; readonly message: string};

/** A pattern turned into closures once; immutable and shared between requests. */
export interface CompiledPattern {
  /** Throws `BudgetError` and nothing else. */
  match(resource: Json | undefined, budget: Budget): PatternResult;
}
