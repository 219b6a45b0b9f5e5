import {EvalError} from '../diagnostic.js';
import {stringifyJson} from '../json/stringify.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';

const objectKeys = ['data', 'binaryData', 'stringData', 'metadata', 'apiVersion', 'kind', 'type', 'immutable'];

export interface TargetNames {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
}

/** The object that a `data` block describes; the rule's own apiVersion, name and namespace win over the data's. */
export function objectFromData(data: Json, names: TargetNames): JsonObject {
  const body = bodyOf(data, names.kind);
  const metadata = own(body, 'metadata');
  const kind = own(body, 'kind');
  return {
    ...body,
    apiVersion: names.apiVersion,
    kind: typeof kind === 'string' && kind !== '' ? kind : names.kind,
    metadata: {...(isObject(metadata) ? withTexts(metadata) : {}), ...place(names)},
  };
}

/** Labels and annotations take text only; a variable in one (`{{elementIndex}}`) may have become a number. */
function withTexts(metadata: JsonObject): JsonObject {
  const result = {...metadata};
  for (const field of ['labels', 'annotations']) {
    const map = own(metadata, field);
    if (!isObject(map)) continue;
    result[field] = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, typeof value === 'string' || value === null || isObject(value) || Array.isArray(value) ? value : stringifyJson(value)]));
  }
  return result;
}

/** What a map means as the body of a kind: that of a ConfigMap or Secret without any object key is its data. */
function bodyOf(data: Json, kind: string): JsonObject {
  if (!isObject(data)) throw new EvalError(`data must be a map, not ${data === null ? 'null' : typeof data}`);
  const isData = (kind === 'ConfigMap' || kind === 'Secret') && Object.keys(data).length > 0;
  return isData && !objectKeys.some(key => Object.hasOwn(data, key)) ? {data} : data;
}

/** What belongs to one stored object alone and is never copied. */
const ownFields = ['uid', 'selfLink', 'creationTimestamp', 'managedFields', 'resourceVersion', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
/** Labels and annotations by which other tools own an object; a copy must not be theirs. */
const foreignKeys = /^(app\.kubernetes\.io\/instance$|argocd\.argoproj\.io\/|kustomize\.toolkit\.fluxcd\.io\/|helm\.toolkit\.fluxcd\.io\/|kubectl\.kubernetes\.io\/last-applied-configuration$|generate\.kyverno\.io\/)/;

/** A copy of `source` under other names. */
export function copyOf(source: JsonObject, names: TargetNames): JsonObject {
  const from = own(source, 'metadata');
  const metadata: JsonObject = isObject(from) ? {...from} : {};
  for (const field of ownFields) delete metadata[field];
  if (own(metadata, 'namespace') !== names.namespace) delete metadata['ownerReferences'];
  for (const field of ['labels', 'annotations']) {
    const map = own(metadata, field);
    if (!isObject(map)) continue;
    const kept = Object.entries(map).filter(([key]) => !foreignKeys.test(key));
    if (kept.length > 0) metadata[field] = Object.fromEntries(kept);
    else delete metadata[field];
  }
  return {...source, metadata: {...metadata, ...place(names)}};
}

function place({name, namespace}: TargetNames): JsonObject {
  return {name, ...(namespace !== '' && {namespace})};
}
