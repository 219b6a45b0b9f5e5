/**
 * The syntax tree. Immutable: the checker keeps what it learns in maps of its own. Macros stay nodes: they are checked
 * and compiled as loops, not unfolded into accumulations.
 */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | MessageExpr | Loop | Bind;

interface Node {
  /** UTF-16 offset in the source where messages point: of a call its `(`, of an operator the operator, as in cel-go. */
  readonly at: number;
}

/** `value`: a CEL value (see values/value.ts). */
export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type: 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes';
  readonly value: unknown;
}

export interface Ident extends Node {
  readonly kind: 'ident';
  /** With a leading dot where it was written so. */
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(a.b)`. */
  readonly test: boolean;
  /** `a.?b`. */
  readonly optional: boolean;
}

/** Operators have cel-go's names: `_&&_`, `_[_]`, `_[?_]`, `_?_:_`, `!_`, `-_`, `@in`, `_+_` … */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly items: ReadonlyArray<{readonly value: Expr; readonly optional: boolean}>;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: ReadonlyArray<{
    readonly key: Expr;
    readonly value: Expr;
    readonly optional: boolean;
    readonly at: number;
  }>;
}

export interface MessageExpr extends Node {
  readonly kind: 'message';
  readonly name: string;
  readonly fields: ReadonlyArray<{
    readonly name: string;
    readonly value: Expr;
    readonly optional: boolean;
    readonly at: number;
  }>;
}

export type LoopName =
  | 'all'
  | 'exists'
  | 'existsOne'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'
  | 'sortBy'
  | 'optMap'
  | 'optFlatMap';

/** A macro that binds names per element (of an optional: per present value). */
export interface Loop extends Node {
  readonly kind: 'loop';
  readonly name: LoopName;
  readonly range: Expr;
  /** One name, or two: index and element, key and value. */
  readonly variables: readonly string[];
  /** Third argument of `map(x, filter, e)` and of the `transform…` macros. */
  readonly filter: Expr | undefined;
  readonly body: Expr;
}

/** `cel.bind(name, init, body)`. */
export interface Bind extends Node {
  readonly kind: 'bind';
  readonly name: string;
  readonly init: Expr;
  readonly body: Expr;
}
