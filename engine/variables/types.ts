import type {Json} from '../json/types.js';

/**
 * A JSON value that may hold `{{ … }}` variables, compiled once. `S` is the scope it is evaluated in.
 * `isStatic` templates hold none: `evaluate` returns the same frozen-by-convention value each time.
 */
export interface Template<S> {
  readonly isStatic: boolean;
  /** Never mutate what comes back: static parts are shared between requests. */
  evaluate(scope: S): Json;
}

/** Compiles a value found at `path` (`spec.rules[0].validate.pattern`) of a policy. Throws `CompileError`. */
export type CompileTemplate<S> = (value: Json, path: string) => Template<S>;
