import {
  type AuthorizationAttributes,
  type Authorizer,
  AuthorizerValue,
  ResourceCheck,
} from '../cel/kubernetes/index.js';
import type {Value} from '../cel/values/value.js';
import {isPromise} from '../context/suspend.js';
import type {ContextLoader, LoadOptions, MaybePromise} from '../context-loader.js';
import {textOf} from '../json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import type {EngineRequest} from '../types.js';

export interface AuthorizerValues {
  readonly authorizer: Value;
  /** `authorizer.requestResource`. */
  readonly requestResource: Value;
}

/** `authorizer` for the user who asks; its checks are asked of the API server, where there is one. */
export function authorizerFor(request: EngineRequest, loader: ContextLoader): AuthorizerValues {
  const authorizer: Authorizer = {
    authorize: (attributes, options) => {
      const answer = review(attributes, loader, options);
      return isPromise(answer) ? answer.then(decisionOf) : decisionOf(answer);
    },
  };
  const value = new AuthorizerValue(userOf(request), authorizer);
  const {group, resource} = request.resource;
  const requestResource = new ResourceCheck(value, {
    group,
    resource,
    subresource: request.subResource,
    namespace: request.namespace,
    name: request.name,
    fieldSelector: '',
    labelSelector: '',
  });
  return {authorizer: value, requestResource};
}

function userOf({raw}: EngineRequest) {
  const info = own(raw, 'userInfo');
  const groups = ownPath(info, 'groups');
  const extra = ownPath(info, 'extra');
  const uid = textOf(ownPath(info, 'uid'));
  return {
    username: textOf(ownPath(info, 'username')),
    ...(uid !== '' && {uid}),
    ...(Array.isArray(groups) && {groups: groups.map(textOf)}),
    ...(isObject(extra) && {
      extra: Object.fromEntries(
        Object.entries(extra).map(([key, values]) => [key, Array.isArray(values) ? values.map(textOf) : []]),
      ),
    }),
  };
}

const reviews = {group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews', namespace: ''};

function review(
  attributes: AuthorizationAttributes,
  loader: ContextLoader,
  options: LoadOptions,
): MaybePromise<JsonObject> {
  const {user, verb} = attributes;
  const asked: JsonObject =
    'path' in attributes
      ? {nonResourceAttributes: {path: attributes.path, verb}}
      : {resourceAttributes: resourceAttributes(attributes, verb)};
  const spec: JsonObject = {
    user: user.username,
    ...(user.uid !== undefined && {uid: user.uid}),
    ...(user.groups !== undefined && {groups: [...user.groups]}),
    ...(user.extra !== undefined && {
      extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]): [string, Json] => [key, [...values]])),
    }),
    ...asked,
  };
  const object = {apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec};
  return loader.resourcePost({...reviews, object}, options);
}

function resourceAttributes(
  attributes: Exclude<AuthorizationAttributes, {readonly path: string}>,
  verb: string,
): JsonObject {
  const {group, resource, subresource, namespace, name, fieldSelector, labelSelector} = attributes;
  return {
    verb,
    group,
    resource,
    ...(subresource !== '' && {subresource}),
    ...(namespace !== '' && {namespace}),
    ...(name !== '' && {name}),
    ...(fieldSelector !== '' && {fieldSelector: {rawSelector: fieldSelector}}),
    ...(labelSelector !== '' && {labelSelector: {rawSelector: labelSelector}}),
  };
}

function decisionOf(answer: JsonObject) {
  const error = textOf(ownPath(answer, 'status', 'evaluationError'));
  return {
    allowed: ownPath(answer, 'status', 'allowed') === true,
    reason: textOf(ownPath(answer, 'status', 'reason')),
    ...(error !== '' && {error}),
  };
}
