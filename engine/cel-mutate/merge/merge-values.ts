import type {Budget} from '../../budget.js';
import {EvalError} from '../../diagnostic.js';
import {deepEqual} from '../../json/equal.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../../json/types.js';
import {deduced, type MapType, type StructuralType} from '../schema/types.js';
import {fieldErrorsText} from './field-errors.js';
import {mergeLists} from './merge-lists.js';
import {mismatch} from './validate.js';

/** Way to a value, the last step first; written out only for messages. */
interface Place {
  readonly outer: Place | undefined;
  readonly step: string;
}

/**
 * `left` with what `right` sets: additions and other values, never a removal. `right` is a valid value of the type; of
 * `left` only what `right` touches has to be. Parts that stay as they are are shared with `left`; `left` itself when
 * nothing changes. Throws `EvalError` for a left value of another form.
 */
export function mergeValues(left: JsonObject, right: JsonObject, type: StructuralType, budget: Budget): JsonObject {
  return merge(left, right, type, {budget, place: undefined}) as JsonObject;
}

interface Merging {
  readonly budget: Budget;
  readonly place: Place | undefined;
}

function merge(left: Json | undefined, right: Json, type: StructuralType, at: Merging): Json {
  at.budget.step();
  if (left === undefined || left === null) return right;
  if (isObject(right) && type.map !== undefined) {
    if (type.map.atomic) return sameOr(left, right);
    if (isObject(left)) return mergeMaps(left, right, type.map, at);
    return otherForm(left, right, type, at);
  }
  if (Array.isArray(right) && type.list !== undefined) {
    const {list} = type;
    if (list.merge === 'atomic') return sameOr(left, right);
    if (!Array.isArray(left)) return otherForm(left, right, type, at);
    at.budget.step(left.length + right.length);
    const mergeItems = (before: Json | undefined, after: Json): Json =>
      merge(before, after, list.element, inside(at, '[]'));
    const merged = mergeLists(left, right, list, {mergeItems, fault: message => refusal(at, message)});
    return merged.length === left.length && merged.every((item, index) => item === left[index]) ? left : merged;
  }
  return sameOr(left, right);
}

function sameOr(left: Json, right: Json): Json {
  return deepEqual(left, right) ? left : right;
}

/** Where a type takes several forms the new one is as good as the old one. */
function otherForm(left: Json, right: Json, type: StructuralType, at: Merging): Json {
  if (type.scalar !== undefined) return right;
  throw refusal(at, mismatch(left, type));
}

function mergeMaps(left: JsonObject, right: JsonObject, type: MapType, at: Merging): JsonObject {
  const keys = Object.keys(left);
  at.budget.step(keys.length);
  const result: JsonObject = {};
  let changed = false;
  for (const key of keys) {
    const before = left[key]!;
    const change = own(right, key);
    const field = type.fields.get(key) ?? type.element ?? deduced;
    const after = change === undefined ? before : merge(before, change, field, inside(at, `.${key}`));
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

function inside({budget, place}: Merging, step: string): Merging {
  return {budget, place: {outer: place, step}};
}

function refusal({place}: Merging, message: string): EvalError {
  let path = '';
  for (let step = place; step !== undefined; step = step.outer) path = step.step + path;
  const text = fieldErrorsText([{path, message}]);
  return new EvalError(`error applying patch: failed to convert original object to typed object: ${text}`);
}
