import type {ConfigurationPlan, WebhookEntry, WebhookRule} from './types.js';

export interface StaticPlanOptions {
  /** Seconds. */
  readonly defaultTimeout: number;
}

const policyKinds = ['clusterpolicies', 'policies'];
const celPolicyKinds = [
  'deletingpolicies',
  'generatingpolicies',
  'imagevalidatingpolicies',
  'mutatingpolicies',
  'namespaceddeletingpolicies',
  'namespacedgeneratingpolicies',
  'namespacedimagevalidatingpolicies',
  'namespacedmutatingpolicies',
  'namespacedvalidatingpolicies',
  'validatingpolicies',
];

/** Configurations that do not depend on policies: our own objects are judged as they are written, never changed. */
export function planStaticWebhooks(options: StaticPlanOptions): ConfigurationPlan[] {
  return [
    {kind: 'ValidatingWebhookConfiguration', name: 'kyverno-webhook-cfg', entries: [policyEntry(options)]},
    {kind: 'ValidatingWebhookConfiguration', name: 'kyverno-policy-validating-webhook-cfg', entries: objectEntries(options)},
    {kind: 'MutatingWebhookConfiguration', name: 'kyverno-mutating-webhook-cfg', entries: []},
    {kind: 'MutatingWebhookConfiguration', name: 'kyverno-policy-mutating-webhook-cfg', entries: []},
    {kind: 'MutatingWebhookConfiguration', name: 'kyverno-verify-mutating-webhook-cfg', entries: [watchdogEntry(options)]},
  ];
}

function rule(group: string, versions: readonly string[], resources: readonly string[], operations = ['CREATE', 'UPDATE']): WebhookRule {
  return {apiGroups: [group], apiVersions: versions, operations, resources, scope: '*'};
}

function entry(name: string, path: string, rules: readonly WebhookRule[], options: StaticPlanOptions): WebhookEntry {
  return {
    name,
    path,
    failurePolicy: 'Fail',
    rules,
    timeoutSeconds: options.defaultTimeout,
    sideEffects: 'None',
    matchConditions: [],
  };
}

function policyEntry(options: StaticPlanOptions): WebhookEntry {
  return entry(
    'validate-policy.kyverno.svc',
    '/policyvalidate',
    [rule('kyverno.io', ['v1', 'v2beta1'], policyKinds), rule('policies.kyverno.io', ['v1', 'v1alpha1', 'v1beta1'], celPolicyKinds)],
    options,
  );
}

function objectEntries(options: StaticPlanOptions): WebhookEntry[] {
  return [
    entry('validate-celexception.kyverno.svc', '/celexception/validate', [rule('policies.kyverno.io', ['v1', 'v1alpha1', 'v1beta1'], ['policyexceptions'])], options),
    entry('validate-cleanup.kyverno.svc', '/cleanupvalidate', [rule('kyverno.io', ['v2', 'v2alpha1', 'v2beta1'], ['cleanuppolicies', 'clustercleanuppolicies'])], options),
    entry('validate-exception.kyverno.svc', '/exceptionvalidate', [rule('kyverno.io', ['v1alpha1', 'v2', 'v2alpha1', 'v2beta1'], ['policyexceptions'])], options),
    entry('validate-globalcontext.kyverno.svc', '/globalcontextvalidate', [rule('kyverno.io', ['v2', 'v2alpha1', 'v2beta1'], ['globalcontextentries'])], options),
  ];
}

/** The API server calls us back when our own Lease is renewed: the proof that webhooks arrive. */
function watchdogEntry(options: StaticPlanOptions): WebhookEntry {
  return {
    ...entry('monitor-webhooks.kyverno.svc', '/verifymutate', [rule('coordination.k8s.io', ['v1'], ['leases'], ['UPDATE'])], options),
    failurePolicy: 'Ignore',
    sideEffects: 'NoneOnDryRun',
    objectSelector: {matchLabels: {'app.kubernetes.io/name': 'kyverno'}},
  };
}
