import {isObject, type Json, type JsonObject, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {AdmissionUser, EngineRequest, GroupVersionKind, Operation} from '../../engine/types.js';
import {nameOf, namespaceOf} from '../files/load-policies.js';
import {groupVersionOf, kindOf} from '../files/load-resources.js';
import type {ValuesSpec} from '../files/values-file.js';

export interface RequestOptions {
  readonly object: JsonObject;
  /** As given: only UPDATE and DELETE change the shape of the request. */
  readonly operation: string;
  readonly user: AdmissionUser | undefined;
  readonly resources: ResourceMap;
  readonly subresources: ValuesSpec['subresources'];
}

/** What admission would ask about an object. */
export function offlineRequest(options: RequestOptions): EngineRequest {
  const {object, user, resources} = options;
  const operation: Operation =
    options.operation === 'UPDATE' || options.operation === 'DELETE' ? options.operation : 'CREATE';
  const {kind, subResource} = kindAndSubresource(object, options.subresources);
  const info = resources.find(kind.kind).find(known => known.group === kind.group);
  const resource = {group: kind.group, version: kind.version, resource: info?.resource ?? guessPlural(kind.kind)};
  const name = nameOf(object);
  const namespace = kind.kind === 'Namespace' && kind.group === '' ? name : namespaceOf(object);
  const raw: JsonObject = {
    kind: {...kind},
    resource: {...resource},
    requestKind: {...kind},
    requestResource: {...resource},
    name,
    operation: options.operation,
    dryRun: false,
    ...(subResource !== '' && {subResource, requestSubResource: subResource}),
    ...(user !== undefined && {userInfo: userJson(user)}),
  };
  return {
    uid: '',
    kind,
    resource,
    subResource,
    namespace,
    name,
    operation,
    object: operation === 'DELETE' ? undefined : object,
    oldObject: operation === 'CREATE' ? undefined : object,
    user,
    dryRun: false,
    raw,
  };
}

/** Values may say that a kind stands for a subresource of another. */
function kindAndSubresource(object: JsonObject, pairs: ValuesSpec['subresources']) {
  const {group, version} = groupVersionOf(object);
  const own: GroupVersionKind = {group, version, kind: kindOf(object)};
  for (const {subresource, parentResource} of pairs ?? []) {
    if (subresource === undefined || parentResource === undefined) continue;
    if (subresource.kind !== own.kind || (subresource.group ?? '') !== group || (subresource.version ?? '') !== version)
      continue;
    const kind = {
      group: parentResource.group ?? '',
      version: parentResource.version ?? '',
      kind: parentResource.kind ?? '',
    };
    return {kind, subResource: (subresource.name ?? '').split('/')[1] ?? ''};
  }
  return {kind: own, subResource: ''};
}

/** The plural that Kubernetes' tools guess for a kind they do not know. */
export function guessPlural(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith('endpoints')) return lower;
  if (lower.endsWith('s')) return `${lower}es`;
  if (lower.endsWith('y')) return `${lower.slice(0, -1)}ies`;
  return `${lower}s`;
}

function userJson(user: AdmissionUser): JsonObject {
  return {
    ...(user.username !== '' && {username: user.username}),
    ...(user.uid !== undefined && {uid: user.uid}),
    ...(user.groups.length > 0 && {groups: [...user.groups]}),
    ...(user.extra !== undefined && {extra: user.extra as unknown as Json}),
  };
}

export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const labels = ownPath(object, 'metadata', 'labels');
  if (!isObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
