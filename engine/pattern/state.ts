import type {Budget} from '../budget.js';
import type {Json} from '../json/types.js';
import type {Failure} from './failure.js';

/** One walk of a pattern over an object. */
export interface MatchState {
  readonly budget: Budget;
  /**
   * Only on the second walk after a failure: which `( )` and `^( )` keys, as written, were met, and whether the object
   * had them somewhere.
   */
  readonly anchorsFound: Map<string, boolean> | undefined;
}

/** `undefined` when the node satisfies the pattern. Never throws but for the budget. */
export type NodeMatcher = (value: Json | undefined, state: MatchState) => Failure | undefined;
