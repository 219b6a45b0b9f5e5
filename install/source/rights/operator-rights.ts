import type {PolicyRule} from '../types.js';

const read = ['get', 'list', 'watch'];
const write = [...read, 'create', 'update', 'patch', 'delete'];
const status = ['get', 'update', 'patch'];

const celPolicies = [
  'validatingpolicies',
  'namespacedvalidatingpolicies',
  'mutatingpolicies',
  'namespacedmutatingpolicies',
  'generatingpolicies',
  'namespacedgeneratingpolicies',
  'imagevalidatingpolicies',
  'namespacedimagevalidatingpolicies',
  'deletingpolicies',
  'namespaceddeletingpolicies',
];
const classicPolicies = ['clusterpolicies', 'policies', 'cleanuppolicies', 'clustercleanuppolicies', 'globalcontextentries', 'updaterequests'];
const statusOf = (resources: readonly string[]) => resources.map(resource => `${resource}/status`);

/** What the operator itself needs in the whole cluster, whatever the policies. */
export const clusterRights: readonly PolicyRule[] = [
  // Policies are read; only their status is written, never what users wrote.
  {apiGroups: ['kyverno.io'], resources: [...classicPolicies, 'policyexceptions'], verbs: read},
  {apiGroups: ['kyverno.io'], resources: statusOf(classicPolicies), verbs: status},
  {apiGroups: ['policies.kyverno.io'], resources: [...celPolicies, 'policyexceptions'], verbs: read},
  {apiGroups: ['policies.kyverno.io'], resources: statusOf(celPolicies), verbs: status},
  // Settings are read; the status tells which of them are in force.
  {apiGroups: ['operator.kyverno-ts.io'], resources: ['kyvernoconfigurations'], verbs: read},
  {apiGroups: ['operator.kyverno-ts.io'], resources: ['kyvernoconfigurations/status'], verbs: status},
  // What policies say of objects.
  {apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports', 'clusterpolicyreports'], verbs: write},
  {apiGroups: ['openreports.io'], resources: ['reports', 'clusterreports'], verbs: write},
  {apiGroups: ['reports.kyverno.io'], resources: ['ephemeralreports', 'clusterephemeralreports'], verbs: write},
  // The operator writes its own webhook configurations and undoes foreign changes to them.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: [...write, 'deletecollection'],
  },
  // Native copies of policies that ask for one. Taken away, policies are judged by webhooks alone.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
    verbs: [...read, 'create', 'update', 'delete'],
  },
  // New kinds are noticed, and policies that wait for them compile again.
  {apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: read},
  // Labels of namespaces for selectors; ConfigMaps for context entries.
  {apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: read},
  // Roles of requesters, for rules that ask for roles or clusterRoles.
  {apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings', 'clusterrolebindings'], verbs: read},
  {apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch']},
  // Whether somebody may do what a policy asks about.
  {apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create']},
];

/** The ClusterRole owns the webhook configurations, so that they go with the installation. */
export function ownerRight(name: string): PolicyRule {
  return {apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: [name], verbs: read};
}

/** Says on the own Deployment that another Kyverno runs beside it. */
export function conditionRight(name: string): PolicyRule {
  return {apiGroups: ['apps'], resources: ['deployments/status'], resourceNames: [name], verbs: ['patch']};
}

/** What it needs in its own namespace only. */
export const namespaceRights: readonly PolicyRule[] = [
  // Certificate authority and serving pair.
  {apiGroups: [''], resources: ['secrets'], verbs: write},
  // Leader election, and what each replica has loaded.
  {apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: write},
  // Work that requests leave for the background.
  {apiGroups: ['kyverno.io'], resources: ['updaterequests', 'updaterequests/status'], verbs: [...write, 'deletecollection']},
  // Whether a replica that ends is the last one: only then are webhooks relaxed.
  {apiGroups: ['apps'], resources: ['deployments'], verbs: read},
  // Whether a replica that ends still gets requests.
  {apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read},
];

/**
 * What generate rules make without further grants. Roles and bindings still need what they give, or the verbs escalate
 * and bind: whoever may write policies makes objects with these rights.
 */
export const generateRights: readonly PolicyRule[] = [
  {apiGroups: [''], resources: ['configmaps', 'resourcequotas', 'limitranges'], verbs: write},
  {apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses', 'networkpolicies'], verbs: write},
  {apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: write},
  {apiGroups: ['resource.k8s.io'], resources: ['resourceclaims', 'resourceclaimtemplates'], verbs: write},
];
