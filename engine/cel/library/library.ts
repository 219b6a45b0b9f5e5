import type {Budget} from '../../budget.js';
import type {ContextLoader, LoadOptions} from '../../context-loader.js';
import type {RegexEngine} from '../../regex/types.js';
import type {ImageQuestions} from '../kyverno/image-verify.js';
import type {Type} from '../types/type.js';
import type {Value} from '../values/value.js';

/**
 * What functions that are not pure may use. `RuleRun` is one: `settle` hands out what was fetched before, and else
 * suspends the evaluation until it is there; `key` names the load within the request and must hold every argument.
 */
export interface CelHost {
  readonly budget: Budget;
  readonly regex: RegexEngine;
  readonly loader: ContextLoader;
  readonly settle: <T>(key: string, load: (options: LoadOptions) => T | Promise<T>) => T;
  /** While a policy on images is evaluated. */
  readonly imageRun?: ImageQuestions | undefined;
}

/** One signature of a function. */
export interface Overload {
  /** Unique over all libraries, cel-go's where it has one: `size_string`. */
  readonly id: string;
  /** Called as `a.f(b)`: `params[0]` is the receiver. */
  readonly receiver: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /**
   * Gets values of the declared types (checked statically or before the call). Throws CelError. With `host`, the host
   * comes first and the call is never folded at compile time.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each implementation names the classes that its declared types stand for.
  readonly call: (...args: any[]) => Value;
  readonly host?: true;
  /** Steps beyond one, for calls whose work grows with their arguments (characters, elements). Same arguments as `call`, without the host. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly cost?: (...args: any[]) => number;
}

export interface FunctionDeclaration {
  /** Qualified where it has a namespace: `math.greatest`, `size`. */
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** An object type's fields; `undefined` from `field` is a fault of the expression. */
export interface ObjectDeclaration {
  readonly name: string;
  field(name: string): Type | undefined;
  /** For hints at faults, where the fields can be listed. */
  readonly fieldNames?: () => readonly string[];
  /** Present where the type can be written as a literal, `Name{…}`. Fields are in written order; optional absent ones are left out. */
  readonly construct?: (fields: ReadonlyArray<readonly [string, Value]>) => Value;
}

/** A set of declarations that environments are made of. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  /** Type of each variable. */
  readonly variables?: Readonly<Record<string, Type>>;
  readonly objects?: readonly ObjectDeclaration[];
  /** Object types that are made up as they are named (`Object.spec.containers`). */
  readonly resolveObject?: (name: string) => ObjectDeclaration | undefined;
  /** Literal arguments are checked at compile time where the environment validates literals: returns the fault. */
  readonly literalChecks?: Readonly<Record<string, (literal: string, regex: RegexEngine) => string | undefined>>;
}
