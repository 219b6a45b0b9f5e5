import {deepEqual} from '../../../engine/json/equal.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';

interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly fields: Set<string>;
}

const untracked = new Set(['["apiVersion"]', '["kind"]', '["metadata","name"]', '["metadata","namespace"]', '["metadata","uid"]', '["metadata","resourceVersion"]', '["metadata","creationTimestamp"]', '["metadata","generation"]', '["metadata","managedFields"]']);

/** Server-side apply as far as maps go: lists are taken as wholes. */
export function applyFields(old: JsonObject | undefined, applied: JsonObject, {manager, force}: {readonly manager: string; readonly force: boolean}): {object: JsonObject} | {conflict: string} {
  const owners = ownersOf(old);
  const wanted = leaves(applied);
  const before = owners.find(owner => owner.manager === manager && owner.operation === 'Apply');
  let object: JsonObject = old ?? {apiVersion: own(applied, 'apiVersion') ?? '', kind: own(applied, 'kind') ?? ''};
  for (const [path, value] of wanted) {
    const others = owners.filter(owner => owner !== before && owner.fields.has(path));
    const same = deepEqual(valueAt(object, path), value);
    if (!same && others.length > 0 && !force) return {conflict: `Apply failed with 1 conflict: conflict with "${others[0]!.manager}": ${path}`};
    if (!same) for (const other of others) other.fields.delete(path);
    object = withValue(object, JSON.parse(path) as string[], value);
  }
  for (const path of before?.fields ?? []) {
    if (wanted.has(path) || owners.some(owner => owner !== before && owner.fields.has(path))) continue;
    object = withValue(object, JSON.parse(path) as string[], undefined);
  }
  const next = [...owners.filter(owner => owner !== before), {manager, operation: 'Apply' as const, fields: new Set(wanted.keys())}];
  return {object: withOwners(object, next)};
}

/** Ownership after a plain write. */
export function updatedFields(old: JsonObject | undefined, next: JsonObject, manager: string): JsonObject {
  const owners = ownersOf(old);
  const now = leaves(next);
  const past = old === undefined ? new Map<string, Json>() : leaves(old);
  const changed = [...now].filter(([path, value]) => !deepEqual(past.get(path), value)).map(([path]) => path);
  for (const owner of owners) {
    for (const path of [...owner.fields]) if (!now.has(path) || (changed.includes(path) && owner.manager !== manager)) owner.fields.delete(path);
  }
  const mine = owners.find(owner => owner.manager === manager && owner.operation === 'Update');
  if (mine !== undefined) for (const path of changed) mine.fields.add(path);
  else if (changed.length > 0) owners.push({manager, operation: 'Update', fields: new Set(changed)});
  return withOwners(next, owners);
}

/** Equal but for what each write moves. */
export function sameContent(a: JsonObject | undefined, b: JsonObject): boolean {
  return a !== undefined && deepEqual(content(a), content(b));
}

function content(object: JsonObject): JsonObject {
  const {resourceVersion: _version, managedFields: _managed, ...metadata} = ownPath(object, 'metadata') as JsonObject;
  return {...object, metadata, owners: ownersOf(object).map(({manager, operation, fields}) => ({manager, operation, fields: [...fields].sort()}))};
}

function leaves(object: JsonObject): Map<string, Json> {
  const found = new Map<string, Json>();
  const walk = (value: Json, path: string[]) => {
    if (isObject(value) && Object.keys(value).length > 0) for (const [key, item] of Object.entries(value)) walk(item, [...path, key]);
    else if (!untracked.has(JSON.stringify(path)) && path[0] !== 'status') found.set(JSON.stringify(path), value);
  };
  const metadata = own(object, 'metadata');
  const {managedFields: _managed, ...rest} = isObject(metadata) ? metadata : ({} as JsonObject);
  walk({...object, metadata: rest}, []);
  return found;
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  return ownPath(object, ...(JSON.parse(path) as string[]));
}

function withValue(object: JsonObject, [first = '', ...rest]: readonly string[], value: Json | undefined): JsonObject {
  const copy = {...object};
  if (rest.length === 0) {
    if (value === undefined) delete copy[first];
    else copy[first] = value;
    return copy;
  }
  const inner = own(copy, first);
  if (value === undefined && !isObject(inner)) return copy;
  copy[first] = withValue(isObject(inner) ? inner : {}, rest, value);
  return copy;
}

function ownersOf(object: JsonObject | undefined): Owner[] {
  const records = ownPath(object, 'metadata', 'managedFields');
  return (Array.isArray(records) ? records.filter(isObject) : []).map(record => {
    const fields = new Set<string>();
    const walk = (value: Json | undefined, path: string[]) => {
      if (!isObject(value)) return;
      const keys = Object.keys(value);
      if (keys.length === 0 && path.length > 0) fields.add(JSON.stringify(path));
      for (const key of keys) walk(own(value, key), [...path, key.slice(2)]);
    };
    walk(own(record, 'fieldsV1'), []);
    return {manager: String(own(record, 'manager')), operation: own(record, 'operation') === 'Apply' ? ('Apply' as const) : ('Update' as const), fields};
  });
}

function withOwners(object: JsonObject, owners: readonly Owner[]): JsonObject {
  const managedFields = owners.filter(({fields}) => fields.size > 0).map(({manager, operation, fields}) => {
    let tree: JsonObject = {};
    for (const path of fields) tree = withValue(tree, (JSON.parse(path) as string[]).map(key => `f:${key}`), {});
    return {manager, operation, fieldsV1: tree};
  });
  return {...object, metadata: {...(ownPath(object, 'metadata') as JsonObject), managedFields}};
}
