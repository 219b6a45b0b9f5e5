import type {Budget} from '../budget.js';
import type {ContextLoader, LoadOptions} from '../context-loader.js';
import type {Json, JsonObject} from '../json/types.js';
import type {RegexEngine} from '../regex/types.js';

/**
 * A root whose fields are made on demand (the variable context of a rule). Only the outermost `@` is one; a field
 * lookup on it calls `get`, everything that needs the whole value calls `toJson`.
 */
export abstract class LazyRoot {
  /** `undefined` when there is no such field. May throw: an entry that fails, or a load that has to be awaited. */
  abstract get(key: string): Json | undefined;
  abstract toJson(): JsonObject;
}

/** What functions may use. `loader` and `await` serve the few functions that reach outside (name look-up). */
export interface FunctionEnv {
  readonly budget: Budget;
  readonly regex: RegexEngine;
  readonly loader: ContextLoader;
  /** Turns a value that may still have to be loaded into the value, or throws so that the rule starts again once it is there. */
  readonly settle: <T>(key: string, load: (options: LoadOptions) => T | Promise<T>) => T;
}

/** One compiled expression; immutable and shared between requests. */
export interface CompiledQuery {
  readonly text: string;
  /** First names of the paths it may read from the root (`request`, `element`, …); `@` among them when it reads the whole root. */
  readonly roots: ReadonlySet<string>;
  /** Names of the functions it calls. */
  readonly functions: ReadonlySet<string>;
  /**
   * Throws `UnknownKeyError` for a map without the key where the language does not swallow it, `EvalError` for
   * everything else that goes wrong.
   */
  evaluate(root: Json | LazyRoot, env: FunctionEnv): Json;
}
