/** An object as dumps and the API have it. */
export interface Item {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly {readonly manager?: string; readonly operation?: string; readonly subresource?: string; readonly fieldsV1?: unknown}[];
  readonly [field: string]: unknown;
}

interface KindEntry {
  readonly resource: string;
  readonly namespaced: boolean;
  /** Under which it is read. */
  readonly version: string;
  /** In etcd, where that is another one than the dump has. */
  readonly stored?: string;
}

const kind = (resource: string, namespaced: boolean, version = 'v1', stored?: string): KindEntry => ({resource, namespaced, version, ...(stored !== undefined && {stored})});
const celKinds = ['Validating', 'Mutating', 'Generating', 'Deleting', 'ImageValidating'].flatMap(name =>
  [false, true].map(namespaced => [`policies.kyverno.io/${namespaced ? 'Namespaced' : ''}${name}Policy`, kind(`${namespaced ? 'namespaced' : ''}${name.toLowerCase()}policies`, namespaced, 'v1', 'v1beta1')] as const),
);

/** By `group/Kind`. */
const kinds: Readonly<Record<string, KindEntry>> = {
  '/Namespace': kind('namespaces', false),
  '/ServiceAccount': kind('serviceaccounts', true),
  '/ConfigMap': kind('configmaps', true),
  '/Secret': kind('secrets', true),
  '/Service': kind('services', true),
  '/Pod': kind('pods', true),
  '/ResourceQuota': kind('resourcequotas', true),
  'apps/Deployment': kind('deployments', true),
  'apps/ReplicaSet': kind('replicasets', true),
  'coordination.k8s.io/Lease': kind('leases', true),
  'networking.k8s.io/NetworkPolicy': kind('networkpolicies', true),
  'rbac.authorization.k8s.io/ClusterRole': kind('clusterroles', false),
  'rbac.authorization.k8s.io/ClusterRoleBinding': kind('clusterrolebindings', false),
  'rbac.authorization.k8s.io/Role': kind('roles', true),
  'rbac.authorization.k8s.io/RoleBinding': kind('rolebindings', true),
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': kind('validatingwebhookconfigurations', false),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': kind('mutatingwebhookconfigurations', false),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': kind('validatingadmissionpolicies', false),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': kind('validatingadmissionpolicybindings', false),
  'kyverno.io/ClusterPolicy': kind('clusterpolicies', false),
  'kyverno.io/Policy': kind('policies', true),
  'kyverno.io/PolicyException': kind('policyexceptions', true, 'v2'),
  'kyverno.io/CleanupPolicy': kind('cleanuppolicies', true, 'v2'),
  'kyverno.io/ClusterCleanupPolicy': kind('clustercleanuppolicies', false, 'v2'),
  'kyverno.io/UpdateRequest': kind('updaterequests', true, 'v2'),
  'kyverno.io/GlobalContextEntry': kind('globalcontextentries', false, 'v2alpha1', 'v2beta1'),
  'policies.kyverno.io/PolicyException': kind('policyexceptions', true, 'v1', 'v1beta1'),
  'reports.kyverno.io/EphemeralReport': kind('ephemeralreports', true),
  'reports.kyverno.io/ClusterEphemeralReport': kind('clusterephemeralreports', false),
  'wgpolicyk8s.io/PolicyReport': kind('policyreports', true, 'v1alpha2'),
  'wgpolicyk8s.io/ClusterPolicyReport': kind('clusterpolicyreports', false, 'v1alpha2'),
  ...Object.fromEntries(celKinds),
};

export function groupOf({apiVersion}: Pick<Item, 'apiVersion'>): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

export function kindOf(item: Pick<Item, 'apiVersion' | 'kind'>): KindEntry {
  const found = kinds[`${groupOf(item)}/${item.kind}`];
  if (found === undefined) throw new Error(`unknown kind ${item.apiVersion} ${item.kind}`);
  return found;
}

/** Every kind with the path of its collection over all namespaces. */
export function collections(): readonly {readonly group: string; readonly kind: string; readonly apiVersion: string; readonly path: string}[] {
  return Object.entries(kinds).map(([key, {resource, version}]) => {
    const slash = key.indexOf('/');
    const group = key.slice(0, slash);
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return {group, kind: key.slice(slash + 1), apiVersion, path: `${group === '' ? '/api' : '/apis'}/${apiVersion}/${resource}`};
  });
}

/** Where one object is read; in the version it is read under, not its own. */
export function pathOf(item: Pick<Item, 'apiVersion' | 'kind' | 'metadata'>): string {
  const {resource, namespaced, version} = kindOf(item);
  const group = groupOf(item);
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}/${namespaced ? `namespaces/${item.metadata.namespace}/` : ''}${resource}/${item.metadata.name}`;
}

/** `group/Kind/namespace/name`. */
export function idOf(item: Pick<Item, 'apiVersion' | 'kind' | 'metadata'>): string {
  return [groupOf(item), item.kind, item.metadata.namespace ?? '', item.metadata.name].join('/');
}
