import type {ObjectDeclaration} from '../../cel/library/library.js';
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  stringType,
  type Type,
  timestampType,
} from '../../cel/types/type.js';

/** Declared fields of what the API server tells about a request. At run time these are plain maps. */
function declare(name: string, fields: Readonly<Record<string, Type>>): ObjectDeclaration {
  return {
    name,
    field: field => (Object.hasOwn(fields, field) ? fields[field] : undefined),
    fieldNames: () => Object.keys(fields),
  };
}

const groupVersionKind = {group: stringType, version: stringType, kind: stringType};
const groupVersionResource = {group: stringType, version: stringType, resource: stringType};

export const requestType = objectType('kubernetes.AdmissionRequest');
export const namespaceType = objectType('kubernetes.Namespace');

const requestFields: Readonly<Record<string, Type>> = {
  kind: objectType('kubernetes.GroupVersionKind'),
  resource: objectType('kubernetes.GroupVersionResource'),
  subResource: stringType,
  requestKind: objectType('kubernetes.GroupVersionKind'),
  requestResource: objectType('kubernetes.GroupVersionResource'),
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: objectType('kubernetes.UserInfo'),
  dryRun: boolType,
  options: dynType,
};

/** The request as the API server declares it. */
export const nativeRequest = declare('kubernetes.AdmissionRequest', requestFields);

/** The request of this project's policies, which also holds its objects. */
export const policyRequest = declare('kubernetes.AdmissionRequest', {
  ...requestFields,
  object: dynType,
  oldObject: dynType,
});

export const requestParts: readonly ObjectDeclaration[] = [
  declare('kubernetes.GroupVersionKind', groupVersionKind),
  declare('kubernetes.GroupVersionResource', groupVersionResource),
  declare('kubernetes.UserInfo', {
    username: stringType,
    uid: stringType,
    groups: listOf(stringType),
    extra: mapOf(stringType, listOf(stringType)),
  }),
];

/** `UID` is how Kubernetes declares it, `uid` what the object holds. */
export const namespaceObjects: readonly ObjectDeclaration[] = [
  declare('kubernetes.Namespace', {
    metadata: objectType('kubernetes.NamespaceMetadata'),
    spec: objectType('kubernetes.NamespaceSpec'),
    status: objectType('kubernetes.NamespaceStatus'),
  }),
  declare('kubernetes.NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    UID: stringType,
    uid: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: listOf(stringType),
  }),
  declare('kubernetes.NamespaceSpec', {finalizers: listOf(stringType)}),
  declare('kubernetes.NamespaceStatus', {
    phase: stringType,
    conditions: listOf(objectType('kubernetes.NamespaceCondition')),
  }),
  declare('kubernetes.NamespaceCondition', {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  }),
];

export const exceptionsType = objectType('libs.Exception');

export const exceptionObject = declare('libs.Exception', {
  allowedImages: listOf(stringType),
  allowedValues: listOf(stringType),
});
