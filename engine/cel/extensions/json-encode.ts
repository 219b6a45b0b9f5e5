import {CelError} from '../errors.js';
import type {CelHost} from '../library/library.js';
import {
  compareText,
  isDouble,
  isInt,
  isMap,
  type MapValue,
  mapEntries,
  runtimeName,
  toJson,
  toNumber,
  typeOfValue,
} from '../values/index.js';
import {Duration, Optional, Timestamp, Uint, type Value} from '../values/value.js';

const maxDepth = 512;
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * JSON by protobuf's mapping, as cel-go writes it: keys in order, no blanks, `<`, `>`, `&` escaped, integers beyond 2^53
 * as text, bytes in base64. Charges the budget for what it makes.
 */
export function jsonEncode(host: CelHost, value: Value): string {
  const parts: string[] = [];
  const put = (text: string): void => {
    host.budget.bytes(text.length);
    parts.push(text);
  };
  write(value, put, 0);
  return parts.join('');
}

function write(value: Value, put: (text: string) => void, depth: number): void {
  if (depth > maxDepth) throw new CelError('value is nested too deeply');
  if (Array.isArray(value)) {
    put('[');
    for (let index = 0; index < value.length; index++) {
      if (index > 0) put(',');
      write(value[index]!, put, depth + 1);
    }
    put(']');
  } else if (isMap(value)) writeMap(value, put, depth);
  else if (value instanceof Optional && value.value !== undefined) write(value.value, put, depth + 1);
  else put(scalarText(value));
}

function writeMap(map: MapValue, put: (text: string) => void, depth: number): void {
  const entries: Array<readonly [string, Value]> = [];
  for (const [key, item] of mapEntries(map)) {
    if (typeof key !== 'string') throw unsupported(key);
    entries.push([key, item]);
  }
  entries.sort((a, b) => compareText(a[0], b[0]));
  put('{');
  for (const [index, [key, item]] of entries.entries()) {
    put(`${index > 0 ? ',' : ''}${stringText(key)}:`);
    write(item, put, depth + 1);
  }
  put('}');
}

function scalarText(value: Value): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (isInt(value)) return integerText(BigInt(value));
  if (value instanceof Uint) return integerText(value.value);
  if (isDouble(value)) {
    const number = toNumber(value);
    if (!Number.isFinite(number)) throw new CelError(`no JSON for the number ${number}`);
    return Object.is(number, -0) ? '-0' : String(number);
  }
  if (value instanceof Uint8Array || value instanceof Duration || value instanceof Timestamp) {
    return stringText(String(toJson(value)));
  }
  throw unsupported(value);
}

function integerText(value: bigint): string {
  return value > maxSafe || value < -maxSafe ? `"${value}"` : String(value);
}

function stringText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function unsupported(value: Value): CelError {
  return new CelError(`unsupported type conversion from '${runtimeName(typeOfValue(value))}' to JSON`);
}
