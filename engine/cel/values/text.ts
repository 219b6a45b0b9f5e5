import {Float} from '../../json/types.js';
import {isMap, mapEntries} from './maps.js';
import {toNumber} from './numbers.js';
import {durationText, timestampText} from './time.js';
import {runtimeName} from './type-of.js';
import {Duration, ObjectValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value} from './value.js';

/** Number of code points. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      index++;
    }
  }
  return count;
}

/** A double as Go's `%g` prints it: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 6) {
    const size = Math.abs(exponent).toString().padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return String(value);
}

const maxDepth = 64;

/** Any value in CEL's own notation, for people: `"a"`, `[1, 2u, 3.0]`, `{"k": null}`, `duration("5s")`. */
export function valueText(value: Value, limit = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let room = limit;
  const put = (text: string): void => {
    parts.push(text.length > room ? `${text.slice(0, Math.max(0, room))}…` : text);
    room -= text.length;
  };
  const write = (node: Value, depth: number): void => {
    if (room <= 0) return;
    if (depth > maxDepth) put('…');
    else if (Array.isArray(node)) {
      put('[');
      for (const [index, element] of node.entries()) {
        if (index > 0) put(', ');
        write(element, depth + 1);
        if (room <= 0) return;
      }
      put(']');
    } else if (isMap(node)) {
      put('{');
      let first = true;
      for (const [key, element] of mapEntries(node)) {
        if (!first) put(', ');
        first = false;
        write(key, depth + 1);
        put(': ');
        write(element, depth + 1);
        if (room <= 0) return;
      }
      put('}');
    } else if (node instanceof Optional) {
      if (node.value === undefined) put('optional.none()');
      else {
        put('optional.of(');
        write(node.value, depth + 1);
        put(')');
      }
    } else put(scalarText(node, room));
  };
  write(value, 0);
  return parts.join('');
}

function scalarText(value: Value, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > room ? `${value.slice(0, room)}…` : value);
  if (value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))) {
    const text = doubleText(toNumber(value));
    return /^-?\d+$/.test(text) ? `${text}.0` : text;
  }
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return bytesText(value, room);
  if (value instanceof Duration) return `duration("${durationText(value)}")`;
  if (value instanceof Timestamp) return `timestamp("${timestampText(value)}")`;
  if (value instanceof TypeValue) return runtimeName(value.type);
  if (value instanceof ObjectValue || value instanceof OpaqueValue) {
    return value.text === undefined ? `${value.typeName}{…}` : `${value.typeName}(${JSON.stringify(value.text())})`;
  }
  return String(value);
}

function bytesText(bytes: Uint8Array, room: number): string {
  let text = '';
  for (const byte of bytes) {
    text +=
      byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, '0')}`;
    if (text.length > room) break;
  }
  return `b"${text}"`;
}

/** A key as messages print it: `no such key: a`. */
export function keyText(key: Value): string {
  return typeof key === 'string'
    ? key
    : key instanceof Uint
      ? String(key.value)
      : key instanceof Float
        ? doubleText(key.value)
        : valueText(key, 200);
}
