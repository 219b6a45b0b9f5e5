import type {Expr, Ident, Select} from '../syntax/ast.js';
import {qualifiedName, rootName, withoutDot} from '../syntax/qualified-name.js';
import {errorType, type Type, typeOf} from '../types/type.js';
import type {Checker} from './checker.js';
import {hintForName} from './hints.js';

/** A name of a macro, a variable or a type; with a leading dot never one of a macro. */
export function checkIdent(expr: Ident, checker: Checker): Type {
  const local = checker.local(expr.name);
  if (local !== undefined) {
    checker.idents.set(expr, {kind: 'local', name: expr.name, by: local.by, index: local.index});
    return local.type;
  }
  const type = declared(expr, expr.name, checker);
  if (type !== undefined) return type;
  checker.report.undeclared(expr.name, expr.at, () => hintFor(expr, checker));
  return errorType;
}

/** A selection that is a name declared with dots, unless a macro took its first part. */
export function checkQualified(expr: Select, checker: Checker): Type | undefined {
  const root = rootName(expr);
  if (root === undefined || checker.local(root) !== undefined) return undefined;
  if (!checker.scope.qualifiers.has(withoutDot(root))) return undefined;
  const name = qualifiedName(expr);
  return name === undefined ? undefined : declared(expr, name, checker);
}

function declared(expr: Expr, written: string, {scope, idents}: Checker): Type | undefined {
  const name = withoutDot(written);
  const variable = scope.variables.get(name);
  if (variable !== undefined) {
    idents.set(expr, {kind: 'variable', name});
    return variable;
  }
  const type = scope.types.get(name);
  if (type === undefined) return undefined;
  idents.set(expr, {kind: 'type', name, type});
  return typeOf(type);
}

function hintFor(expr: Ident, checker: Checker): string | undefined {
  const locals: string[] = [];
  for (let local = checker.locals; local !== undefined; local = local.outer) locals.push(local.name);
  return hintForName(expr.name, checker.scope, {locals, alone: checker.receiver !== expr});
}
