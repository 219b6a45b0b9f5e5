import type {RegexEngine} from '../regex/types.js';
import type {CelIssue} from './errors.js';
import type {CelHost, Library} from './library/library.js';
import type {Expr} from './syntax/ast.js';
import type {Type} from './types/type.js';
import type {Value} from './values/value.js';

export interface EnvironmentOptions {
  /** The standard library is always in. Later ones add overloads to functions of earlier ones. */
  readonly libraries: readonly Library[];
  /** Names that expressions may use, with their types. Their order gives the slots of `Bindings`. */
  readonly variables: Readonly<Record<string, Type>>;
  /** `all(i, v, …)`, `transformList` and the like. */
  readonly twoVariableMacros: boolean;
  /** `[1, "a"]` is a fault. */
  readonly homogeneousLiterals: boolean;
  /** Literal durations, timestamps and regular expressions are checked at compile time. */
  readonly literalValidators: boolean;
  /** `x.orValue(d)` takes any `x`, and has type dyn. */
  readonly lenientOrValue: boolean;
  /** Cost units per evaluation; running out is a BudgetError that names it. `undefined`: the host's budget alone. */
  readonly costLimit?: number;
  readonly regex: RegexEngine;
}

/** Values by slot (see `Environment.slot`); `undefined` = not bound: using it is an error of the expression. */
export type Bindings = ReadonlyArray<Value | undefined>;

export interface Program {
  readonly source: string;
  /** What it evaluates to, as the checker found. */
  readonly type: Type;
  /** Names of top-level variables it reads. */
  readonly variables: ReadonlySet<string>;
  /** Fields it reads of each top-level variable, as far as they are written as selections: `object` → `spec.replicas`. */
  readonly paths: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of functions it calls, receiver functions with their bare name. */
  readonly functions: ReadonlySet<string>;
  /** Least and most cost units as far as they are known before evaluation; `max` may be Infinity. */
  readonly costEstimate: {readonly min: number; readonly max: number};
  /** Throws EvalError (message of the CelError), BudgetError or Suspend. */
  evaluate(bindings: Bindings, host: CelHost): Value;
}

export type CompileOutcome =
  | {readonly program: Program; readonly issues?: undefined; readonly text?: undefined}
  | {
      readonly program?: undefined;
      readonly issues: readonly CelIssue[] /** cel-go's rendering of all issues with source lines and carets. */;
      readonly text: string;
    };

/** What one part of an expression came to; in loops once per round. */
export interface TraceStep {
  readonly expr: Expr;
  readonly value?: Value;
  readonly error?: string;
}

export interface Trace {
  /** In the order in which they were done: parts before what they are parts of; literals are left out. */
  readonly steps: readonly TraceStep[];
  /** Whether there were more steps than are told. */
  readonly cut: boolean;
}

/** Declared here, made by `createEnvironment` in compile/environment.ts. */
export interface Environment {
  /** Parses, checks and compiles. Never throws for the text's sake. */
  compile(source: string): CompileOutcome;
  /** Evaluates once and tells of every part. `undefined`: the text has issues. Throws BudgetError or Suspend. */
  trace(source: string, bindings: Bindings, host: CelHost): Trace | undefined;
  /** Position of a variable in `Bindings`. */
  slot(variable: string): number;
  /** The same with more variables, object types or functions; what was compiled before stays valid, slots stay. */
  extend(additions: {
    readonly variables?: Readonly<Record<string, Type>>;
    readonly libraries?: readonly Library[];
  }): Environment;
}
