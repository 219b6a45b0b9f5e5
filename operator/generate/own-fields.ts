import {deepEqual} from '../../engine/json/equal.js';
import {parseJson} from '../../engine/json/parse.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';

/** One place of an object in the server's records of what a manager applied (`fieldsV1`); none: nothing of it is theirs. */
export type OwnFields = readonly JsonObject[];

/** What of the object this manager has applied, and nobody has changed since. */
export function appliedBy(manager: string, live: JsonObject): OwnFields {
  const records = ownPath(live, 'metadata', 'managedFields');
  return (Array.isArray(records) ? records : [])
    .filter(record => ownPath(record, 'manager') === manager && ownPath(record, 'operation') === 'Apply' && (ownPath(record, 'subresource') ?? '') === '')
    .map(record => ownPath(record, 'fieldsV1'))
    .filter(isObject)
    .filter(fields => !isLeaf(fields));
}

export function fieldOf(fields: OwnFields, key: string): OwnFields {
  return fields.flatMap(node => (isLeaf(node) ? [node] : present(own(node, `f:${key}`))));
}

/** Of the item of a list: lists are held as wholes, or item by item by what identifies them. */
export function itemOf(fields: OwnFields, item: Json): OwnFields {
  return fields.flatMap(node => {
    if (isLeaf(node)) return [node];
    const key = Object.keys(node).find(name => name.startsWith('k:') && identifies(name.slice(2), item));
    return key === undefined ? [] : present(own(node, key));
  });
}

/** Held as a whole, with what is below. */
function isLeaf(node: JsonObject): boolean {
  return Object.keys(node).length === 0;
}

function present(node: Json | undefined): OwnFields {
  return isObject(node) ? [node] : [];
}

/** As `{"containerPort":80,"protocol":"TCP"}`; what the item leaves to the server's defaults counts as the same. */
function identifies(text: string, item: Json): boolean {
  if (!isObject(item)) return false;
  let key: Json;
  try {
    key = parseJson(text);
  } catch (error) {
    // Written by the server; one that cannot be read identifies nothing.
    if (error instanceof SyntaxError || error instanceof RangeError) return false;
    throw error;
  }
  return isObject(key) && Object.entries(key).every(([name, value]) => own(item, name) === undefined || deepEqual(own(item, name), value));
}
