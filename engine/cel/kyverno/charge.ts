import type {Budget} from '../../budget.js';
import {CelError} from '../errors.js';
import {isMap, mapEntries} from '../values/index.js';
import {Optional, type Value} from '../values/value.js';

const maxDepth = 512;
/** Of a number, a bool or the like as text, roughly. */
const scalarBytes = 6;

/**
 * Accounts for a value that is about to be written out: a step per node, and about the bytes of its text. A value may stand
 * in many places of a small one, so that what is written doubles with each level; this ends it before anything is made.
 */
export function chargeWritten(value: Value, budget: Budget, depth = 0): void {
  budget.step();
  if (typeof value === 'string') {
    budget.bytes(value.length + 2);
    return;
  }
  if (depth > maxDepth) throw new CelError(`value is nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    budget.bytes(value.length + 2);
    for (const item of value as readonly Value[]) chargeWritten(item, budget, depth + 1);
  } else if (isMap(value)) {
    budget.bytes(2);
    for (const [key, item] of mapEntries(value)) {
      budget.bytes(typeof key === 'string' ? key.length + 4 : scalarBytes);
      chargeWritten(item, budget, depth + 1);
    }
  } else if (value instanceof Uint8Array) {
    budget.bytes(Math.ceil(value.length / 3) * 4);
  } else if (value instanceof Optional) {
    if (value.value !== undefined) chargeWritten(value.value, budget, depth + 1);
  } else {
    budget.bytes(scalarBytes);
  }
}
