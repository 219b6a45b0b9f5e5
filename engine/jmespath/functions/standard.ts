import {integerFrom} from '../../json/number.js';
import {isInteger, isNumber, type Json, type JsonNumber, type JsonObject, setOwn, toDouble} from '../../json/types.js';
import {QueryError} from '../errors.js';
import type {FunctionEnv} from '../types.js';
import {compareNumbers, compareText, equalValues, shown, sortedKeys, textOf} from '../values.js';
import {chargeList, chargeScan, chargeText} from './charge.js';
import {define, defineVariadic, type FunctionDefinition, type Reference} from './define.js';
import {numberFrom, numberFromText} from './numbers.js';

const abs = (value: JsonNumber): JsonNumber => {
  if (typeof value === 'bigint') return integerFrom(value < 0n ? -value : value);
  return numberFrom(Math.abs(toDouble(value)));
};
const rounded = (value: JsonNumber, round: (value: number) => number): JsonNumber =>
  isInteger(value) ? value : numberFrom(round(toDouble(value)));

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function compareScalars(a: string | JsonNumber, b: string | JsonNumber): number {
  if (typeof a === 'string') return typeof b === 'string' ? compareText(a, b) : 1;
  return typeof b === 'string' ? -1 : compareNumbers(a, b);
}

/** The element that `wins` over all others; the first of equals. */
function best(list: readonly (string | JsonNumber)[], wins: (order: number) => boolean): Json {
  let result = list[0];
  if (result === undefined) return null;
  for (const value of list) if (wins(compareScalars(value, result))) result = value;
  return result;
}

interface Keyed {
  readonly item: Json;
  readonly key: string | JsonNumber;
}

/** Each element with its key; all keys are numbers or all are strings. */
function keyed(list: readonly Json[], reference: Reference, env: FunctionEnv): Keyed[] {
  chargeList(env, list.length);
  let wanted: 'string' | 'number' | undefined;
  return list.map(item => {
    const key = reference(item);
    if (typeof key !== 'string' && !isNumber(key)) {
      throw new QueryError(`invalid type, must be number or string: ${shown(key)}`);
    }
    const type = typeof key === 'string' ? 'string' : 'number';
    wanted ??= type;
    if (type !== wanted) throw new QueryError(`invalid type, all keys must be ${wanted}s: ${shown(key)}`);
    return {item, key};
  });
}

function bestBy(list: readonly Keyed[], wins: (order: number) => boolean): Json {
  let result = list[0];
  if (result === undefined) return null;
  for (const entry of list) if (wins(compareScalars(entry.key, result.key))) result = entry;
  return result.item;
}

/** `n log n` steps for a sort of `n`. */
function chargeSort(env: FunctionEnv, length: number): void {
  chargeList(env, length);
  env.budget.step(Math.ceil(length * Math.log2(length + 1)));
}

function sumOf(list: readonly JsonNumber[]): number {
  return list.reduce<number>((sum, value) => sum + toDouble(value), 0);
}

function merge(maps: readonly JsonObject[], env: FunctionEnv): JsonObject {
  const result: JsonObject = {};
  for (const map of maps) {
    const keys = Object.keys(map);
    chargeList(env, keys.length);
    for (const key of keys) setOwn(result, key, map[key]!);
  }
  return result;
}

function reverse(value: string | Json[], env: FunctionEnv): Json {
  if (typeof value !== 'string') {
    chargeList(env, value.length);
    return value.slice().reverse();
  }
  chargeText(env, value.length);
  return Array.from(value).reverse().join('');
}

function lengthOf(value: string | Json[] | JsonObject, env: FunctionEnv): number {
  if (typeof value !== 'string') return Array.isArray(value) ? value.length : Object.keys(value).length;
  chargeScan(env, value.length);
  let length = 0;
  for (const _ of value) length++;
  return length;
}

/** The functions of standard JMESPath; `sum` is the language's own. */
export const standardFunctions: readonly FunctionDefinition[] = [
  define('abs', ['number'], ([value]) => abs(value)),
  define('avg', ['array[number]'], ([list]) => (list.length === 0 ? null : numberFrom(sumOf(list) / list.length))),
  define('ceil', ['number'], ([value]) => rounded(value, Math.ceil)),
  define('contains', ['string|array', 'any'], ([search, element], env) => {
    if (typeof search !== 'string') return search.some(item => equalCounted(item, element, env));
    chargeScan(env, search.length);
    return typeof element === 'string' && search.includes(element);
  }),
  define('ends_with', ['string', 'string'], ([text, suffix]) => text.endsWith(suffix)),
  define('floor', ['number'], ([value]) => rounded(value, Math.floor)),
  define('join', ['string', 'array[string]'], ([glue, parts], env) => {
    const own = parts.reduce((size, part) => size + part.length, 0);
    chargeText(env, own + glue.length * Math.max(0, parts.length - 1));
    return parts.join(glue);
  }),
  define('keys', ['object'], ([object], env) => {
    const keys = sortedKeys(object);
    chargeList(env, keys.length);
    return keys;
  }),
  define('length', ['string|array|object'], ([value], env) => lengthOf(value, env)),
  define('map', ['expref', 'array'], ([reference, list], env) => {
    chargeList(env, list.length);
    return list.map(reference);
  }),
  define('max', ['array[number]|array[string]'], ([list]) => best(list, order => order > 0)),
  define('max_by', ['array', 'expref'], ([list, key], env) => bestBy(keyed(list, key, env), order => order > 0)),
  defineVariadic('merge', 'object', merge),
  define('min', ['array[number]|array[string]'], ([list]) => best(list, order => order < 0)),
  define('min_by', ['array', 'expref'], ([list, key], env) => bestBy(keyed(list, key, env), order => order < 0)),
  defineVariadic('not_null', 'any', values => values.find(value => value !== null) ?? null),
  define('reverse', ['string|array'], ([value], env) => reverse(value, env)),
  define('sort', ['array[number]|array[string]'], ([list], env) => {
    chargeSort(env, list.length);
    return [...list].sort(compareScalars);
  }),
  define('sort_by', ['array', 'expref'], ([list, key], env) => {
    chargeSort(env, list.length);
    return keyed(list, key, env)
      .sort((a, b) => compareScalars(a.key, b.key))
      .map(entry => entry.item);
  }),
  define('starts_with', ['string', 'string'], ([text, prefix]) => text.startsWith(prefix)),
  define('to_array', ['any'], ([value]) => (Array.isArray(value) ? value : [value])),
  define('to_number', ['any'], ([value]) => {
    if (isNumber(value)) return value;
    return typeof value === 'string' ? (numberFromText(value) ?? null) : null;
  }),
  define('to_string', ['any'], ([value], env) => {
    if (typeof value === 'string') return value;
    const text = textOf(value);
    chargeText(env, text.length);
    return text;
  }),
  define('type', ['any'], ([value]) => typeName(value)),
  define('values', ['object'], ([object], env) => {
    const keys = sortedKeys(object);
    chargeList(env, keys.length);
    return keys.map(key => object[key]!);
  }),
];

function equalCounted(a: Json, b: Json, env: FunctionEnv): boolean {
  env.budget.step();
  return equalValues(a, b, env.budget);
}
