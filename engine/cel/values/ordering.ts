import {CelError} from '../errors.js';
import {compareNumbers, isNumeric} from './numbers.js';
import {Duration, Timestamp, type Value} from './value.js';

/** Order of two values of one type, or of two numbers. Throws `no such overload` for what has no order. */
export function compare(a: Value, b: Value): -1 | 0 | 1 {
  if (isNumeric(a) && isNumeric(b)) {
    const order = compareNumbers(a, b);
    if (order === undefined) throw new CelError('NaN values cannot be ordered');
    return order;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b ? 0 : a ? 1 : -1;
  if (a instanceof Timestamp && b instanceof Timestamp) return ordered(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return ordered(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw new CelError('no such overload');
}

function ordered(a: bigint, b: bigint): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By code point. UTF-16 order differs only where a surrogate meets U+E000 to U+FFFF. */
export function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) < rank(right) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareBytes(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    if (a[index] !== b[index]) return a[index]! < b[index]! ? -1 : 1;
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
}
