import {commonLabels} from '../labels.js';
import type {InstallSettings, KubeObject} from '../types.js';

type Named = Pick<InstallSettings, 'name' | 'namespace'>;

/** Objects that no policy sees, as `[kind,namespace,name]`, beside those of the operator's own installation. */
export const commonFilters: readonly string[] = [
  '[*/*,kube-system,*]',
  '[*/*,kube-public,*]',
  '[*/*,kube-node-lease,*]',
  '[Event,*,*]',
  '[Node,*,*]',
  '[Node/?*,*,*]',
  '[APIService,*,*]',
  '[APIService/?*,*,*]',
  '[TokenReview,*,*]',
  '[SubjectAccessReview,*,*]',
  '[SelfSubjectAccessReview,*,*]',
  '[Binding,*,*]',
  '[Pod/binding,*,*]',
  '[ReplicaSet,*,*]',
  '[ReplicaSet/?*,*,*]',
  '[EphemeralReport,*,*]',
  '[ClusterEphemeralReport,*,*]',
];

/** Our own namespace and roles. */
export function ownFilters({name, namespace}: Named): readonly string[] {
  const bindings = ['', ':extra', ':read', ':view'].map(suffix => `[ClusterRoleBinding,*,${name}${suffix}]`);
  const roles = ['', ':extra', ':generate', ':read', ':rbac:?*'].map(suffix => `[ClusterRole,*,${name}${suffix}]`);
  return [`[*/*,${namespace},*]`, ...roles, ...bindings];
}

/** Namespaces that the API server never asks about. */
export function webhookSelectors(namespace: string): object {
  const isNot = (value: string) => ({key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [value]});
  return {namespaceSelector: {matchExpressions: [isNot('kube-system'), isNot(namespace)]}};
}

/** Settings that hold at once when they are changed. A value that cannot be read is ignored and named in the log. */
export function settingsMap(settings: Named): KubeObject {
  const {name, namespace} = settings;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name, namespace, labels: commonLabels},
    data: {
      // Requests of these users are let through unseen; !pattern keeps a user in.
      excludeGroups: 'system:nodes',
      resourceFilters: [...ownFilters(settings), ...commonFilters].join('\n'),
      webhooks: JSON.stringify(webhookSelectors(namespace), null, 2),
      // Keeps managed clusters from changing our webhook configurations.
      webhookAnnotations: '{"admissions.enforcer/disabled": "true"}',
      // Generate requests that may wait before no more are made.
      updateRequestThreshold: '1000',
      generateSuccessEvents: 'false',
      defaultRegistry: 'docker.io',
      enableDefaultRegistryMutation: 'true',
    },
  };
}

/** What metrics are kept of whom; an empty include means every namespace. */
export function metricsMap({name, namespace}: Named): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name: `${name}-metrics`, namespace, labels: commonLabels},
    data: {namespaces: '{"include": [], "exclude": []}'},
  };
}
