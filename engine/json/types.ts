/**
 * JSON values as the engine sees them.
 *
 * Numbers keep what Kubernetes keeps: a safe-integer `number` is an int64, an integer outside ±2^53 is a `bigint`,
 * a non-integral `number` is a double, and a double that happens to be integral (`1.0` in the text) is a `Float`.
 */
export type Json = null | boolean | JsonNumber | string | Json[] | JsonObject;
export type JsonNumber = number | bigint | Float;
export interface JsonObject {
  [key: string]: Json;
}

/** A double whose value is integral, so that it is not taken for an int64. Immutable. */
export class Float {
  constructor(readonly value: number) {}

  toJSON(): number {
    return this.value;
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

export function isNumber(value: Json | undefined): value is JsonNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

/** The nearest double; exact for everything but bigints. */
export function toDouble(value: JsonNumber): number {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : value.value;
}

/** True for int64 values: safe integers and bigints, not `Float`. */
export function isInteger(value: Json | undefined): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

/** Own-property read: prototype members are never data. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Follows own object keys; `undefined` as soon as one is missing or a level is no object. */
export function ownPath(value: Json | undefined, ...keys: string[]): Json | undefined {
  let current = value;
  for (const key of keys) {
    if (!isObject(current)) return undefined;
    current = own(current, key);
  }
  return current;
}

/** Sets an own property, also for names like `__proto__` that plain assignment would treat specially. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {value, writable: true, enumerable: true, configurable: true});
  } else {
    object[key] = value;
  }
}

/** Go's name of a JSON type as printed in the classic messages. */
export function goTypeName(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return '[]interface {}';
  if (isNumber(value)) return isInteger(value) ? 'int64' : 'float64';
  return 'map[string]interface {}';
}
