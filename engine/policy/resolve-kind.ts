import type {KindInfo, ResourceMap} from '../resource-map.js';

/** Group and version of kinds that every cluster has, where a bare kind name leaves no doubt. */
const builtIn: Readonly<Record<string, string>> = {
  ConfigMap: 'v1',
  Secret: 'v1',
  ServiceAccount: 'v1',
  ResourceQuota: 'v1',
  LimitRange: 'v1',
  Namespace: 'v1',
  Service: 'v1',
  Pod: 'v1',
  PersistentVolumeClaim: 'v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  Role: 'rbac.authorization.k8s.io/v1',
  RoleBinding: 'rbac.authorization.k8s.io/v1',
  ClusterRole: 'rbac.authorization.k8s.io/v1',
  ClusterRoleBinding: 'rbac.authorization.k8s.io/v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Policy: 'kyverno.io/v1',
};

export type ApiVersionAnswer =
  | {readonly type: 'found'; readonly apiVersion: string}
  | {readonly type: 'ambiguous'; readonly candidates: readonly string[]}
  | {readonly type: 'unknown'};

export function apiVersionOf(info: KindInfo): string {
  return info.group === '' ? info.version : `${info.group}/${info.version}`;
}

/** The apiVersion that a bare kind name means: well-known kinds first, then what the cluster has, if only one group has it. */
export function apiVersionFor(kind: string, resources: ResourceMap): ApiVersionAnswer {
  if (Object.hasOwn(builtIn, kind)) return {type: 'found', apiVersion: builtIn[kind]!};
  const found = resources.find(kind);
  if (found.length === 0) return {type: 'unknown'};
  const byGroup = new Map<string, KindInfo>();
  for (const info of found) if (!byGroup.has(info.group)) byGroup.set(info.group, info);
  if (byGroup.size > 1) return {type: 'ambiguous', candidates: [...byGroup.values()].map(apiVersionOf).sort()};
  return {type: 'found', apiVersion: apiVersionOf(found[0]!)};
}

/** The kind of an apiVersion; `undefined` when the cluster does not have it. */
export function kindOf(apiVersion: string, kind: string, resources: ResourceMap): KindInfo | undefined {
  const bare = kind.split('/')[0]!;
  return resources.find(bare).find(info => apiVersionOf(info) === apiVersion);
}
