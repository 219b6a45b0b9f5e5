import {fn, global, method} from '../library/declare.js';
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
import type {Value} from '../values/value.js';
import * as lists from './list-functions.js';

const T = param('T');
const listT = listOf(T);
const listDyn = listOf(dynType);

/** Types that have an order, with the names that cel-go gives them in ids. */
const comparable: ReadonlyArray<readonly [string, Type]> = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['google.protobuf.Duration', durationType],
  ['google.protobuf.Timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

function eachComparable(make: (name: string, type: Type) => Overload): Overload[] {
  return comparable.map(([name, type]) => make(name, type));
}

/** cel-go's lists library in version 3; `first` and `last` belong to the optionals. */
export const listsLibrary: Library = {
  name: 'lists',
  functions: [
    fn('slice', method('list_slice', [[listT, intType, intType], listT], lists.slice, length)),
    fn(
      'flatten',
      method('list_flatten', [[listOf(listT)], listT], lists.flatten, lists.flattenedSize),
      method('list_flatten_int', [[listDyn, intType], listDyn], lists.flatten, lists.flattenedSize),
    ),
    fn(
      'sort',
      ...eachComparable((name, type) =>
        method(`list_${name}_sort`, [[listOf(type)], listOf(type)], lists.sort, lists.sortCost),
      ),
    ),
    // What `list.sortBy(x, key)` stands for, with the list of keys.
    fn(
      '@sortByAssociatedKeys',
      ...eachComparable((name, type) =>
        method(`list_${name}_sortByAssociatedKeys`, [[listT, listOf(type)], listT], lists.sortByKeys, lists.sortCost),
      ),
    ),
    fn('lists.range', global('lists_range', [[intType], listOf(intType)], lists.range, rangeCost)),
    fn('reverse', method('list_reverse', [[listT], listT], lists.reverse, length)),
    fn('distinct', method('list_distinct', [[listT], listT], lists.distinct, lists.distinctCost)),
  ],
};

function length(list: readonly Value[]): number {
  return list.length;
}

function rangeCost(count: number | bigint): number {
  return Math.max(0, Math.min(Number(count), 1_000_000));
}
