import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {fn, global, method} from '../library/declare.js';
import type {FunctionDeclaration} from '../library/library.js';
import {boolType, intType, listOf, mapOf, optionalOf, param} from '../types/type.js';
import {isMap, type MapValue, mapGet, mapSize} from '../values/index.js';
import {Duration, Optional, Timestamp, Uint, type Value} from '../values/value.js';
import {findIndex} from './index-access.js';

const V = param('V');
const K = param('K');
const optV = optionalOf(V);
const listV = listOf(V);
const mapKV = mapOf(K, V);

export const optionalFrom = (value: Value | undefined): Optional =>
  value === undefined ? Optional.none : new Optional(value);

/** Null, false, 0, empty: what `optional.ofNonZeroValue` takes for nothing. */
export function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (value instanceof Float) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.nanos === zeroTime;
  if (value instanceof Optional) return value.value === undefined;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return isMap(value) && mapSize(value) === 0;
}

/** 0001-01-01T00:00:00Z, Go's zero time. */
const zeroTime = -62_135_596_800_000_000_000n;

function valueOf(optional: Optional): Value {
  if (optional.value === undefined) throw new CelError('optional.none() dereference');
  return optional.value;
}

const inside = (optional: Optional, key: Value): Optional =>
  optional.value === undefined ? Optional.none : optionalFrom(findIndex(optional.value, key));

const present = (list: readonly Optional[]): readonly Value[] =>
  list.flatMap(item => {
    if (!(item instanceof Optional)) throw new CelError('no such overload: optional.unwrap(list)');
    return item.value === undefined ? [] : [item.value];
  });

const length = (list: readonly unknown[]): number => list.length;

export const optionals: readonly FunctionDeclaration[] = [
  fn(
    'optional.of',
    global('optional_of', [[V], optV], (value: Value) => new Optional(value)),
  ),
  fn(
    'optional.ofNonZeroValue',
    global('optional_ofNonZeroValue', [[V], optV], (value: Value) =>
      isZero(value) ? Optional.none : new Optional(value),
    ),
  ),
  fn(
    'optional.none',
    global('optional_none', [[], optV], () => Optional.none),
  ),
  fn('optional.unwrap', global('optional_unwrap', [[listOf(optV)], listV], present, length)),
  fn('unwrapOpt', method('optional_unwrapOpt', [[listOf(optV)], listV], present, length)),
  fn('value', method('optional_value', [[optV], V], valueOf)),
  fn(
    'hasValue',
    method('optional_hasValue', [[optV], boolType], (optional: Optional) => optional.value !== undefined),
  ),
  // Compiled where they are called so that the alternative is evaluated only when it is needed.
  fn(
    'or',
    method('optional_or_optional', [[optV, optV], optV], (a: Optional, b: Optional) => (a.value === undefined ? b : a)),
  ),
  fn(
    'orValue',
    method('optional_orValue_value', [[optV, V], V], (a: Optional, b: Value) => (a.value === undefined ? b : a.value)),
  ),
  fn(
    '_[?_]',
    global('list_optindex_optional_int', [[listV, intType], optV], (list: readonly Value[], index: Value) =>
      optionalFrom(findIndex(list, index)),
    ),
    global('optional_list_optindex_optional_int', [[optionalOf(listV), intType], optV], inside),
    global('map_optindex_optional_value', [[mapKV, K], optV], (map: MapValue, key: Value) =>
      optionalFrom(mapGet(map, key)),
    ),
    global('optional_map_optindex_optional_value', [[optionalOf(mapKV), K], optV], inside),
  ),
  fn(
    '_[_]',
    global('optional_list_index_int', [[optionalOf(listV), intType], optV], inside),
    global('optional_map_index_value', [[optionalOf(mapKV), K], optV], inside),
  ),
  fn(
    'first',
    method('list_first', [[listV], optV], (list: readonly Value[]) => optionalFrom(list[0])),
  ),
  fn(
    'last',
    method('list_last', [[listV], optV], (list: readonly Value[]) => optionalFrom(list[list.length - 1])),
  ),
];
