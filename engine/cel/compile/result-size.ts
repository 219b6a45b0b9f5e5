import {BudgetError} from '../../diagnostic.js';
import type {Expr} from '../syntax/ast.js';
import {children} from '../syntax/children.js';
import {isMap, isPlainMap, mapEntries} from '../values/index.js';
import type {Value} from '../values/value.js';
import type {Frame} from './frame.js';

const maxDepth = 512;
const makers: ReadonlySet<string> = new Set(['map', 'transformList', 'transformMap', 'transformMapEntry', 'sortBy']);

/** Whether a result may hold one value in several places, so that written out it is larger than what was paid for. */
export function mayShare(expr: Expr): boolean {
  if (expr.kind === 'list') return expr.items.length > 0;
  if (expr.kind === 'map') return expr.entries.length > 0;
  if (expr.kind === 'message') return true;
  if (expr.kind === 'loop' && makers.has(expr.name)) return true;
  return children(expr).some(mayShare);
}

/** Accounts for every element of a result as if each stood there once. Throws BudgetError. */
export function chargeResult(frame: Frame, value: Value, depth = 0): void {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string') frame.grow(value.length);
    return;
  }
  if (depth > maxDepth) throw new BudgetError(`the result is nested more than ${maxDepth} levels deep`);
  if (Array.isArray(value)) {
    frame.spend(value.length);
    for (const item of value) chargeResult(frame, item, depth + 1);
  } else if (isPlainMap(value)) {
    const keys = Object.keys(value);
    frame.spend(keys.length);
    for (const key of keys) {
      frame.grow(key.length);
      chargeResult(frame, value[key]!, depth + 1);
    }
  } else if (isMap(value)) {
    for (const [key, item] of mapEntries(value)) {
      frame.spend(1);
      chargeResult(frame, key, depth + 1);
      chargeResult(frame, item, depth + 1);
    }
  }
}
