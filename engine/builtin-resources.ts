import type {KindInfo, ResourceMap} from './resource-map.js';
import generated from './resource-map.generated.json' with {type: 'json'};
import type {GroupVersionResource} from './types.js';

type Row = readonly [
  group: string,
  version: string,
  kind: string,
  plural: string,
  namespaced: number,
  subs: readonly string[],
];

const status = ['status'];

/** Kinds of this project; versions as the CRDs serve them. */
const policyRows: readonly Row[] = [
  ...rows(
    'kyverno.io',
    ['v1', 'v2beta1'],
    [
      ['ClusterPolicy', 'clusterpolicies', 0, status],
      ['Policy', 'policies', 1, status],
    ],
  ),
  ...rows('kyverno.io', ['v2', 'v2beta1', 'v2alpha1', 'v1alpha1'], [['PolicyException', 'policyexceptions', 1, []]]),
  ...rows(
    'kyverno.io',
    ['v2', 'v2beta1'],
    [
      ['CleanupPolicy', 'cleanuppolicies', 1, status],
      ['ClusterCleanupPolicy', 'clustercleanuppolicies', 0, status],
    ],
  ),
  ...rows('kyverno.io', ['v2', 'v1beta1'], [['UpdateRequest', 'updaterequests', 1, status]]),
  ...rows('kyverno.io', ['v2beta1', 'v2', 'v2alpha1'], [['GlobalContextEntry', 'globalcontextentries', 0, status]]),
  ...rows(
    'policies.kyverno.io',
    ['v1beta1', 'v1', 'v1alpha1'],
    [
      ['ValidatingPolicy', 'validatingpolicies', 0, status],
      ['MutatingPolicy', 'mutatingpolicies', 0, status],
      ['ImageValidatingPolicy', 'imagevalidatingpolicies', 0, status],
      ['GeneratingPolicy', 'generatingpolicies', 0, status],
      ['DeletingPolicy', 'deletingpolicies', 0, status],
      ['PolicyException', 'policyexceptions', 1, []],
    ],
  ),
  ...rows(
    'policies.kyverno.io',
    ['v1beta1', 'v1'],
    [
      ['NamespacedValidatingPolicy', 'namespacedvalidatingpolicies', 1, status],
      ['NamespacedMutatingPolicy', 'namespacedmutatingpolicies', 1, status],
      ['NamespacedImageValidatingPolicy', 'namespacedimagevalidatingpolicies', 1, status],
      ['NamespacedGeneratingPolicy', 'namespacedgeneratingpolicies', 1, status],
      ['NamespacedDeletingPolicy', 'namespaceddeletingpolicies', 1, status],
    ],
  ),
  ...rows(
    'reports.kyverno.io',
    ['v1'],
    [
      ['EphemeralReport', 'ephemeralreports', 1, []],
      ['ClusterEphemeralReport', 'clusterephemeralreports', 0, []],
    ],
  ),
  ...rows(
    'wgpolicyk8s.io',
    ['v1alpha2'],
    [
      ['PolicyReport', 'policyreports', 1, []],
      ['ClusterPolicyReport', 'clusterpolicyreports', 0, []],
    ],
  ),
  ...rows(
    'openreports.io',
    ['v1alpha1'],
    [
      ['Report', 'reports', 1, []],
      ['ClusterReport', 'clusterreports', 0, []],
    ],
  ),
];

/** Versions that Kubernetes no longer serves, or only on request; manifests and policies still name them. */
const formerRows: readonly Row[] = [
  ...rows('batch', ['v1beta1'], [['CronJob', 'cronjobs', 1, status]]),
  ...rows('autoscaling', ['v2beta2', 'v2beta1'], [['HorizontalPodAutoscaler', 'horizontalpodautoscalers', 1, status]]),
  ...rows(
    'policy',
    ['v1beta1'],
    [
      ['PodDisruptionBudget', 'poddisruptionbudgets', 1, status],
      ['PodSecurityPolicy', 'podsecuritypolicies', 0, []],
    ],
  ),
  ...rows(
    'networking.k8s.io',
    ['v1beta1'],
    [
      ['Ingress', 'ingresses', 1, status],
      ['IngressClass', 'ingressclasses', 0, []],
    ],
  ),
  ...rows(
    'rbac.authorization.k8s.io',
    ['v1beta1'],
    [
      ['ClusterRole', 'clusterroles', 0, []],
      ['ClusterRoleBinding', 'clusterrolebindings', 0, []],
      ['Role', 'roles', 1, []],
      ['RoleBinding', 'rolebindings', 1, []],
    ],
  ),
  ...rows('apiextensions.k8s.io', ['v1beta1'], [['CustomResourceDefinition', 'customresourcedefinitions', 0, status]]),
  ...rows(
    'admissionregistration.k8s.io',
    ['v1beta1'],
    [
      ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 0, status],
      ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', 0, []],
    ],
  ),
  ...rows(
    'apps',
    ['v1beta2', 'v1beta1'],
    [
      ['Deployment', 'deployments', 1, ['scale', 'status']],
      ['StatefulSet', 'statefulsets', 1, ['scale', 'status']],
    ],
  ),
  ...rows(
    'extensions',
    ['v1beta1'],
    [
      ['Deployment', 'deployments', 1, ['scale', 'status']],
      ['DaemonSet', 'daemonsets', 1, status],
      ['Ingress', 'ingresses', 1, status],
      ['NetworkPolicy', 'networkpolicies', 1, []],
    ],
  ),
];

function rows(
  group: string,
  versions: readonly string[],
  kinds: readonly (readonly [kind: string, plural: string, namespaced: number, subs: readonly string[]])[],
): Row[] {
  return versions.flatMap(version => kinds.map((kind): Row => [group, version, ...kind]));
}

/** Sorts `v2` before `v1` before `v1beta2` before `v1alpha1`, as Kubernetes ranks versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionRank(a), versionRank(b)];
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return right[i]! - left[i]!;
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionRank(version: string): readonly [number, number, number] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!found) return [-1, 0, 0];
  const stage = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0;
  return [stage, Number(found[1]), Number(found[3] ?? 0)];
}

function toKind([group, version, kind, resource, namespaced, subResources]: Row): KindInfo {
  return {group, version, kind, resource, namespaced: namespaced === 1, subResources};
}

/** Groups in the order in which Kubernetes resolves a bare kind: core and the workload groups first. */
const groupOrder = ['', 'apps', 'batch', 'autoscaling', 'policy', 'networking.k8s.io', 'rbac.authorization.k8s.io'];

function groupRank(group: string): number {
  const rank = groupOrder.indexOf(group);
  if (rank >= 0) return rank;
  // `extensions` only repeats what moved elsewhere.
  return group === 'extensions' ? groupOrder.length + 1 : groupOrder.length;
}

/** A map over kinds; within a kind name, by group, then by version with the most stable first. */
export function createResourceMap(kinds: readonly KindInfo[]): ResourceMap {
  const byResource = new Map<string, KindInfo>();
  const byKind = new Map<string, KindInfo[]>();
  for (const info of kinds) {
    const key = resourceKey(info);
    if (byResource.has(key)) continue;
    byResource.set(key, info);
    const named = byKind.get(info.kind);
    if (named) named.push(info);
    else byKind.set(info.kind, [info]);
  }
  return {
    kindOf: resource => byResource.get(resourceKey(resource)),
    find: kind => byKind.get(kind) ?? [],
    all: () => [...byResource.values()],
  };
}

function resourceKey({group, version, resource}: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}

function preferredFirst(a: KindInfo, b: KindInfo): number {
  const rank = groupRank(a.group) - groupRank(b.group);
  if (rank !== 0) return rank;
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return compareVersions(a.version, b.version);
}

const builtinRows = (generated.resources as unknown as readonly Row[]).map(toKind);

/** What a cluster without further CRDs serves, former versions, and this project's own kinds; for work offline. */
export const builtinResourceMap: ResourceMap = createResourceMap(
  [...builtinRows, ...formerRows.map(toKind), ...policyRows.map(toKind)].sort(preferredFirst),
);
