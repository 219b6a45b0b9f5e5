import {fn, global} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {boolType, listOf, param} from '../types/type.js';
import {equals} from '../values/index.js';
import type {Value} from '../values/value.js';
import {isHashable} from './list-functions.js';

type List = readonly Value[];

const small = 8;

/** A test for membership: by hash where both sides are texts, ints, bools or null alone. */
function membership(list: List, candidates: List): (value: Value) => boolean {
  if (list.length > small && candidates.length > small && list.every(isHashable) && candidates.every(isHashable)) {
    const set = new Set(list);
    return value => set.has(value);
  }
  return value => list.some(item => equals(item, value));
}

function contains(list: List, sublist: List): boolean {
  return sublist.every(membership(list, sublist));
}

function intersects(a: List, b: List): boolean {
  return a.some(membership(b, a));
}

function equivalent(a: List, b: List): boolean {
  return contains(a, b) && contains(b, a);
}

function pairs(a: List, b: List): number {
  return a.length * b.length;
}

const listT = listOf(param('T'));

export const setsLibrary: Library = {
  name: 'sets',
  functions: [
    fn('sets.contains', global('list_sets_contains_list', [[listT, listT], boolType], contains, pairs)),
    fn(
      'sets.equivalent',
      global('list_sets_equivalent_list', [[listT, listT], boolType], equivalent, (a, b) => 2 * pairs(a, b)),
    ),
    fn('sets.intersects', global('list_sets_intersects_list', [[listT, listT], boolType], intersects, pairs)),
  ],
};
