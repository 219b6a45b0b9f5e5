import {EvalError} from '../diagnostic.js';
import {textOf} from '../json/text.js';
import {Float, isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';

/** What belongs to one stored object alone. */
const ownFields = ['uid', 'selfLink', 'creationTimestamp', 'managedFields', 'resourceVersion', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** Of an object that was read from the cluster and is now copied. */
export interface CopySource {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

const sources = new WeakMap<JsonObject, CopySource>();

/** Where a made object was copied from; `undefined` for one that is written out. */
export function copySourceOf(object: JsonObject): CopySource | undefined {
  return sources.get(object);
}

export interface MadeOptions {
  /** Asked for by the call; `undefined` = what the object says. */
  readonly namespace: string | undefined;
  /** Of a policy of a namespace: nothing goes elsewhere. */
  readonly confinedTo: string | undefined;
  readonly resources: ResourceMap;
}

/** An object as it is to be created; Lists are taken apart. Throws EvalError for what may not be created. */
export function madeObjects(object: JsonObject, options: MadeOptions): JsonObject[] {
  const items = own(object, 'items');
  if (textOf(own(object, 'kind')).endsWith('List') && Array.isArray(items)) {
    return items.filter(isObject).flatMap(item => madeObjects(withListKind(item, object), options));
  }
  return [madeObject(object, options)];
}

/** Items of a list that was read do not carry their kind. */
function withListKind(item: JsonObject, list: JsonObject): JsonObject {
  if (own(item, 'kind') !== undefined) return item;
  return {apiVersion: own(list, 'apiVersion') ?? '', kind: textOf(own(list, 'kind')).slice(0, -'List'.length), ...item};
}

function madeObject(object: JsonObject, {namespace, confinedTo, resources}: MadeOptions): JsonObject {
  const apiVersion = textOf(own(object, 'apiVersion'));
  const kind = textOf(own(object, 'kind'));
  if (apiVersion === '' || kind === '') throw new EvalError('failed to generate resources: an object needs an apiVersion and a kind');
  const written = ownPath(object, 'metadata');
  const metadata: JsonObject = isObject(written) ? {...written} : {};
  const from = textOf(own(metadata, 'namespace'));
  const isClusterScoped = clusterScoped(apiVersion, kind, resources);
  const wanted = namespace || from;
  if (confinedTo !== undefined) {
    if (isClusterScoped) {
      throw new EvalError(
        `failed to generate resources: cross-scope generation denied: a policy scoped to namespace ${JSON.stringify(confinedTo)} cannot generate cluster-scoped resource ${apiVersion}/${kind}`,
      );
    }
    if (wanted !== '' && wanted !== confinedTo) {
      throw new EvalError(
        `failed to generate resources: cross-namespace generation denied: a policy in namespace ${JSON.stringify(confinedTo)} cannot generate resources into namespace ${JSON.stringify(wanted)}`,
      );
    }
  }
  const target = isClusterScoped ? '' : (confinedTo ?? wanted);
  const version = own(metadata, 'resourceVersion');
  const source = version === undefined ? undefined : {uid: textOf(own(metadata, 'uid')), namespace: from, name: textOf(own(metadata, 'name'))};
  for (const field of ownFields) delete metadata[field];
  if (from !== '' && from !== target) delete metadata['ownerReferences'];
  delete metadata['namespace'];
  if (target !== '') metadata['namespace'] = target;
  const made = integralNumbers({...object, metadata}) as JsonObject;
  if (source !== undefined) sources.set(made, source);
  return made;
}

function clusterScoped(apiVersion: string, kind: string, resources: ResourceMap): boolean {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  return resources.find(kind).some(info => info.group === group && !info.namespaced);
}

/** Numbers on their way into an object: a double without a fraction is the integer that users meant. */
function integralNumbers(value: Json): Json {
  if (value instanceof Float) return Number.isSafeInteger(value.value) ? value.value + 0 : value;
  if (Array.isArray(value)) return value.map(integralNumbers);
  if (!isObject(value)) return value;
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(object, key, integralNumbers(item));
  return object;
}
