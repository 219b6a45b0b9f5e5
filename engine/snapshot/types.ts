import type {ClassicException, ClassicPolicy} from '../policy/model.js';
import type {PolicyRef} from '../types.js';

/**
 * What reconcile handlers and file watchers publish and requests read. `current` never waits; a request holds one
 * snapshot from start to end.
 */
export interface PolicySource<S> {
  readonly current: S;
}

/** One policy as the cache holds it: served, or refused with the reason. */
export type PolicyState =
  | {readonly status: 'ready'; readonly policy: ClassicPolicy}
  | {readonly status: 'refused'; readonly ref: PolicyRef; readonly reasons: readonly string[]};

export type ExceptionList = readonly ClassicException[];
