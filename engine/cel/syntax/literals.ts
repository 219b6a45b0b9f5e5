import {Float} from '../../json/types.js';
import {Uint} from '../values/value.js';

/** Values of literals as they are written. `undefined`: out of the type's range, or no such code point. */

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

export function intValue(text: string, negative: boolean): number | bigint | undefined {
  // Number() reads digits exactly up to 2^53, and 16 hexadecimal or decimal digits are never beyond what bigints take over.
  const near = Number(text);
  if (Number.isSafeInteger(near)) return negative && near !== 0 ? -near : near;
  const exact = negative ? -BigInt(text) : BigInt(text);
  return exact > int64Max || exact < int64Min ? undefined : exact;
}

/** Without the `u` at the end. */
export function uintValue(text: string): Uint | undefined {
  const value = BigInt(text);
  return value > uint64Max ? undefined : new Uint(value);
}

export function doubleValue(text: string, negative: boolean): number | Float | undefined {
  const value = negative ? -Number(text) : Number(text);
  if (!Number.isFinite(value)) return undefined;
  return Number.isInteger(value) ? new Float(value) : value;
}

/** A string literal with prefix and quotes. */
export function stringValue(text: string): string | undefined {
  const {body, raw} = unquote(text);
  if (raw || !body.includes('\\')) return body;
  let result = '';
  let from = 0;
  for (let at = body.indexOf('\\'); at !== -1; at = body.indexOf('\\', from)) {
    const escape = readEscape(body, at);
    if (escape.code > 0x10ffff || (escape.code >= 0xd800 && escape.code < 0xe000)) return undefined;
    result += body.slice(from, at) + String.fromCodePoint(escape.code);
    from = escape.end;
  }
  return result + body.slice(from);
}

/** A bytes literal with prefixes and quotes: characters as UTF-8, `\x` and octal escapes as single bytes. */
export function bytesValue(text: string): Uint8Array | undefined {
  const {body, raw} = unquote(text.slice(1));
  const encoder = new TextEncoder();
  if (raw || !body.includes('\\')) return encoder.encode(body);
  const bytes: number[] = [];
  const append = (part: string): void => {
    for (const byte of encoder.encode(part)) bytes.push(byte);
  };
  let from = 0;
  for (let at = body.indexOf('\\'); at !== -1; at = body.indexOf('\\', from)) {
    append(body.slice(from, at));
    const escape = readEscape(body, at);
    if (escape.unicode) return undefined;
    bytes.push(escape.code);
    from = escape.end;
  }
  append(body.slice(from));
  return Uint8Array.from(bytes);
}

function unquote(text: string): {body: string; raw: boolean} {
  const raw = text[0] === 'r' || text[0] === 'R';
  const open = raw ? 1 : 0;
  const quote = text[open]!;
  const width = text.length >= open + 6 && text.startsWith(quote.repeat(3), open) ? 3 : 1;
  const body = text.slice(open + width, text.length - width);
  // Line ends of long strings are read alike whatever wrote the file.
  return {body: body.includes('\r') ? body.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : body, raw};
}

const simple: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

/** The lexer has seen to it that escapes are complete. */
function readEscape(body: string, at: number): {code: number; end: number; unicode: boolean} {
  const kind = body[at + 1]!;
  const number = (from: number, digits: number, base: number, unicode: boolean) => ({
    code: Number.parseInt(body.slice(from, from + digits), base),
    end: from + digits,
    unicode,
  });
  if (kind >= '0' && kind <= '3') return number(at + 1, 3, 8, false);
  if (kind === 'x' || kind === 'X') return number(at + 2, 2, 16, false);
  if (kind === 'u') return number(at + 2, 4, 16, true);
  if (kind === 'U') return number(at + 2, 8, 16, true);
  return {code: simple.get(kind) ?? kind.charCodeAt(0), end: at + 2, unicode: false};
}
