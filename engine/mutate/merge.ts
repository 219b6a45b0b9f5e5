import type {Budget} from '../budget.js';
import {shallowCopy} from '../json/clone.js';
import {deepEqual} from '../json/equal.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {mergeList} from './merge-list.js';
import type {MergeField, MergeSchema} from './merge-schema.js';

type Directive = 'delete' | 'replace' | 'merge';

const directiveKey = '$patch';

/**
 * Strategic merge of a patch without anchors. `undefined` removes the value. Unchanged parts are the same references;
 * inputs stay as they are.
 */
export function mergeMap(
  base: JsonObject,
  patch: JsonObject,
  schema: MergeSchema | undefined,
  budget: Budget,
): JsonObject | undefined {
  const directive = directiveOf(patch);
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return keepEqual(base, mergeMap({}, withoutDirective(patch), schema, budget) ?? {});
  let result = base;
  for (const key of Object.keys(patch)) {
    budget.step();
    if (key === directiveKey && directive) continue;
    const before = own(base, key);
    const after = mergeValue(before, patch[key]!, schema?.fields.get(key), budget);
    if (after === before) continue;
    if (result === base) result = shallowCopy(base);
    if (after === undefined) delete result[key];
    else setOwn(result, key, after);
  }
  return result;
}

function mergeValue(
  before: Json | undefined,
  patch: Json,
  field: MergeField | undefined,
  budget: Budget,
): Json | undefined {
  if (patch === null) return undefined;
  if (isObject(patch)) {
    // A map that only removes something does not come into being for it.
    const base = isObject(before) ? before : {};
    const merged = mergeMap(base, patch, field?.schema, budget);
    return merged === base && !isObject(before) && Object.keys(patch).length > 0 ? before : merged;
  }
  if (Array.isArray(patch) && field?.keys) {
    return mergeAssociative(before, patch, {schema: field.schema, keys: field.keys}, budget);
  }
  return keepEqual(before, patch);
}

function mergeAssociative(
  before: Json | undefined,
  patch: readonly Json[],
  {schema, keys}: {schema: MergeSchema | undefined; keys: readonly string[]},
  budget: Budget,
): Json | undefined {
  const alone = patch.filter(isDirectiveAlone).map(item => directiveOf(item));
  if (alone.includes('delete')) return undefined;
  const base = Array.isArray(before) && !alone.includes('replace') ? before : [];
  const merged = mergeList(
    base,
    patch.filter(item => !isDirectiveAlone(item)),
    {
      keys,
      budget,
      mergeElement: (element, item) => mergeMap(isObject(element) ? element : {}, item, schema, budget),
    },
  );
  return keepEqual(before, merged);
}

function directiveOf(patch: JsonObject): Directive | undefined {
  const directive = own(patch, directiveKey);
  return directive === 'delete' || directive === 'replace' || directive === 'merge' ? directive : undefined;
}

function isDirectiveAlone(item: Json): item is JsonObject {
  return isObject(item) && directiveOf(item) !== undefined && Object.keys(item).length === 1;
}

function withoutDirective(patch: JsonObject): JsonObject {
  const result = shallowCopy(patch);
  delete result[directiveKey];
  return result;
}

function keepEqual<T extends Json>(before: Json | undefined, after: T): T {
  return before !== undefined && deepEqual(before, after) ? (before as T) : after;
}
