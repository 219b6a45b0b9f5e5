import type {Budget} from '../budget.js';
import {deepEqual} from '../json/equal.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';

/** What an API server fills in where a key is left out, so that `{port: 80}` finds `{port: 80, protocol: TCP}`. */
const keyDefaults: Readonly<Record<string, Json>> = {protocol: 'TCP'};

/** Whether two elements of a merge list are the same thing: the decisive key is equal, the others equal or not given. */
export function sameElement(patch: JsonObject, element: JsonObject, keys: readonly string[]): boolean {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const fallback = i > 0 && Object.hasOwn(keyDefaults, key) ? keyDefaults[key] : undefined;
    const wanted = own(patch, key) ?? fallback;
    if (wanted === undefined && i > 0) continue;
    if (wanted === undefined || wanted === null || !deepEqual(wanted, own(element, key) ?? fallback)) return false;
  }
  return true;
}

interface ListPatch {
  readonly keys: readonly string[];
  readonly budget: Budget;
  /** Merges a patch element into the element it names; `undefined` removes it. */
  readonly mergeElement: (element: Json | undefined, patch: JsonObject) => Json | undefined;
}

/**
 * Merges a list by its keys: elements that are there stay where they are, new ones go to the front in the patch's order.
 * Returns the list itself when nothing changes.
 */
export function mergeList(list: Json[], patch: readonly Json[], {keys, budget, mergeElement}: ListPatch): Json[] {
  const result: (Json | undefined)[] = [...list];
  const added: Json[] = [];
  let changed = false;
  for (const item of patch) {
    const at = findElement(result, item, keys, budget);
    if (!isObject(item)) {
      if (at < 0 && !added.some(other => deepEqual(other, item))) added.push(item);
      continue;
    }
    const before = at < 0 ? undefined : result[at];
    const after = mergeElement(before, item);
    if (at >= 0) {
      changed ||= after !== before;
      result[at] = after;
    } else if (after !== undefined) {
      added.push(after);
    }
  }
  if (!changed && added.length === 0) return list;
  return [...added, ...result.filter(item => item !== undefined)];
}

function findElement(list: readonly (Json | undefined)[], item: Json, keys: readonly string[], budget: Budget): number {
  return list.findIndex(element => {
    budget.step();
    if (element === undefined) return false;
    if (!isObject(item)) return deepEqual(item, element);
    return isObject(element) && keys.length > 0 && sameElement(item, element, keys);
  });
}
