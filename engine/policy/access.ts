import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';

/** Typed own-property reads of data whose form was checked or does not matter: another type counts as absent. */
export function text(object: JsonObject | undefined, key: string): string | undefined {
  const value = object && own(object, key);
  return typeof value === 'string' ? value : undefined;
}

export function flag(object: JsonObject | undefined, key: string): boolean | undefined {
  const value = object && own(object, key);
  return typeof value === 'boolean' ? value : undefined;
}

export function integer(object: JsonObject | undefined, key: string): number | undefined {
  const value = object && own(object, key);
  return typeof value === 'number' ? value : undefined;
}

export function child(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object && own(object, key);
  return isObject(value) ? value : undefined;
}

export function list(object: JsonObject | undefined, key: string): readonly Json[] {
  const value = object && own(object, key);
  return Array.isArray(value) ? value : [];
}

export function objects(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  return list(object, key).filter(isObject);
}

export function strings(object: JsonObject | undefined, key: string): readonly string[] {
  return list(object, key).filter((item): item is string => typeof item === 'string');
}

export function stringMap(object: JsonObject | undefined, key: string): Readonly<Record<string, string>> | undefined {
  const map = child(object, key);
  if (!map) return undefined;
  const out: Record<string, string> = {};
  for (const name of Object.keys(map)) {
    const value = own(map, name);
    if (typeof value === 'string') setOwn(out, name, value);
  }
  return out;
}

/** Present and not null. */
export function has(object: JsonObject | undefined, key: string): boolean {
  const value = object && own(object, key);
  return value !== undefined && value !== null;
}

export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const out = {...object};
  for (const key of keys) delete out[key];
  return out;
}

/** Deep equality of JSON; key order does not matter, numbers compare by value. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (isObject(a)) {
    if (!isObject(b)) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every(key => Object.hasOwn(b, key) && sameJson(own(a, key), own(b, key)))
    );
  }
  return (
    typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    String(a.valueOf()) === String(b.valueOf()) &&
    JSON.stringify(a) === JSON.stringify(b)
  );
}

/** How deep lists and objects nest, up to `limit` + 1; walks without recursion, so that no input exhausts the stack. */
export function exceedsDepth(value: Json, limit: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: Json[] = [];
    for (const item of level) {
      if (Array.isArray(item)) for (const entry of item) next.push(entry);
      else if (isObject(item)) for (const key of Object.keys(item)) next.push(own(item, key)!);
    }
    level = next.filter(item => typeof item === 'object' && item !== null);
  }
  return false;
}
