import type {Select} from '../syntax/ast.js';
import {isDynOrError} from '../types/same.js';
import {boolType, dynType, errorType, optionalOf, type Type} from '../types/type.js';
import type {Checker} from './checker.js';
import {hintForField, hintForMember} from './hints.js';
import {checkQualified} from './names.js';
import {shortText} from './report.js';

/** `a.b`, `a.?b` and `has(a.b)`. */
export function checkSelect(expr: Select, checker: Checker): Type {
  if (!expr.test && !expr.optional) {
    const qualified = checkQualified(expr, checker);
    if (qualified !== undefined) return qualified;
  }
  const operand = checker.checkReceiver(expr.operand);
  const inside = operand.kind === 'optional' ? operand.value : operand;
  const type = fieldOf(inside, expr, checker);
  if (expr.test) return boolType;
  return checker.unifier.resolve(operand.kind === 'optional' || expr.optional ? optionalOf(type) : type);
}

function fieldOf(type: Type, expr: Select, checker: Checker): Type {
  switch (type.kind) {
    case 'map':
      return type.value;
    case 'object':
      return objectField({object: type.name, field: expr.field, at: expr.at}, checker);
    case 'param':
      checker.unifier.assignable([dynType], [type]);
      return dynType;
    default:
      if (!isDynOrError(type)) {
        const message = `type '${shortText(type)}' does not support field selection`;
        checker.report.add(message, expr.at, () => hintForField(type, expr, checker.scope));
      }
      return dynType;
  }
}

interface Field {
  readonly object: string;
  readonly field: string;
  readonly at: number;
}

/** Type of a declared field; an issue where there is none. */
export function objectField({object: name, field, at}: Field, {scope, report}: Checker): Type {
  const object = scope.object(name);
  const type = object?.field(field);
  if (type !== undefined) return type;
  if (object === undefined) report.add(`unexpected failed resolution of '${name}'`, at);
  else report.add(`undefined field '${field}'`, at, () => hintForMember(field, object.fieldNames?.() ?? []));
  return errorType;
}
