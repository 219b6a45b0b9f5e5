import {type Json, type JsonObject, isObject, ownPath} from '../json/types.js';
import type {AdmissionUser, EngineRequest, GroupVersionKind, Operation} from '../types.js';

export interface TestRequest {
  readonly object?: JsonObject | undefined;
  readonly oldObject?: JsonObject | undefined;
  readonly operation?: Operation;
  readonly kind?: GroupVersionKind;
  readonly subResource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** `null` = nobody asks, as in background scans. */
  readonly user?: Partial<AdmissionUser> | null;
}

const jane: AdmissionUser = {username: 'jane', groups: ['developers'], roles: [], clusterRoles: []};
const clusterScoped = new Set(['Namespace', 'Node', 'ClusterRole']);

/** An admission request; kind, name and namespace are the object's unless given. */
export function requestOf(options: TestRequest): EngineRequest {
  const operation =
    options.operation ?? (options.oldObject !== undefined && options.object !== undefined ? 'UPDATE' : 'CREATE');
  const subject = options.object ?? options.oldObject ?? {};
  const kind = options.kind ?? kindOf(subject);
  const name = options.name ?? text(ownPath(subject, 'metadata', 'name'));
  const placed = clusterScoped.has(kind.kind)
    ? kind.kind === 'Namespace'
      ? name
      : ''
    : text(ownPath(subject, 'metadata', 'namespace')) || 'default';
  const namespace = options.namespace ?? placed;
  const user = options.user === null ? undefined : {...jane, ...options.user};
  const object = options.object;
  const oldObject = options.oldObject;
  return {
    uid: 'u',
    kind,
    resource: {group: kind.group, version: kind.version, resource: `${kind.kind.toLowerCase()}s`},
    subResource: options.subResource ?? '',
    namespace,
    name,
    operation,
    object,
    oldObject,
    user,
    dryRun: false,
    raw: {
      uid: 'u',
      kind: {...kind},
      name,
      namespace,
      operation,
      object: object ?? null,
      oldObject: oldObject ?? null,
      ...(user !== undefined && {userInfo: {username: user.username, groups: [...user.groups]}}),
    },
  };
}

/** A Pod with one container; `more` is merged over metadata and spec. */
export function pod(name: string, more: {readonly metadata?: JsonObject; readonly spec?: JsonObject} = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace: 'default', ...more.metadata},
    spec: {containers: [{name: 'main', image: 'nginx:1.27'}], ...more.spec},
  };
}

function kindOf(object: JsonObject): GroupVersionKind {
  const apiVersion = text(ownPath(object, 'apiVersion'));
  const slash = apiVersion.indexOf('/');
  return {
    group: slash === -1 ? '' : apiVersion.slice(0, slash),
    version: slash === -1 ? apiVersion || 'v1' : apiVersion.slice(slash + 1),
    kind: text(ownPath(object, 'kind')) || 'Pod',
  };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Makes every part of a value read-only, so that whoever writes to its input is found out. */
export function frozen<T extends Json>(value: T): T {
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  for (const part of parts) frozen(part);
  return Object.freeze(value);
}
