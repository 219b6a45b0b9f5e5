import {Buffer} from 'node:buffer';
import {Float, type Json, type JsonObject, setOwn} from '../../json/types.js';
import {CelError} from '../errors.js';
import {isMap, type MapValue, mapEntries} from './maps.js';
import {intOf, isInt} from './numbers.js';
import {durationText, timestampText} from './time.js';
import {runtimeName, typeOfValue} from './type-of.js';
import {Duration, ObjectValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value} from './value.js';

const maxDepth = 512;

/**
 * A value as JSON: bytes in base64, durations and timestamps as text, uints as integers, a present optional as its
 * value. Plain JSON comes back as it is, without copies where nothing in it has to change. Throws CelError for what JSON
 * cannot hold.
 */
export function toJson(value: Value, depth = 0): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || isInt(value)) return value as Json;
  if (depth > maxDepth) throw new CelError('value is nested too deeply');
  if (typeof value === 'number') return finite(value);
  if (Array.isArray(value)) return listJson(value, depth);
  if (isMap(value)) return mapJson(value, depth);
  if (value instanceof Float) return value;
  if (value instanceof Uint) return value.value > 2n ** 63n - 1n ? value.value : intOf(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return runtimeName(value.type);
  if (value instanceof Optional) {
    if (value.value === undefined) throw new CelError('optional.none() dereference');
    return toJson(value.value, depth + 1);
  }
  if (value instanceof ObjectValue || value instanceof OpaqueValue) {
    if (value.toJson) return value.toJson();
    throw new CelError(`no JSON for a value of type ${value.typeName}`);
  }
  throw new CelError(`no JSON for a value of type ${runtimeName(typeOfValue(value))}`);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new CelError(`no JSON for the number ${value}`);
  return value;
}

function listJson(list: readonly Value[], depth: number): Json {
  let copy: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index]!;
    const json = toJson(item, depth + 1);
    if (json !== item) copy ??= list.slice(0, index) as Json[];
    copy?.push(json);
  }
  return copy ?? (list as Json);
}

function mapJson(map: MapValue, depth: number): Json {
  const copy: JsonObject = {};
  let changed = map instanceof Map;
  for (const [key, item] of mapEntries(map)) {
    if (typeof key !== 'string') {
      throw new CelError(`no JSON for a map with a key of type ${runtimeName(typeOfValue(key))}`);
    }
    const json = toJson(item, depth + 1);
    changed ||= json !== item;
    setOwn(copy, key, json);
  }
  return changed ? copy : (map as JsonObject);
}
