import {CelError} from '../errors.js';
import {fn, method} from '../library/declare.js';
import type {Library, Overload} from '../library/library.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  param,
  stringType,
  type Type,
  timestampType,
  uintType,
} from '../types/type.js';
import {
  compare,
  doubleOf,
  durationOf,
  equals,
  intOf,
  isDouble,
  isInt,
  toBigInt,
  toNumber,
  typeOfValue,
  uintOf,
} from '../values/index.js';
import {Duration, Uint, type Value} from '../values/value.js';

type List = readonly Value[];

const summable: ReadonlyArray<readonly [string, Type, Value]> = [
  ['int', intType, 0],
  ['uint', uintType, new Uint(0n)],
  ['double', doubleType, doubleOf(0)],
  ['duration', durationType, new Duration(0n)],
];
const comparable: ReadonlyArray<readonly [string, Type]> = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];
const ordered: ReadonlySet<string> = new Set(comparable.map(([, type]) => type.kind));

const summed: ReadonlySet<string> = new Set(summable.map(([, type]) => type.kind));

const A = param('A');

/** Kubernetes' functions on lists. */
export const listsLibrary: Library = {
  name: 'kubernetes.lists',
  functions: [
    fn(
      'isSorted',
      ...each((name, type) => method(`list_${name}_is_sorted_bool`, [[listOf(type)], boolType], isSorted, walkList)),
    ),
    fn(
      'sum',
      ...summable.map(([name, type, zero]) =>
        method(`list_${name}_sum_${name}`, [[listOf(type)], type], (list: List) => sum(list, zero), walkList),
      ),
    ),
    fn(
      'max',
      ...each((name, type) => method(`list_${name}_max_${name}`, [[listOf(type)], type], pick('max', -1), walkList)),
    ),
    fn(
      'min',
      ...each((name, type) => method(`list_${name}_min_${name}`, [[listOf(type)], type], pick('min', 1), walkList)),
    ),
    fn('indexOf', method('list_a_index_of_int', [[listOf(A), A], intType], indexOf, walkList)),
    fn('lastIndexOf', method('list_a_last_index_of_int', [[listOf(A), A], intType], lastIndexOf, walkList)),
  ],
};

/** What Kubernetes 1.37 has besides. */
export const includesLibrary: Library = {
  name: 'kubernetes.lists.includes',
  functions: [fn('includes', method('list_includes_dyn_dyn', [[dynType, dynType], boolType], includes, includesCost))],
};

/** Of a list whether it holds the value, of anything else whether it is the value. */
function includes(target: Value, value: Value): boolean {
  return Array.isArray(target) ? indexOf(target, value) >= 0 : equals(target, value);
}

function includesCost(target: Value): number {
  return Array.isArray(target) ? target.length : 1;
}

function each(make: (name: string, type: Type) => Overload): Overload[] {
  return comparable.map(([name, type]) => make(name, type));
}

function walkList(list: List): number {
  return list.length;
}

/** Lists of unknown elements come here whatever is in them; the first one decides, as in cel-go. */
function checkFirst(name: string, list: List, kinds: ReadonlySet<string>): void {
  const [first] = list;
  if (first !== undefined && !kinds.has(typeOfValue(first).kind)) throw new CelError(`no such overload: ${name}(list)`);
}

/** Order of two elements; `undefined` for those of different types and for NaN, which nothing is made of. */
function order(a: Value, b: Value): number | undefined {
  if (!ordered.has(typeOfValue(b).kind)) throw new CelError('no such overload');
  try {
    return compare(a, b);
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

function isSorted(list: List): boolean {
  checkFirst('isSorted', list, ordered);
  for (let index = 1; index < list.length; index++) if (order(list[index - 1]!, list[index]!) === 1) return false;
  return true;
}

/** Goes over to another element where the one so far compares to it as `other` says. */
function pick(name: string, other: -1 | 1): (list: List) => Value {
  return list => {
    let best = list[0];
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    checkFirst(name, list, ordered);
    for (let index = 1; index < list.length; index++) {
      if (order(best, list[index]!) === other) best = list[index]!;
    }
    return best;
  };
}

function sum(list: List, zero: Value): Value {
  checkFirst('sum', list, summed);
  let total = list[0] ?? zero;
  for (let index = 1; index < list.length; index++) total = add(total, list[index]!);
  return total;
}

function add(a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) return intOf(toBigInt(a) + toBigInt(b));
  if (isDouble(a) && isDouble(b)) return doubleOf(toNumber(a) + toNumber(b));
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value + b.value);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  throw new CelError('no such overload');
}

function indexOf(list: List, item: Value): number {
  return list.findIndex(other => equals(other, item));
}

function lastIndexOf(list: List, item: Value): number {
  return list.findLastIndex(other => equals(other, item));
}
