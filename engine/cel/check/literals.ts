import {checkFormatCall} from '../extensions/format-check.js';
import type {Call, Expr, ListExpr, MapExpr} from '../syntax/ast.js';
import {children} from '../syntax/children.js';
import {sameType} from '../types/same.js';
import type {Type} from '../types/type.js';
import type {Checked} from './checked.js';
import type {Report} from './report.js';
import type {Scope} from './scope.js';

/** Looks at literals of an expression whose types are right: elements of one type, texts that functions can read. */
export function checkLiterals(checked: Checked, scope: Scope, report: Report): void {
  const visit = (expr: Expr, formatted: boolean): void => {
    let inFormat = formatted;
    if (expr.kind === 'call') {
      checkCall(expr, {checked, scope, report});
      // Arguments of a format may be of any types.
      inFormat ||= expr.name === 'format';
    } else if (!formatted && scope.options.homogeneousLiterals) {
      if (expr.kind === 'list') checkList(expr, checked, report);
      else if (expr.kind === 'map') checkMap(expr, checked, report);
    }
    for (const child of children(expr)) visit(child, inFormat);
  };
  visit(checked.expr, false);
}

function checkCall(call: Call, {checked, scope, report}: {checked: Checked; scope: Scope; report: Report}): void {
  const overload = checked.calls.get(call)?.overloads[0];
  if (overload?.id === 'string_format') {
    const fault = checkFormatCall(call, node => checked.types.get(node)!);
    if (fault !== undefined) report.add(fault.message, fault.at.at);
  }
  if (!scope.options.literalValidators || overload === undefined) return;
  const name = checked.calls.get(call)!.name;
  const literal = literalArgument(call, overload.receiver);
  const text = literal === undefined ? undefined : scope.literalChecks.get(name)?.(literal.text, scope.regex);
  if (text !== undefined) report.add(`invalid ${name} argument`, literal!.at, () => text);
}

/** Of functions on a text, the argument behind it; else the only one. */
function literalArgument({args}: Call, receiver: boolean): {text: string; at: number} | undefined {
  const arg = receiver || args.length === 1 ? args[0] : args[1];
  return arg?.kind === 'literal' && typeof arg.value === 'string' ? {text: arg.value, at: arg.at} : undefined;
}

function checkList({items}: ListExpr, {types}: Checked, report: Report): void {
  let first: Type | undefined;
  for (const {value, optional} of items) {
    const type = elementType(types.get(value)!, optional);
    first ??= type;
    if (sameType(first, type)) continue;
    report.mismatch({expected: first, found: type}, value.at, () => 'the elements of a list have one type');
    return;
  }
}

function checkMap({entries}: MapExpr, {types}: Checked, report: Report): void {
  let firstKey: Type | undefined;
  let firstValue: Type | undefined;
  for (const entry of entries) {
    const key = types.get(entry.key)!;
    const value = elementType(types.get(entry.value)!, entry.optional);
    firstKey ??= key;
    firstValue ??= value;
    if (!sameType(firstKey, key))
      report.mismatch({expected: firstKey, found: key}, entry.key.at, () => 'the keys of a map have one type');
    if (!sameType(firstValue, value)) {
      report.mismatch({expected: firstValue, found: value}, entry.value.at, () => 'the values of a map have one type');
    }
  }
}

const elementType = (type: Type, optional: boolean): Type => (optional && type.kind === 'optional' ? type.value : type);
