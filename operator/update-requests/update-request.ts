import {createHash} from 'node:crypto';
import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {AdmissionUser, EngineRequest, Operation} from '../../engine/types.js';
import type {RequestType} from './background-policy.js';
import {type NamedObject, namedFrom, objectKey} from './trigger.js';

export const updateRequests = {group: 'kyverno.io', version: 'v2', resource: 'updaterequests'} as const;
/** As the manager knows them. */
export const requestsKey = 'updaterequests';
/** Moves with each repeat of a request whose work has not been done yet. */
export const repeatAnnotation = 'updaterequest.kyverno.io/repeats';

/** Version of the trigger that the request replaces: while it is still stored, the request has not had its effect. */
export const replacesAnnotation = 'updaterequest.kyverno.io/replaces';

export interface RuleContext {
  readonly rule: string;
  readonly trigger: NamedObject;
  readonly deleteDownstream: boolean;
}

/** The work that one update request stands for. */
export interface RequestedWork {
  readonly type: RequestType;
  /** `name` or `namespace/name`. */
  readonly policy: string;
  readonly contexts: readonly RuleContext[];
  readonly operation: Operation | undefined;
  /** Without the objects, or with what of them the rules read. */
  readonly request: JsonObject | undefined;
  readonly user: AdmissionUser | undefined;
  /** Version of the trigger before; empty when not known. */
  readonly replaces?: string;
  /** The work waits until the trigger has another version. */
  readonly awaitsEffect?: boolean;
}

export interface NewUpdateRequest {
  readonly namespace: string;
  readonly type: RequestType;
  readonly policy: string;
  readonly rules: readonly string[];
  readonly trigger: NamedObject;
  readonly deleteDownstream: boolean;
  readonly synchronize: boolean;
  readonly request: EngineRequest;
  /** Under `object` and `oldObject`. */
  readonly kept: {readonly object?: JsonObject; readonly oldObject?: JsonObject};
  /** Each request is work of its own. */
  readonly repeats: boolean;
  /** Beside one that waits with other rules, which this request says nothing of. */
  readonly apart?: boolean;
}

export function updateRequestObject(parts: NewUpdateRequest): JsonObject {
  const {type, policy, rules, trigger, request, deleteDownstream, synchronize} = parts;
  const {apiVersion, kind, namespace, name, uid} = trigger;
  const target: JsonObject = {apiVersion, kind, ...(namespace !== '' && {namespace}), name, ...(uid !== '' && {uid})};
  const isMutation = type === 'mutate' || type === 'cel-mutate';
  return {
    apiVersion: 'kyverno.io/v2',
    kind: 'UpdateRequest',
    metadata: {name: updateRequestName(parts), namespace: parts.namespace, labels: labelsOf(parts), ...replaced(request)},
    spec: {
      requestType: type,
      policy,
      // The peer's definition asks for these of every request, whatever it is about: it must be able to finish ours.
      deleteDownstream: deleteDownstream && !isMutation,
      rule: isMutation ? (rules[0] ?? '') : '',
      resource: isMutation ? target : {},
      ...(!isMutation && {ruleContext: rules.map(rule => ({rule, trigger: {...target}, deleteDownstream, ...(synchronize && {synchronize})}))}),
      context: {
        ...(request.user !== undefined && {userInfo: userJson(request.user)}),
        admissionRequestInfo: {operation: request.operation, admissionRequest: requestJson(request, parts.kept)},
      },
    },
  };
}

/** Goes with each repeat. */
export function replaced(request: EngineRequest): {readonly annotations?: JsonObject} {
  const version = replacedVersion(request);
  return version === '' ? {} : {annotations: {[replacesAnnotation]: version}};
}

export function replacedVersion({operation, subResource, oldObject}: EngineRequest): string {
  return operation === 'UPDATE' && subResource === '' ? textOf(ownPath(oldObject, 'metadata', 'resourceVersion')) : '';
}

export function updateRequestName({type, policy, rules, trigger, repeats, request, apart}: NewUpdateRequest): string {
  const isMutation = type === 'mutate' || type === 'cel-mutate';
  const parts = [type, policy, isMutation ? (rules[0] ?? '') : '', objectKey(trigger), request.operation === 'DELETE' ? 'DELETE' : '', repeats ? request.uid : ''];
  if (apart === true) parts.push(request.operation, ...rules);
  return `ur-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

function labelsOf({type, policy, trigger}: NewUpdateRequest): JsonObject {
  const name = policy.slice(policy.indexOf('/') + 1).slice(0, 63);
  if (type === 'generate') return {'generate.kyverno.io/policy-name': name};
  if (type !== 'mutate') return {};
  const prefix = 'mutate.updaterequest.kyverno.io';
  return {
    [`${prefix}/policy-name`]: name,
    [`${prefix}/trigger-name`]: trigger.name.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '').replace(/[^A-Za-z0-9_.-]/g, '-'),
    ...(trigger.namespace !== '' && {[`${prefix}/trigger-namespace`]: trigger.namespace}),
    [`${prefix}/trigger-kind`]: trigger.kind,
    [`${prefix}/trigger-apiversion`]: trigger.apiVersion.replace('/', '-'),
  };
}

function userJson({username, uid, groups, extra, roles, clusterRoles}: AdmissionUser): JsonObject {
  return {
    userInfo: {username, ...(uid !== undefined && {uid}), groups: [...groups], ...(extra !== undefined && {extra: extra as unknown as JsonObject})},
    roles: [...roles],
    clusterRoles: [...clusterRoles],
  };
}

function requestJson({raw}: EngineRequest, {object, oldObject}: NewUpdateRequest['kept']): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(raw)) if (key !== 'object' && key !== 'oldObject') kept[key] = value;
  return {...kept, ...(object !== undefined && {object}), ...(oldObject !== undefined && {oldObject})};
}

const types: ReadonlySet<string> = new Set(['generate', 'mutate', 'cel-generate', 'cel-mutate']);
const operations: ReadonlySet<string> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Reads an update request, ours or one of the peer's shape; a text when it names no work. */
export function readUpdateRequest(object: JsonObject): RequestedWork | string {
  const spec = own(object, 'spec');
  const type = textOf(ownPath(spec, 'requestType'));
  if (!types.has(type)) return `requestType ${JSON.stringify(type)} is none of ${[...types].join(', ')}`;
  const policy = textOf(ownPath(spec, 'policy'));
  if (policy === '') return 'spec.policy is empty';
  const context = ownPath(spec, 'context');
  const info = ownPath(context, 'admissionRequestInfo');
  const request = ownPath(info, 'admissionRequest');
  const operation = textOf(ownPath(info, 'operation')) || textOf(ownPath(request, 'operation'));
  const fallback = ownPath(spec, 'deleteDownstream') === true;
  const listed = ownPath(spec, 'ruleContext');
  const contexts = (Array.isArray(listed) ? listed.filter(isObject) : []).map(item => ({
    rule: textOf(own(item, 'rule')),
    trigger: namedFrom(own(item, 'trigger')),
    deleteDownstream: fallback || own(item, 'deleteDownstream') === true,
  }));
  const resource = ownPath(spec, 'resource');
  if (contexts.length === 0 && isObject(resource)) contexts.push({rule: textOf(ownPath(spec, 'rule')), trigger: namedFrom(resource), deleteDownstream: fallback});
  if (contexts.length === 0) {
    const trigger = triggerOfRequest(request);
    if (trigger !== undefined) contexts.push({rule: textOf(ownPath(spec, 'rule')), trigger, deleteDownstream: fallback});
  }
  for (const {trigger} of contexts) if (trigger.kind === '' || (trigger.name === '' && trigger.uid === '')) return 'a trigger without kind, or with neither name nor uid';
  return {
    type: type as RequestType,
    policy,
    contexts,
    operation: operations.has(operation) ? (operation as Operation) : undefined,
    request: isObject(request) ? request : undefined,
    user: userOf(ownPath(context, 'userInfo')),
    replaces: textOf(ownPath(object, 'metadata', 'annotations', replacesAnnotation)),
  };
}

function triggerOfRequest(request: Json | undefined): NamedObject | undefined {
  const kind = ownPath(request, 'kind');
  const name = textOf(ownPath(request, 'name'));
  if (name === '' || textOf(ownPath(kind, 'kind')) === '') return undefined;
  const group = textOf(ownPath(kind, 'group'));
  const version = textOf(ownPath(kind, 'version'));
  const uid = textOf(ownPath(request, 'object', 'metadata', 'uid')) || textOf(ownPath(request, 'oldObject', 'metadata', 'uid'));
  return {apiVersion: group === '' ? version : `${group}/${version}`, kind: textOf(ownPath(kind, 'kind')), namespace: textOf(ownPath(request, 'namespace')), name, uid};
}

function userOf(value: Json | undefined): AdmissionUser | undefined {
  const user = ownPath(value, 'userInfo');
  if (!isObject(user)) return undefined;
  const extra = own(user, 'extra');
  return {
    username: textOf(own(user, 'username')),
    ...(typeof own(user, 'uid') === 'string' && {uid: textOf(own(user, 'uid'))}),
    groups: textsOf(own(user, 'groups')),
    ...(isObject(extra) && {extra: Object.fromEntries(Object.entries(extra).map(([key, list]) => [key, textsOf(list)]))}),
    roles: textsOf(ownPath(value, 'roles')),
    clusterRoles: textsOf(ownPath(value, 'clusterRoles')),
  };
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
