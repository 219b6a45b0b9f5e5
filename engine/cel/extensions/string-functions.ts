import {CelError} from '../errors.js';
import {codePoints, type IntValue, valueText} from '../values/index.js';
import type {Value} from '../values/value.js';
import {isPlain, offsetOf, positionOf} from './string-positions.js';

/** Functions of cel-go's strings library, version 2, on code points. */

export function charAt(text: string, index: IntValue): string {
  const offset = index < 0 ? -1 : offsetOf(text, Number(index));
  if (offset < 0) throw outOfRange(index);
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

export function indexOf(text: string, part: string, from: IntValue = 0): number {
  if (from < 0) throw outOfRange(from);
  if (part === '') return Math.min(Number(from), codePoints(text));
  const offset = offsetOf(text, Number(from));
  const found = offset < 0 ? -1 : text.indexOf(part, offset);
  return found < 0 ? -1 : positionOf(text, found);
}

export function lastIndexOf(text: string, part: string): number {
  if (part === '') return codePoints(text);
  const found = text.lastIndexOf(part);
  return found < 0 ? -1 : positionOf(text, found);
}

/** The last place that is not after `from`; a `from` beyond the text finds nothing. */
export function lastIndexOfBefore(text: string, part: string, from: IntValue): number {
  if (from < 0) throw outOfRange(from);
  if (part === '') return Math.min(Number(from), codePoints(text));
  const offset = offsetOf(text, Number(from));
  if (offset < 0 || offset >= text.length) return -1;
  const found = text.lastIndexOf(part, offset);
  return found < 0 ? -1 : positionOf(text, found);
}

export function substring(text: string, start: IntValue, end?: IntValue): string {
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const from = start < 0 ? -1 : offsetOf(text, Number(start));
  if (from < 0) throw outOfRange(start);
  if (end === undefined) return text.slice(from);
  const to = end < 0 ? -1 : offsetOf(text, Number(end));
  if (to < 0) throw outOfRange(end);
  return text.slice(from, to);
}

function outOfRange(index: IntValue): CelError {
  return new CelError(`index out of range: ${index}`);
}

export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, run => run.toLowerCase());
}

export function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, run => run.toUpperCase());
}

/** Replaces the first `count` places, all when it is negative; an empty `old` stands before each character and at the end. */
export function replace(text: string, old: string, by: string, count: IntValue = -1): string {
  const most = count < 0 ? Number.POSITIVE_INFINITY : Number(count);
  if (most === 0 || old === by) return text;
  if (old === '') return between(text, by, most);
  if (most === Number.POSITIVE_INFINITY) return text.replaceAll(old, () => by);
  const parts = splitText(text, old, most + 1);
  return parts.join(by);
}

function between(text: string, by: string, most: number): string {
  let result = '';
  let done = 0;
  let offset = 0;
  for (const char of text) {
    if (done === most) return result + text.slice(offset);
    result += by + char;
    done++;
    offset += char.length;
  }
  return done < most ? result + by : result;
}

/** Length of what `replace` makes, without making it. Exact where the bound is large. */
export function replacedLength(text: string, old: string, by: string, count: IntValue = -1): number {
  if (by.length <= old.length) return text.length;
  const most = count < 0 ? Number.POSITIVE_INFINITY : Number(count);
  const places = Math.min(most, old === '' ? text.length + 1 : text.length / old.length);
  const bound = text.length + places * (by.length - old.length);
  if (bound < 10_000 || old === '') return bound;
  let found = 0;
  for (let at = text.indexOf(old); at >= 0 && found < most; at = text.indexOf(old, at + old.length)) found++;
  return text.length + found * (by.length - old.length);
}

/** At most `count` parts, the last one with the rest; all when it is negative; an empty separator splits into characters. */
export function split(text: string, separator: string, count: IntValue = -1): string[] {
  return splitText(text, separator, count < 0 ? Number.POSITIVE_INFINITY : Number(count));
}

function splitText(text: string, separator: string, most: number): string[] {
  if (most === 0) return [];
  if (most === Number.POSITIVE_INFINITY) {
    if (separator !== '') return text.split(separator);
    return isPlain(text) ? text.split('') : [...text];
  }
  const parts: string[] = [];
  let from = 0;
  while (parts.length < most - 1) {
    const at = separator === '' ? nextCharacter(text, from) : text.indexOf(separator, from);
    if (at < 0) break;
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  if (separator !== '' || from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Offset behind the character at `from`; -1 when it is the last one or there is none. */
function nextCharacter(text: string, from: number): number {
  if (from >= text.length) return -1;
  const next = from + (text.codePointAt(from)! > 0xffff ? 2 : 1);
  return next < text.length ? next : -1;
}

/** Without Unicode's white space at both ends. */
export function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 9 && unit <= 13);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  return (
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

export function join(list: readonly Value[], separator?: string): string {
  // Lists of unknown elements come here too; the first one decides, as in cel-go.
  if (list.length > 0 && typeof list[0] !== 'string')
    throw new CelError(`no such overload: join(list${separator === undefined ? '' : ', string'})`);
  for (const item of list) {
    if (typeof item !== 'string') throw new CelError(`join: invalid input: ${valueText(item, 100)}`);
  }
  return list.join(separator ?? '');
}

export function joinedLength(list: readonly Value[], separator = ''): number {
  let length = separator.length * list.length;
  for (const item of list) if (typeof item === 'string') length += item.length;
  return length;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** In double quotes, with CEL's escapes. */
export function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bell is one of the escapes.
  return `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, char => escapes.get(char) ?? char)}"`;
}
