type Spec = Readonly<Record<string, unknown>>;

const match = {any: [{resources: {kinds: ['Pod']}}]};
const onPods = {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods']}]};
const rules = [{name: 'app-label', match, validate: {failureAction: 'Audit', message: 'label app is required', pattern: {metadata: {labels: {app: '?*'}}}}}];
const label = 'has(object.metadata.labels) && \'app\' in object.metadata.labels';
const validating: Spec = {matchConstraints: onPods, validationActions: ['Audit'], validations: [{expression: label, message: 'label app is required'}]};
const mutating: Spec = {
  matchConstraints: onPods,
  mutations: [{patchType: 'ApplyConfiguration', applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{checked: "yes"}}}'}}],
};
const quota = '[{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), "metadata": dyn({"name": "team"})}]';
const generating: Spec = {
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['namespaces']}]},
  variables: [{name: 'made', expression: quota}],
  generate: [{expression: 'generator.Apply(object.metadata.name, variables.made)'}],
};
const deleting: Spec = {schedule: '0 3 * * *', matchConstraints: onPods, conditions: [{name: 'done', expression: 'object.status.phase == "Succeeded"'}]};
const images: Spec = {matchConstraints: onPods, matchImageReferences: [{glob: 'registry.example.org/*'}], validations: [{expression: 'true', message: 'images are signed'}]};
const cleanup: Spec = {schedule: '0 3 * * *', match, conditions: {all: [{key: '{{ target.status.phase }}', operator: 'Equals', value: 'Succeeded'}]}};

/** A spec for each kind that people write, by `group/Kind`. Reports are written by the operator and have none. */
export const exampleSpecs: Readonly<Record<string, Spec>> = {
  'kyverno.io/ClusterPolicy': {rules},
  'kyverno.io/Policy': {rules},
  'kyverno.io/PolicyException': {exceptions: [{policyName: 'require-app-label', ruleNames: ['app-label']}], match},
  'kyverno.io/CleanupPolicy': cleanup,
  'kyverno.io/ClusterCleanupPolicy': cleanup,
  'kyverno.io/GlobalContextEntry': {kubernetesResource: {group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default'}},
  'kyverno.io/UpdateRequest': {requestType: 'generate', policy: 'copy-pull-secret', deleteDownstream: false, resource: {apiVersion: 'v1', kind: 'Namespace', name: 'shop'}, context: {}},
  'operator.kyverno-ts.io/KyvernoConfiguration': {},
  'policies.kyverno.io/ValidatingPolicy': validating,
  'policies.kyverno.io/NamespacedValidatingPolicy': validating,
  'policies.kyverno.io/MutatingPolicy': mutating,
  'policies.kyverno.io/NamespacedMutatingPolicy': mutating,
  'policies.kyverno.io/GeneratingPolicy': generating,
  'policies.kyverno.io/NamespacedGeneratingPolicy': generating,
  'policies.kyverno.io/ImageValidatingPolicy': images,
  'policies.kyverno.io/NamespacedImageValidatingPolicy': images,
  'policies.kyverno.io/DeletingPolicy': deleting,
  'policies.kyverno.io/NamespacedDeletingPolicy': deleting,
  'policies.kyverno.io/PolicyException': {policyRefs: [{name: 'require-app-label', kind: 'ValidatingPolicy'}]},
  'reports.kyverno.io/EphemeralReport': {owner: {apiVersion: 'v1', kind: 'Pod', name: 'web', uid: '00000000-0000-0000-0000-000000000000'}, summary: {pass: 1}},
  'reports.kyverno.io/ClusterEphemeralReport': {owner: {apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid: '00000000-0000-0000-0000-000000000000'}, summary: {pass: 1}},
};

/** KyvernoConfiguration is a singleton of one name. */
export function exampleName(kind: string): string {
  return kind === 'KyvernoConfiguration' ? 'default' : 'example';
}
