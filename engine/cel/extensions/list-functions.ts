import {CelError} from '../errors.js';
import {compare, equals, type IntValue, isInt, isNumeric, typeOfValue} from '../values/index.js';
import type {Value} from '../values/value.js';

type List = readonly Value[];

const maxRange = 1_000_000;
/** More elements than any budget has steps: counting ends there. */
const uncountable = 100_000_000;

export function slice(list: List, start: IntValue, end: IntValue): List {
  const refuse = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0 || end < 0) throw refuse('negative indexes not supported');
  if (start > end) throw refuse('start index must be less than or equal to end index');
  if (end > list.length) throw refuse(`list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

export function flatten(list: List, depth: IntValue = 1): List {
  if (depth < 0) throw new CelError('level must be non-negative');
  const flat: Value[] = [];
  const add = (items: List, left: number): void => {
    for (const item of items) {
      if (left > 0 && Array.isArray(item)) add(item, left - 1);
      else flat.push(item);
    }
  };
  add(list, Number(depth));
  return flat;
}

/** Number of elements that `flatten` walks. Lists that hold one list many times multiply, so counting has an end too. */
export function flattenedSize(list: List, depth: IntValue = 1): number {
  let size = 0;
  const count = (items: List, left: number): void => {
    size += items.length;
    if (left <= 0) return;
    for (const item of items) {
      if (size > uncountable) return;
      if (Array.isArray(item)) count(item, left - 1);
    }
  };
  count(list, Number(depth));
  return size;
}

export function range(count: IntValue): List {
  if (count < 0) throw new CelError(`lists.range: size must be non-negative, got ${count}`);
  if (count > maxRange) throw new CelError(`lists.range: size ${count} exceeds maximum allowed (${maxRange})`);
  return Array.from({length: Number(count)}, (_, index) => index);
}

export function reverse(list: List): List {
  return [...list].reverse();
}

/** The first of each group of equal elements. */
export function distinct(list: List): List {
  const seen = new Set<Value>();
  const others: Value[] = [];
  return list.filter(item => {
    if (isHashable(item)) {
      if (seen.has(item)) return false;
      // A double or uint of the same amount would not be found in the set.
      if (typeof item === 'number' && others.some(other => equals(other, item))) return false;
      seen.add(item);
      return true;
    }
    if (isNumeric(item) && [...seen].some(other => equals(other, item))) return false;
    if (others.some(other => equals(other, item))) return false;
    others.push(item);
    return true;
  });
}

/** Pairs that `distinct` may compare: none for texts, ints and bools alone. */
export function distinctCost(list: List): number {
  const others = list.reduce<number>((count, item) => (isHashable(item) ? count : count + 1), 0);
  return list.length + others * list.length;
}

/** Values whose equality is JavaScript's, so long as no number of another type is about. */
export function isHashable(value: Value): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
}

export function sort(list: List): List {
  return sortByKeys(list, list);
}

/** `list.sortBy(x, key)`: by keys in the same order as the list. Equal keys keep the order of the list. */
export function sortByKeys(list: List, keys: List): List {
  const [first] = keys;
  if (first === undefined) return list;
  const kind = orderKind(first);
  if (kind === undefined) throw new CelError('list elements must be comparable');
  if (keys.some(key => orderKind(key) !== kind)) throw new CelError('list elements must have the same type');
  return keys
    .map((key, index) => ({key, item: list[index]!}))
    .sort((a, b) => order(a.key, b.key))
    .map(({item}) => item);
}

/** Steps of sorting. */
export function sortCost(list: List): number {
  return list.length * Math.ceil(Math.log2(list.length + 1));
}

function orderKind(value: Value): string | undefined {
  const {kind} = typeOfValue(value);
  return comparable.has(kind) ? kind : undefined;
}

const comparable: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'duration',
  'timestamp',
  'string',
  'bytes',
]);

/** NaN stands before everything, as it ends up in cel-go where it comes first. */
function order(a: Value, b: Value): number {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  if (Number.isNaN(b)) return 1;
  return isInt(a) && isInt(b) ? (a < b ? -1 : a > b ? 1 : 0) : compare(a, b);
}
