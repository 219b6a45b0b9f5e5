import type {Checked, Reference, ResolvedCall} from '../../engine/cel/check/checked.js';
import {createScope} from '../../engine/cel/check/scope.js';
import {createProgram} from '../../engine/cel/compile/program.js';
import type {Program} from '../../engine/cel/environment.js';
import type {Library} from '../../engine/cel/library/library.js';
import {standardLibrary} from '../../engine/cel/standard/index.js';
import type {Bind, Expr, Loop} from '../../engine/cel/syntax/ast.js';
import {children} from '../../engine/cel/syntax/children.js';
import {parse} from '../../engine/cel/syntax/parse.js';
import {qualifiedName} from '../../engine/cel/syntax/qualified-name.js';
import {dynType} from '../../engine/cel/types/type.js';
import {regex} from './environment.js';

/** Name of an expression's variable → its slot; unknown ones are unbound. */
export type Slots = (variable: string) => number;

/**
 * A program that no checker has seen, as the conformance data asks for in places: every name is a variable, every call
 * may be any overload of its name, and the values decide. No environment of the product does this.
 */
export function uncheckedProgram(
  source: string,
  libraries: readonly Library[],
  names: readonly string[],
  slot: Slots,
): Program {
  const parsed = parse(source, {twoVariableMacros: true});
  if (parsed.expr === undefined) throw new Error(parsed.issues[0]!.message);
  const options = {homogeneousLiterals: false, literalValidators: false, lenientOrValue: false};
  const scope = createScope({libraries: [standardLibrary, ...libraries], variables: {}, options, regex});
  const idents = new Map<Expr, Reference>();
  const calls = new Map<Expr, ResolvedCall>();

  function visit(expr: Expr, locals: ReadonlyMap<string, Reference>): void {
    const name = qualifiedName(expr);
    if (name !== undefined && !(expr.kind === 'select' && (expr.test || expr.optional))) {
      const known = locals.get(name);
      const type = scope.types.get(name);
      if (known !== undefined) idents.set(expr, known);
      else if (type !== undefined && name !== 'dyn') idents.set(expr, {kind: 'type', name, type});
      else if (expr.kind === 'ident' || names.includes(name)) idents.set(expr, {kind: 'variable', name});
      if (idents.has(expr)) return;
    }
    if (expr.kind === 'call') {
      const declared = scope.functions.get(expr.name);
      const receiver = expr.target !== undefined;
      const overloads = declared?.overloads.filter(overload => overload.receiver === receiver) ?? [];
      calls.set(expr, {name: expr.name, overloads, namespaced: false});
    }
    const inner = expr.kind === 'loop' || expr.kind === 'bind' ? withLocals(expr, locals) : locals;
    for (const child of children(expr)) {
      visit(child, child === (expr as Loop).range || child === (expr as Bind).init ? locals : inner);
    }
  }

  visit(parsed.expr, new Map());
  const checked: Checked = {expr: parsed.expr, type: dynType, types: new Map(), calls, idents, issues: []};
  return createProgram(source, checked, {scope, regex, slot, costLimit: undefined});
}

function withLocals(by: Loop | Bind, locals: ReadonlyMap<string, Reference>): ReadonlyMap<string, Reference> {
  const names = by.kind === 'loop' ? by.variables : [by.name];
  const own = names.map((name, index) => [name, {kind: 'local', name, by, index} as const] as const);
  return new Map<string, Reference>([...locals, ...own]);
}
