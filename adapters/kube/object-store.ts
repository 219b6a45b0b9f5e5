import type {JsonObject} from '../../engine/json/types.js';

/** Derives the values under which `byIndex` finds an object. */
export type Indexer = (object: JsonObject) => readonly string[];

/** What readers see of a reflector's objects. Keys are `name` or `namespace/name`; objects must not be changed. */
export interface ObjectReader {
  readonly size: number;
  get(key: string): JsonObject | undefined;
  keys(): IterableIterator<string>;
  objects(): IterableIterator<JsonObject>;
  inNamespace(namespace: string): readonly JsonObject[];
  /** Throws for an index that was not declared. */
  byIndex(index: string, value: string): readonly JsonObject[];
}

export interface ObjectStore extends ObjectReader {
  put(key: string, object: JsonObject): void;
  remove(key: string): void;
}

type Index = Map<string, Map<string, JsonObject>>;

export function createObjectStore(indexers: Readonly<Record<string, Indexer>> = {}): ObjectStore {
  const objects = new Map<string, JsonObject>();
  const byNamespace: Index = new Map();
  const indexes = Object.entries(indexers).map(([name, indexer]) => ({name, indexer, index: new Map() as Index}));

  function unlink(key: string, old: JsonObject): void {
    removeFrom({index: byNamespace, value: namespaceOfKey(key), key});
    for (const {indexer, index} of indexes) for (const value of indexer(old)) removeFrom({index, value, key});
  }

  return {
    get size() {
      return objects.size;
    },
    get: key => objects.get(key),
    keys: () => objects.keys(),
    objects: () => objects.values(),
    inNamespace: namespace => [...(byNamespace.get(namespace)?.values() ?? [])],
    byIndex(name, value) {
      const found = indexes.find(entry => entry.name === name);
      if (found === undefined) throw new Error(`no index ${name}`);
      return [...(found.index.get(value)?.values() ?? [])];
    },
    put(key, object) {
      const old = objects.get(key);
      if (old !== undefined) unlink(key, old);
      objects.set(key, object);
      addTo({index: byNamespace, value: namespaceOfKey(key), key, object});
      for (const {indexer, index} of indexes) for (const value of indexer(object)) addTo({index, value, key, object});
    },
    remove(key) {
      const old = objects.get(key);
      if (old === undefined) return;
      unlink(key, old);
      objects.delete(key);
    },
  };
}

/** Splits `namespace/name` or `name`. */
export function splitKey(key: string): {readonly namespace: string; readonly name: string} {
  const slash = key.indexOf('/');
  return slash < 0 ? {namespace: '', name: key} : {namespace: key.slice(0, slash), name: key.slice(slash + 1)};
}

/** `namespace/name`, or `name` without a namespace. */
export function joinKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function namespaceOfKey(key: string): string {
  return splitKey(key).namespace;
}

function addTo({index, value, key, object}: {index: Index; value: string; key: string; object: JsonObject}): void {
  const bucket = index.get(value);
  if (bucket) bucket.set(key, object);
  else index.set(value, new Map([[key, object]]));
}

function removeFrom({index, value, key}: {index: Index; value: string; key: string}): void {
  const bucket = index.get(value);
  bucket?.delete(key);
  if (bucket?.size === 0) index.delete(value);
}
