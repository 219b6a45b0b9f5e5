import {maxDepth} from './scan.js';
import {Float, type Json, type JsonObject, setOwn} from './types.js';

/** A copy that shares nothing mutable. Throws `RangeError` beyond 512 levels. */
export function deepClone<T extends Json>(value: T): T {
  return copy(value, 0) as T;
}

function copy(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (depth >= maxDepth) throw new RangeError(`value nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) return value.map(item => copy(item, depth + 1));
  const result: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(result, key, copy(value[key]!, depth + 1));
  return result;
}

/** A copy one level deep that keeps own keys like `__proto__` as data. */
export function shallowCopy(object: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) setOwn(result, key, object[key]!);
  return result;
}

/** Freezes a value and all below it; returns it. For values shared between requests, and for tests. */
export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item as Json);
  }
  return value;
}
