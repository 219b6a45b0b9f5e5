import type {Budget} from '../../budget.js';
import {deepEqual} from '../../json/equal.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../../json/types.js';
import {deduced, type MapType, type StructuralType} from '../schema/types.js';
import {mergeLists} from './merge-lists.js';

/**
 * `left` with what `right` sets: additions and other values, never a removal. Both are valid values of the type. Parts
 * that stay as they are are shared with `left`; `left` itself when nothing changes.
 */
export function mergeValues(left: Json | undefined, right: Json, type: StructuralType, budget: Budget): Json {
  budget.step();
  if (left === undefined || left === null) return right;
  if (isObject(left) && isObject(right) && type.map !== undefined && !type.map.atomic) {
    return mergeMaps(left, right, type.map, budget);
  }
  const {list} = type;
  if (Array.isArray(left) && Array.isArray(right) && list !== undefined && list.merge !== 'atomic') {
    budget.step(left.length + right.length);
    const merged = mergeLists(left, right, list, (before, after) => mergeValues(before, after, list.element, budget));
    return merged.length === left.length && merged.every((item, index) => item === left[index]) ? left : merged;
  }
  return deepEqual(left, right) ? left : right;
}

function mergeMaps(left: JsonObject, right: JsonObject, type: MapType, budget: Budget): JsonObject {
  const keys = Object.keys(left);
  budget.step(keys.length);
  const result: JsonObject = {};
  let changed = false;
  for (const key of keys) {
    const before = left[key]!;
    const change = own(right, key);
    const after =
      change === undefined
        ? before
        : mergeValues(before, change, type.fields.get(key) ?? type.element ?? deduced, budget);
    changed ||= after !== before;
    setOwn(result, key, after);
  }
  for (const key of Object.keys(right)) {
    if (Object.hasOwn(left, key)) continue;
    changed = true;
    setOwn(result, key, right[key]!);
  }
  return changed ? result : left;
}
