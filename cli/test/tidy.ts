import {Float, isObject, type Json, type JsonObject, own, setOwn} from '../../engine/json/types.js';
import {deepEqual} from '../../engine/json/equal.js';

/** A value without nulls, empty maps and empty lists at any depth; `undefined` when nothing is left. */
export function tidy(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(tidy).filter(item => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value) || value instanceof Float) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const kept = tidy(value[key]!);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Labels that generation adds are no part of what a test expects. */
function withoutOriginLabels(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  const fields: JsonObject = isObject(metadata) ? metadata : {};
  const labels: JsonObject = {};
  const given = own(fields, 'labels');
  if (isObject(given)) {
    for (const key of Object.keys(given)) {
      if (!key.startsWith('generate.kyverno.io/') && key !== managedBy) setOwn(labels, key, given[key]!);
    }
  }
  return {...object, metadata: {...fields, labels: {...labels, [managedBy]: 'kyverno'}}};
}

const managedBy = 'app.kubernetes.io/managed-by';

/** Same object as far as a test is concerned. */
export function sameResource(actual: JsonObject, expected: JsonObject): boolean {
  return deepEqual(tidy(withoutOriginLabels(actual)), tidy(withoutOriginLabels(expected)));
}
