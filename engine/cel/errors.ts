import type {Type} from './types/type.js';

/**
 * What a CEL expression fails with at run time. No `Error` and no stack: a missing field is routine in policies, and most
 * such failures are absorbed by `||` or a macro. Programs turn the one that is left into an `EvalError`.
 */
export class CelError {
  constructor(readonly message: string) {}
}

/** A fault found before evaluation. */
export interface CelIssue {
  /** Without place: `undeclared reference to 'foo' (in container '')`. */
  readonly message: string;
  /** UTF-16 offset in the source. */
  readonly at: number;
  /** What to do about it, where we know. */
  readonly hint?: string;
}

/** Issues as cel-go prints them: `ERROR: <input>:1:4: …`, the source line and a caret under the place. */
export type {Type};
