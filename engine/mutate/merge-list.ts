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
 * Merges a list by its keys. A merge that changes something puts what the patch names first, in the order of the patch;
 * where several keys make one, only what is new comes first. Returns the list itself when nothing changes.
 */
export function mergeList(list: Json[], patch: readonly Json[], {keys, budget, mergeElement}: ListPatch): Json[] {
  const all: (Json | undefined)[] = [...list];
  const named = new Set<number>();
  let changed = false;
  for (const item of patch) {
    const found = findElement(all, item, keys, budget);
    const before = found < 0 ? undefined : all[found];
    const after = isObject(item) ? mergeElement(before, item) : item;
    if (found >= 0) {
      changed ||= isObject(item) && after !== before;
      if (isObject(item)) all[found] = after;
      if (keys.length <= 1) named.add(found);
    } else if (after !== undefined) {
      changed = true;
      named.add(all.push(after) - 1);
    }
  }
  if (!changed) return list;
  const rest = all.filter((_, index) => !named.has(index));
  return [...[...named].map(index => all[index]), ...rest].filter(item => item !== undefined);
}

function findElement(list: readonly (Json | undefined)[], item: Json, keys: readonly string[], budget: Budget): number {
  const addressed = isObject(item) && keys.length > 0 && own(item, keys[0]!) !== undefined;
  return list.findIndex(element => {
    budget.step();
    if (element === undefined) return false;
    // What carries no key is only ever found as a whole, so that a second merge adds nothing.
    if (!isObject(item) || !addressed) return deepEqual(item, element);
    return isObject(element) && sameElement(item, element, keys);
  });
}
