import type {Budget} from '../budget.js';
import type {Json} from '../json/types.js';

/** An operator with its value in place: what is left to know is the key. */
export type KeyTest = (key: Json, budget?: Budget) => boolean;

export interface PrepareOptions {
  readonly negate: boolean;
  /** The value is the same for every request, so that preparing it pays. */
  readonly reuse: boolean;
}
