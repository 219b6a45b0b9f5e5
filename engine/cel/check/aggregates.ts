import type {Expr, ListExpr, MapExpr, MessageExpr} from '../syntax/ast.js';
import {withoutDot} from '../syntax/qualified-name.js';
import {isDynOrError} from '../types/same.js';
import {dynType, errorType, optionalOf, type Type} from '../types/type.js';
import {moreGeneral} from '../types/unifier.js';
import type {Checker} from './checker.js';
import {objectField} from './fields.js';
import {hintForMember, hintForName} from './hints.js';
import {shortText} from './report.js';

/** Elements of several types make a list of dyn; whether that is allowed is looked at once all types are known. */
export function checkList(expr: ListExpr, checker: Checker): Type {
  let element: Type | undefined;
  for (const {value, optional} of expr.items) element = join(element, elementType(value, optional, checker), checker);
  return {kind: 'list', element: element ?? checker.unifier.freshParameter()};
}

export function checkMap(expr: MapExpr, checker: Checker): Type {
  let key: Type | undefined;
  let value: Type | undefined;
  for (const entry of expr.entries) {
    key = join(key, checker.check(entry.key), checker);
    value = join(value, elementType(entry.value, entry.optional, checker), checker);
  }
  const {unifier} = checker;
  return {kind: 'map', key: key ?? unifier.freshParameter(), value: value ?? unifier.freshParameter()};
}

export function checkMessage(expr: MessageExpr, checker: Checker): Type {
  const name = withoutDot(expr.name);
  const object = checker.scope.object(name);
  if (object?.construct === undefined) {
    notAMessage(expr, checker);
    return errorType;
  }
  for (const field of expr.fields) {
    const type = elementType(field.value, field.optional, checker);
    const wanted = objectField({object: name, field: field.name, at: field.at}, checker);
    if (checker.unifier.assignable([wanted], [type])) continue;
    const [expected, provided] = [wanted, checker.unifier.settle(type)].map(shortText);
    const message = `expected type of field '${field.name}' is '${expected}' but provided type is '${provided}'`;
    // Where every name has a type, that of unknown ones is nameless.
    const unknown = wanted.kind === 'object' && wanted.name === '';
    checker.report.add(message, field.at, () =>
      unknown ? hintForMember(field.name, object.fieldNames?.() ?? []) : undefined,
    );
  }
  return {kind: 'object', name};
}

function notAMessage({name: written, at}: MessageExpr, {scope, report}: Checker): void {
  const name = withoutDot(written);
  const variable = scope.variables.get(name);
  if (scope.types.has(name)) report.add(`'${name}' is not a message type`, at);
  else if (variable !== undefined) report.add(`'${shortText(variable)}' is not a type`, at);
  else report.undeclared(written, at, () => hintForName(written, scope, {locals: [], alone: false}));
}

/** Type of an element; with a question mark, of what is in its optional. */
function elementType(value: Expr, optional: boolean, checker: Checker): Type {
  const type = checker.check(value);
  if (!optional) return type;
  const resolved = checker.unifier.resolve(type);
  if (resolved.kind === 'optional') return resolved.value;
  if (!isDynOrError(resolved)) {
    const hint = (): string => 'a question mark is for optionals: leave it out, or write a.?b';
    checker.report.mismatch({expected: optionalOf(resolved), found: resolved}, value.at, hint);
  }
  return resolved;
}

function join(before: Type | undefined, type: Type, {unifier}: Checker): Type {
  if (before === undefined) return type;
  return unifier.assignable([before], [type]) ? moreGeneral(before, type) : dynType;
}
