import type {Budget} from '../budget.js';
import {numbersEqual} from '../json/equal.js';
import {stringifyJson} from '../json/stringify.js';
import {Float, isNumber, isObject, type Json, type JsonNumber} from '../json/types.js';
import {numberText} from '../values/number-text.js';
import {QueryError} from './errors.js';

/** False, null, and empty strings, lists and maps; zero is true. */
export function isFalsy(value: Json): boolean {
  if (value === null || value === false || value === '') return true;
  if (typeof value !== 'object' || value instanceof Float) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** Structural equality, numbers by value; one step per node. */
export function equalValues(a: Json, b: Json, budget: Budget): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (isNumber(a)) return isNumber(b) && numbersEqual(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || b instanceof Float) return false;
  budget.step();
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalValues(item, b[index]!, budget));
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(key => Object.hasOwn(b, key) && equalValues(a[key]!, b[key]!, budget));
}

/** Negative, zero or positive; exact for every mix of integers and doubles. */
export function compareNumbers(a: JsonNumber, b: JsonNumber): number {
  const left = a instanceof Float ? a.value : a;
  const right = b instanceof Float ? b.value : b;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Order by code point, as bytes of UTF-8 have it. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return aboveSurrogates(left) < aboveSurrogates(right) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Moves surrogates, which stand for code points above the plane, above all other units. */
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** The keys of a map in ascending order: the one order that does not depend on who wrote the map. */
export function sortedKeys(object: {readonly [key: string]: Json}): string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) {
    if (compareText(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareText);
  }
  return keys;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);

/** Text of any value: strings as they are, the rest as compact JSON with sorted keys and HTML characters escaped. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (isNumber(value)) return stringifyJson(value);
  try {
    return stringifyJson(value, {sortKeys: true}).replace(/[<>&\u2028\u2029]/g, char => escapes.get(char) ?? char);
  } catch (error) {
    if (error instanceof RangeError) throw new QueryError(error.message);
    throw error;
  }
}

/** Text of a string or number argument: numbers in plain decimals. */
export function plainText(value: string | JsonNumber): string {
  return typeof value === 'string' ? value : numberText(value);
}

/** How a value appears in messages; long ones are cut. */
export function shown(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isObject(value) || Array.isArray(value)) {
    const size = Array.isArray(value) ? value.length : Object.keys(value).length;
    if (size > 20) return Array.isArray(value) ? `a list of ${size} items` : `a map of ${size} keys`;
  }
  const text = textOf(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
