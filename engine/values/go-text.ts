import type {Json, JsonObject} from '../json/types.js';
import {isNumber, isObject} from '../json/types.js';
import {numberText} from './number-text.js';

const maxDepth = 64;

/**
 * Any value as one text, in the form of Go's `%v`: `<nil>`, `true`, `a`, `[a b]`, `map[k:v]` with sorted keys. Numbers in
 * plain decimal. Ends with `…` after about `limit` characters or 64 levels, for messages about hostile objects.
 */
export function goText(value: Json | undefined, limit = Number.POSITIVE_INFINITY): string {
  if (typeof value === 'string') return value.length > limit ? `${value.slice(0, limit)}…` : value;
  const parts: string[] = [];
  let room = limit;
  const put = (text: string): void => {
    room -= text.length;
    parts.push(text);
  };
  const write = (node: Json | undefined, depth: number): void => {
    if (room <= 0 || depth > maxDepth) put('…');
    else if (Array.isArray(node)) writeList(node, depth);
    else if (isObject(node)) writeMap(node, depth);
    else put(scalarText(node, room));
  };
  const writeList = (list: readonly Json[], depth: number): void => {
    put('[');
    for (const [index, element] of list.entries()) {
      if (index > 0) put(' ');
      write(element, depth + 1);
      if (room <= 0) break;
    }
    put(']');
  };
  const writeMap = (map: JsonObject, depth: number): void => {
    put('map[');
    for (const [index, key] of Object.keys(map).sort().entries()) {
      put(index > 0 ? ` ${key}:` : `${key}:`);
      write(map[key], depth + 1);
      if (room <= 0) break;
    }
    put(']');
  };
  write(value, 0);
  return parts.join('');
}

function scalarText(value: Json | undefined, room: number): string {
  if (typeof value === 'string') return value.length > room ? `${value.slice(0, room)}…` : value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return isNumber(value) ? numberText(value) : '<nil>';
}
