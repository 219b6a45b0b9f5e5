import {deepEqual} from '../../engine/json/equal.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../../engine/json/types.js';
import {additionsBy, fieldManager} from './compare.js';

/** JSON merge patch (RFC 7386): `null` takes a field out, lists are replaced. What becomes empty by it goes, too, as with an apply. */
export function mergePatched(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {...target};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isObject(value)) {
      const there = own(result, key);
      const merged = mergePatched(isObject(there) ? there : {}, value);
      if (Object.keys(merged).length === 0 && Object.keys(value).length > 0) delete result[key];
      else setOwn(result, key, merged);
    } else setOwn(result, key, value);
  }
  return result;
}

/** As an apply of `wanted` would leave the object: what we set before and want no longer goes, what others set stays. */
export function mergedInto(live: JsonObject, wanted: JsonObject): JsonObject {
  const gone = additionsBy(live, wanted, record => ownPath(record, 'manager') === fieldManager);
  return overlaid(gone === undefined ? live : mergePatched(live, gone), wanted) as JsonObject;
}

function overlaid(live: Json | undefined, wanted: Json): Json {
  if (!isObject(live) || !isObject(wanted)) return wanted;
  const result: JsonObject = {...live};
  for (const [key, value] of Object.entries(wanted)) setOwn(result, key, overlaid(own(live, key), value));
  return result;
}

/** The first field, as `a.b`, that is wanted otherwise than it is and is not ours; `undefined` when there is none. */
export function conflictsWith(live: JsonObject, wanted: JsonObject): string | undefined {
  const records = ownPath(live, 'metadata', 'managedFields');
  const ours = (Array.isArray(records) ? records : [])
    .filter(record => ownPath(record, 'manager') === fieldManager)
    .map(record => ownPath(record, 'fieldsV1'))
    .filter(fields => isObject(fields));
  return conflict({live, wanted, ours, path: []});
}

interface Place {
  readonly live: JsonObject;
  readonly wanted: JsonObject;
  /** What of this place is ours, as the server recorded it. */
  readonly ours: readonly JsonObject[];
  readonly path: readonly string[];
}

function conflict({live, wanted, ours, path}: Place): string | undefined {
  for (const [key, value] of Object.entries(wanted)) {
    const there = own(live, key);
    if (there === undefined || deepEqual(there, value)) continue;
    const records = ours.map(fields => own(fields, `f:${key}`)).filter(isObject);
    const here = [...path, key];
    if (isObject(there) && isObject(value)) {
      const found = conflict({live: there, wanted: value, ours: records, path: here});
      if (found !== undefined) return found;
    } else if (records.length === 0) return here.join('.');
  }
  return undefined;
}
