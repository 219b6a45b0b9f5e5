import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {EngineRequest, Operation} from '../../engine/types.js';

export interface RequestOptions {
  readonly operation: Operation;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  readonly userInfo?: JsonObject;
}

/** The AdmissionRequest that the API server would make of an object. */
export function admissionRequest(options: RequestOptions): JsonObject {
  const {object, operation} = options;
  const apiVersion = String(own(object, 'apiVersion') ?? '');
  const slash = apiVersion.indexOf('/');
  const kind = {
    group: slash === -1 ? '' : apiVersion.slice(0, slash),
    version: slash === -1 ? apiVersion : apiVersion.slice(slash + 1),
    kind: String(own(object, 'kind') ?? ''),
  };
  const info = builtinResourceMap.find(kind.kind).find(found => found.group === kind.group);
  const resource = {
    group: kind.group,
    version: kind.version,
    resource: info?.resource ?? `${kind.kind.toLowerCase()}s`,
  };
  const name = text(ownPath(object, 'metadata', 'name'));
  const namespaced = info?.namespaced ?? true;
  const namespace =
    kind.kind === 'Namespace' ? name : namespaced ? text(ownPath(object, 'metadata', 'namespace')) || 'default' : '';
  const placed = namespaced ? withNamespace(object, namespace) : object;
  const old =
    options.oldObject === undefined
      ? undefined
      : namespaced
        ? withNamespace(options.oldObject, namespace)
        : options.oldObject;
  const deleting = operation === 'DELETE';
  return {
    uid: '11111111-2222-4333-8444-555555555555',
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name,
    namespace,
    operation,
    userInfo: options.userInfo ?? {username: 'jane', groups: ['developers', 'system:authenticated']},
    object: deleting ? null : placed,
    oldObject: deleting ? placed : (old ?? null),
    dryRun: false,
    options: null,
  };
}

/** The same as the engine takes it. */
export function engineRequest(options: RequestOptions): EngineRequest {
  const raw = admissionRequest(options);
  const object = raw['object'];
  const oldObject = raw['oldObject'];
  const user = raw['userInfo'] as JsonObject;
  return {
    uid: String(raw['uid']),
    kind: raw['kind'] as never,
    resource: raw['resource'] as never,
    subResource: '',
    namespace: String(raw['namespace']),
    name: String(raw['name']),
    operation: options.operation,
    object: isObject(object) ? object : undefined,
    oldObject: isObject(oldObject) ? oldObject : undefined,
    user: {username: String(user['username']), groups: (user['groups'] as string[]) ?? [], roles: [], clusterRoles: []},
    dryRun: false,
    raw,
  };
}

function withNamespace(object: JsonObject, namespace: string): JsonObject {
  const metadata = own(object, 'metadata');
  return {...object, metadata: {...(isObject(metadata) ? metadata : {}), namespace}};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
