import type {CelIssue} from '../errors.js';
import type {Overload} from '../library/library.js';
import type {Bind, Expr, Loop} from '../syntax/ast.js';
import type {Type} from '../types/type.js';

/** What a name stands for. */
export type Reference =
  /** A declared variable; `name` without leading dot, with dots where it was declared so. */
  | {readonly kind: 'variable'; readonly name: string}
  /** A name that a macro binds; `index` into the loop's variables. */
  | {readonly kind: 'local'; readonly name: string; readonly by: Loop | Bind; readonly index: number}
  /** A type as value. */
  | {readonly kind: 'type'; readonly name: string; readonly type: Type};

export interface ResolvedCall {
  /** The declared function, qualified where it has a namespace. */
  readonly name: string;
  /** Every overload that the types allow; more than one where dyn leaves the choice to the values. */
  readonly overloads: readonly Overload[];
  /** The target is part of the function's name, and no argument. */
  readonly namespaced: boolean;
  /** `x.orValue(d)` that takes any `x`; without overloads. */
  readonly lenient?: true;
}

/** What the checker found. The maps have no entries for the parts of a name that stands for one thing as a whole. */
export interface Checked {
  readonly expr: Expr;
  /** Of the whole expression. */
  readonly type: Type;
  /** Without type parameters. */
  readonly types: ReadonlyMap<Expr, Type>;
  /** By call node. `&&`, `||` and `?:` have no overloads. */
  readonly calls: ReadonlyMap<Expr, ResolvedCall>;
  /** By ident, or by the selection that is a qualified name (`authorizer.requestResource`). */
  readonly idents: ReadonlyMap<Expr, Reference>;
  /** By place; empty when the expression can be compiled. */
  readonly issues: readonly CelIssue[];
}
