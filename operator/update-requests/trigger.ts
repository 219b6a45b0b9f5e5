import type {ObjectRef} from '../../adapters/kube/types.js';
import {textOf} from '../../engine/json/text.js';
import {type Json, type JsonObject, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo, type ResourceMap} from '../../engine/resource-map.js';
import type {EngineRequest} from '../../engine/types.js';

/** An object by its names, as relations, update requests and Events have it. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** Empty when not known. */
  readonly uid: string;
}

export function namedObject(object: JsonObject): NamedObject {
  return {
    apiVersion: textOf(ownPath(object, 'apiVersion')),
    kind: textOf(ownPath(object, 'kind')),
    namespace: textOf(ownPath(object, 'metadata', 'namespace')),
    name: textOf(ownPath(object, 'metadata', 'name')),
    uid: textOf(ownPath(object, 'metadata', 'uid')),
  };
}

/** Identity over versions of a kind: group, kind, place. With a uid, of that object and no later one of its name. */
export function placeKey({apiVersion, kind, namespace, name}: NamedObject): string {
  return `${groupOf(apiVersion)}/${kind}/${namespace}/${name}`;
}

export function objectKey(object: NamedObject): string {
  return `${placeKey(object)}/${object.uid}`;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** `Kind namespace/name`. */
export function shownObject({kind, namespace, name}: NamedObject): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/** The kind of an object in its own version, else in the one that the cluster prefers; `undefined` while there is none. */
export function kindOf({apiVersion, kind}: Pick<NamedObject, 'apiVersion' | 'kind'>, resources: ResourceMap): KindInfo | undefined {
  const group = groupOf(apiVersion);
  const found = resources.find(kind).filter(info => info.group === group);
  return found.find(info => apiVersionOf(info) === apiVersion) ?? found[0];
}

export function refOf({namespace, name}: NamedObject, {group, version, resource, namespaced}: KindInfo): ObjectRef {
  return {group, version, resource, namespace: namespaced ? namespace : '', name};
}

/** The object that a request is about; for a subresource, the one above it. */
export function triggerOf(request: EngineRequest): NamedObject {
  const object = request.object ?? request.oldObject;
  const {group, version, kind} = request.kind;
  const ofObject = request.subResource === '' ? object : undefined;
  const isNamespace = group === '' && kind === 'Namespace';
  return {
    apiVersion: apiVersionOf({group, version}),
    kind,
    namespace: isNamespace ? '' : textOf(ownPath(ofObject, 'metadata', 'namespace')) || request.namespace,
    name: textOf(ownPath(ofObject, 'metadata', 'name')) || request.name,
    uid: textOf(ownPath(ofObject, 'metadata', 'uid')),
  };
}

export function namedFrom(value: Json | undefined): NamedObject {
  const read = (field: string) => textOf(ownPath(value, field));
  return {apiVersion: read('apiVersion'), kind: read('kind'), namespace: read('namespace'), name: read('name'), uid: read('uid')};
}
