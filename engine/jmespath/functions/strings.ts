import {EvalError} from '../../diagnostic.js';
import {globMatch} from '../../values/glob.js';
import type {FunctionEnv} from '../types.js';
import {compareText, plainText, shown} from '../values.js';
import {chargeList, chargeScan, chargeText} from './charge.js';
import {define, type FunctionDefinition} from './define.js';
import {truncated} from './numbers.js';

/** Maps each code point alone, as Go does: no `ß` → `SS`, no final sigma. */
function mapCase(text: string, convert: (char: string) => string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range
  if (/^[\x00-\x7f]*$/.test(text)) return convert(text);
  let result = '';
  for (const char of text) {
    const converted = convert(char);
    result += isOneCharacter(converted) ? converted : char;
  }
  return result;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}

const upper = (text: string) => text.toUpperCase();
const lower = (text: string) => text.toLowerCase();

/** One representative for all cases of a code point; the dotless i has none but itself. */
function foldCase(char: string): string {
  return char === 'ı' ? char : mapCase(mapCase(char, upper), lower);
}

function equalFold(a: string, b: string): boolean {
  if (a === b) return true;
  const left = Array.from(a);
  const right = Array.from(b);
  return left.length === right.length && left.every((char, i) => foldCase(char) === foldCase(right[i]!));
}

/** Replaces the first `limit` occurrences; an empty `old` stands before each code point and at the end. */
function replaceFirst(args: {text: string; old: string; replacement: string; limit: number}, env: FunctionEnv): string {
  const {text, old, replacement, limit} = args;
  chargeScan(env, text.length);
  if (limit === 0 || old === replacement) return text;
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  if (old === '') return insertBetween(text, replacement, most, env);
  const cuts: number[] = [];
  for (let at = text.indexOf(old); at >= 0 && cuts.length < most; at = text.indexOf(old, at + old.length)) {
    env.budget.step();
    cuts.push(at);
  }
  if (cuts.length === 0) return text;
  chargeText(env, text.length + cuts.length * (replacement.length - old.length));
  const parts: string[] = [];
  let from = 0;
  for (const cut of cuts) {
    parts.push(text.slice(from, cut));
    from = cut + old.length;
  }
  parts.push(text.slice(from));
  return parts.join(replacement);
}

function insertBetween(text: string, replacement: string, most: number, env: FunctionEnv): string {
  const chars = Array.from(text);
  const count = Math.min(most, chars.length + 1);
  env.budget.step(chars.length);
  chargeText(env, text.length + count * replacement.length);
  const parts = chars.map((char, index) => (index < count ? replacement : '') + char);
  return parts.join('') + (chars.length < count ? replacement : '');
}

function split(text: string, separator: string, env: FunctionEnv): string[] {
  chargeText(env, text.length);
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  chargeList(env, parts.length);
  return parts;
}

function trim(text: string, cutset: string, env: FunctionEnv): string {
  chargeScan(env, text.length + cutset.length);
  const cut = new Set(cutset);
  const chars = Array.from(text);
  let start = 0;
  let end = chars.length;
  while (start < end && cut.has(chars[start]!)) start++;
  while (end > start && cut.has(chars[end - 1]!)) end--;
  return chars.slice(start, end).join('');
}

function truncate(text: string, length: number): string {
  if (length < 1) return '';
  if (text.length <= length) return text;
  let end = 0;
  for (let count = 0; count < length && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Go's `filepath.Join` of one element: `.`, `..` and repeated slashes resolved; empty stays empty. */
function cleanPath(path: string): string {
  if (path === '') return '';
  const rooted = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!rooted) kept.push(part);
  }
  const joined = kept.join('/');
  if (rooted) return `/${joined}`;
  return joined === '' ? '.' : joined;
}

function toBoolean(text: string): boolean {
  const word = lower(text);
  if (word === 'true') return true;
  if (word === 'false') return false;
  throw new EvalError(`lowercase argument must be 'true' or 'false' (provided: '${shown(text)}')`);
}

function countOf(value: number | undefined, position: number): number {
  if (value === undefined) throw new EvalError(`argument #${position} is not of type int`);
  return value;
}

export const stringFunctions: readonly FunctionDefinition[] = [
  define('compare', ['string', 'string'], ([a, b]) => compareText(a, b)),
  define('equal_fold', ['string', 'string'], ([a, b], env) => {
    chargeScan(env, (a.length + b.length) * 8);
    return equalFold(a, b);
  }),
  define('replace', ['string', 'string', 'string', 'number'], ([text, old, replacement, limit], env) => {
    const count = countOf(truncated(limit), 4);
    return replaceFirst({text, old, replacement, limit: count}, env);
  }),
  define('replace_all', ['string', 'string', 'string'], ([text, old, replacement], env) =>
    replaceFirst({text, old, replacement, limit: -1}, env),
  ),
  define('to_upper', ['string'], ([text], env) => {
    chargeText(env, text.length);
    return mapCase(text, upper);
  }),
  define('to_lower', ['string'], ([text], env) => {
    chargeText(env, text.length);
    return mapCase(text, lower);
  }),
  define('trim', ['string', 'string'], ([text, cutset], env) => trim(text, cutset, env)),
  define('trim_prefix', ['string', 'string'], ([text, prefix]) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  define('split', ['string', 'string'], ([text, separator], env) => split(text, separator, env)),
  define('truncate', ['string', 'number'], ([text, length], env) => {
    chargeScan(env, text.length);
    return truncate(text, countOf(truncated(length), 2));
  }),
  define('to_boolean', ['string'], ([text]) => toBoolean(text)),
  define('pattern_match', ['string', 'string|number'], ([pattern, text], env) =>
    globMatch(pattern, plainText(text), env.budget),
  ),
  define('path_canonicalize', ['string'], ([path], env) => {
    chargeScan(env, path.length);
    return cleanPath(path);
  }),
];
