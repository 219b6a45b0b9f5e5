import {stringifyJson} from '../../engine/json/stringify.js';
import {isObject, type Json} from '../../engine/json/types.js';

/** JSON with two spaces per level. */
export function prettyJson(value: Json, indent = ''): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map(item => inner + prettyJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (!isObject(value)) return stringifyJson(value);
  const keys = Object.keys(value);
  if (keys.length === 0) return '{}';
  return `{\n${keys.map(key => `${inner}${JSON.stringify(key)}: ${prettyJson(value[key]!, inner)}`).join(',\n')}\n${indent}}`;
}
