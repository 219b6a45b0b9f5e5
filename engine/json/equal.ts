import {Float, isNumber, type Json, type JsonNumber} from './types.js';

/** Same mathematical value, whatever the form: `1`, `1n` and `Float(1)` are equal. */
export function numbersEqual(a: JsonNumber, b: JsonNumber): boolean {
  const left = a instanceof Float ? a.value : a;
  const right = b instanceof Float ? b.value : b;
  // biome-ignore lint/suspicious/noDoubleEquals: bigint and number compare by value only this way
  return left == right;
}

/** Structural equality; numbers by value, key order free. Equal references are equal without a look inside. */
export function deepEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  if (isNumber(a)) return isNumber(b) && numbersEqual(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || b instanceof Float) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  }
  return true;
}
