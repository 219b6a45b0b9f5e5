import {deepEqual} from '../../engine/json/equal.js';
import {isNumber, isObject, type Json, type JsonObject, own, ownPath, setOwn, toDouble} from '../../engine/json/types.js';
import {appliedBy, fieldOf, itemOf, type OwnFields} from './own-fields.js';
import {quantitiesOf, sameAmount} from './quantity-fields.js';

export const fieldManager = 'kyverno-generate';

/**
 * Whether everything that is wanted stands in the live object. What is empty may be missing: servers leave it out, and so
 * they do with some `false` and `0`. Lists are equal when their elements are, each with what the server filled in;
 * quantities by their value.
 */
export function covers(live: JsonObject, wanted: JsonObject): boolean {
  const isQuantity = quantitiesOf(wanted);
  return isCovered({live, wanted, ours: appliedBy(fieldManager, live), path: []});

  function isCovered({live, wanted, ours, path}: Compared): boolean {
    if (isEmpty(wanted)) return live === undefined || isEmpty(live) || isObject(wanted);
    // Still ours, so nobody has taken it out: the server does not store it.
    if (live === undefined) return isZero(wanted) && ours.length > 0;
    if (isObject(wanted)) {
      if (!isObject(live)) return false;
      return Object.entries(wanted).every(([key, value]) => isCovered({live: own(live, key), wanted: value, ours: fieldOf(ours, key), path: [...path, key]}));
    }
    if (Array.isArray(wanted)) {
      if (!Array.isArray(live) || live.length !== wanted.length) return false;
      return wanted.every((item, index) => isCovered({live: live[index], wanted: item, ours: itemOf(ours, item), path}));
    }
    return deepEqual(live, wanted) || (isQuantity(path) && sameAmount(live, wanted));
  }
}

interface Compared {
  readonly live: Json | undefined;
  readonly wanted: Json;
  /** What of this place we have applied, as the server recorded it. */
  readonly ours: OwnFields;
  readonly path: readonly string[];
}

function isZero(value: Json): boolean {
  return value === false || (isNumber(value) && toDouble(value) === 0);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** Controllers of the system, and the peer before us, add what is theirs; people and their tools do not. */
const systemManagers = /^(kyverno|kube-controller-manager|kube-scheduler|kubelet|kube-apiserver|cloud-controller-manager|[a-z0-9.-]+-controller)$/;
const keptMetadata = new Set(['finalizers', 'ownerReferences']);

/**
 * What others have added to an object that is ours alone, as a merge patch that takes it out again; `undefined` when
 * nothing was added. Told by the server's record of who set what.
 */
export function foreignAdditions(live: JsonObject, wanted: JsonObject): JsonObject | undefined {
  return additionsBy(live, wanted, record => {
    const manager = ownPath(record, 'manager');
    // What we wrote without the right to patch is dropped by no apply.
    if (manager === fieldManager) return ownPath(record, 'operation') === 'Update';
    return typeof manager === 'string' && !systemManagers.test(manager);
  });
}

/** What the managers of these records set and is not wanted, as a merge patch that takes it out; `undefined` = nothing. */
export function additionsBy(live: JsonObject, wanted: JsonObject, isTheirs: (record: Json) => boolean): JsonObject | undefined {
  const patch: JsonObject = {};
  const records = ownPath(live, 'metadata', 'managedFields');
  for (const record of Array.isArray(records) ? records : []) {
    if (!isTheirs(record)) continue;
    if ((ownPath(record, 'subresource') ?? '') !== '') continue;
    const fields = ownPath(record, 'fieldsV1');
    if (isObject(fields)) collect({fields, live, wanted, patch, path: []});
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

interface Walk {
  readonly fields: JsonObject;
  readonly live: Json | undefined;
  readonly wanted: Json | undefined;
  readonly patch: JsonObject;
  readonly path: readonly string[];
}

function collect({fields, live, wanted, patch, path}: Walk): void {
  for (const [field, inner] of Object.entries(fields)) {
    if (!field.startsWith('f:')) continue;
    const key = field.slice(2);
    if (path.length === 0 && (key === 'status' || key === 'apiVersion' || key === 'kind')) continue;
    if (path.length === 1 && path[0] === 'metadata' && keptMetadata.has(key)) continue;
    if (!isObject(live)) continue;
    const there = own(live, key);
    if (there === undefined) continue;
    const mine = isObject(wanted) ? own(wanted, key) : undefined;
    const below = isObject(inner) ? inner : {};
    if (isObject(there) && (mine === undefined || isObject(mine)) && Object.keys(below).some(name => name.startsWith('f:'))) {
      const inside: JsonObject = {};
      collect({fields: below, live: there, wanted: mine, patch: inside, path: [...path, key]});
      if (Object.keys(inside).length > 0) setOwn(patch, key, inside);
    } else if (mine === undefined) setOwn(patch, key, null);
    else if (Array.isArray(mine) && Array.isArray(there) && there.length !== mine.length) setOwn(patch, key, mine);
  }
}
