import type {Json} from '../../json/types.js';
import {CelError} from '../errors.js';
import {compareText, isDouble, isInt, isMap, type MapValue, mapEntries, toJson, toNumber} from '../values/index.js';
import {Optional, Uint, type Value} from '../values/value.js';
import {typeName} from './arguments.js';

/**
 * A value as the JSON text that Go writes: keys in order, no blanks, `<`, `>` and `&` as `\u003c` and the like. What it makes
 * is to be charged before.
 */
export function goJson(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(item => goJson(item as Value)).join(',')}]`;
  if (isMap(value)) return mapText(value);
  if (value instanceof Optional && value.value !== undefined) return goJson(value.value);
  return scalarText(value);
}

function mapText(map: MapValue): string {
  const members: Array<readonly [string, Value]> = [];
  for (const [key, item] of mapEntries(map)) {
    if (typeof key !== 'string') throw new CelError(`json: unsupported map key type ${typeName(key)}`);
    members.push([key, item]);
  }
  members.sort(([a], [b]) => compareText(a, b));
  return `{${members.map(([key, item]) => `${stringText(key)}:${goJson(item)}`).join(',')}}`;
}

function scalarText(value: Value): string {
  if (typeof value === 'string') return stringText(value);
  if (isInt(value)) return String(value);
  if (value instanceof Uint) return String(value.value);
  if (isDouble(value)) {
    const number = toNumber(value);
    if (!Number.isFinite(number)) throw new CelError(`json: unsupported value: ${number}`);
    return Object.is(number, -0) ? '-0' : String(number);
  }
  const json: Json = toJson(value);
  return typeof json === 'string' ? stringText(json) : JSON.stringify(json);
}

const escaped = /[<>&\u2028\u2029]/g;

function stringText(text: string): string {
  return JSON.stringify(text).replace(escaped, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
