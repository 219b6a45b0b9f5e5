import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';

const told = /^\s*(?:.*: )?(\.\S.*): field not declared in schema$/;

/**
 * The object without the fields that the API server says (in the message of a refused server-side apply) its schema does
 * not have: on creation it drops them silently, and policies written for that name some. `undefined` when it says none that
 * the object has.
 */
export function withoutUndeclared(object: JsonObject, message: string): JsonObject | undefined {
  let result: JsonObject | undefined;
  for (const line of message.split('\n')) {
    const path = told.exec(line)?.[1];
    if (path !== undefined) result = (without(result ?? object, path) as JsonObject | undefined) ?? result;
  }
  return result;
}

/** `undefined` when nothing is there. Paths are like `.spec.containers[name="a"].field`; names may hold dots. */
function without(value: Json, path: string): Json | undefined {
  if (isObject(value) && path.startsWith('.')) {
    for (const key of Object.keys(value)) {
      const rest = path.slice(1 + key.length);
      if (!path.startsWith(`.${key}`) || !(rest === '' || rest.startsWith('.') || rest.startsWith('['))) continue;
      if (rest === '') return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      const inner = without(own(value, key)!, rest);
      if (inner !== undefined) return {...value, [key]: inner};
    }
    return undefined;
  }
  const end = path.indexOf(']');
  if (!Array.isArray(value) || !path.startsWith('[') || end === -1) return undefined;
  const index = value.findIndex((item, position) => isMeant(item, path.slice(1, end), position));
  const inner = index === -1 ? undefined : without(value[index]!, path.slice(end + 1));
  return inner === undefined ? undefined : value.with(index, inner);
}

/** `0`, or `name="a",protocol="TCP"`. */
function isMeant(item: Json, selector: string, position: number): boolean {
  if (/^\d+$/.test(selector)) return Number(selector) === position;
  return (
    isObject(item) &&
    [...selector.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)].every(([, key = '', text = '']) => String(own(item, key)) === text.replace(/^"(.*)"$/, '$1'))
  );
}
