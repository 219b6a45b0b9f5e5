import type {Checked} from '../check/checked.js';
import type {Expr} from '../syntax/ast.js';
import {children} from '../syntax/children.js';

export interface References {
  readonly variables: ReadonlySet<string>;
  readonly paths: ReadonlyMap<string, ReadonlySet<string>>;
  readonly functions: ReadonlySet<string>;
}

/** Which variables, fields of theirs and functions an expression names. */
export function references(checked: Checked): References {
  const variables = new Set<string>();
  const paths = new Map<string, Set<string>>();
  const functions = new Set<string>();

  /** Name of a variable and the fields selected from it; `undefined` when the expression is no such thing. */
  function pathOf(expr: Expr): {readonly name: string; readonly path: readonly string[]} | undefined {
    const reference = checked.idents.get(expr);
    if (reference) return reference.kind === 'variable' ? {name: reference.name, path: []} : undefined;
    if (expr.kind === 'select') {
      const inner = pathOf(expr.operand);
      return inner && {name: inner.name, path: [...inner.path, expr.field]};
    }
    if (expr.kind === 'call' && (expr.name === '_[_]' || expr.name === '_[?_]')) {
      const [container, key] = expr.args;
      const inner = container && key?.kind === 'literal' && key.type === 'string' ? pathOf(container) : undefined;
      return inner && {name: inner.name, path: [...inner.path, key!.kind === 'literal' ? String(key!.value) : '']};
    }
    return undefined;
  }

  function visit(expr: Expr): void {
    const found = pathOf(expr);
    if (found) {
      variables.add(found.name);
      const known = paths.get(found.name) ?? new Set();
      paths.set(found.name, known.add(found.path.join('.')));
      return;
    }
    if (expr.kind === 'call') {
      const resolved = checked.calls.get(expr);
      const name = resolved?.name ?? expr.name;
      if (!isOperator(name)) functions.add(macros.get(name) ?? name);
      if (expr.target && !resolved?.namespaced) visit(expr.target);
      expr.args.forEach(visit);
    } else for (const child of children(expr)) visit(child);
  }

  visit(checked.expr);
  return {variables, paths, functions};
}

/** Functions that a macro of the parser stands for. */
const macros: ReadonlyMap<string, string> = new Map([
  ['math.@max', 'math.greatest'],
  ['math.@min', 'math.least'],
]);

const isOperator = (name: string): boolean => !/^[A-Za-z]/.test(name);
