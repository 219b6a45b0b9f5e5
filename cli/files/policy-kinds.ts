import type {JsonObject} from '../../engine/json/types.js';
import {own} from '../../engine/json/types.js';

/** What a policy document is to the commands. */
export type PolicyFamily = 'classic' | 'cleanup' | 'cel' | 'vap' | 'map' | 'binding' | 'exception' | 'cel-exception';

const namespacedTwins = [
  'NamespacedValidatingPolicy',
  'NamespacedMutatingPolicy',
  'NamespacedImageValidatingPolicy',
  'NamespacedGeneratingPolicy',
  'NamespacedDeletingPolicy',
];
const celKinds = ['ValidatingPolicy', 'MutatingPolicy', 'ImageValidatingPolicy', 'GeneratingPolicy', 'DeletingPolicy'];

const families = new Map<string, PolicyFamily>([
  ...entries('kyverno.io', ['v1', 'v2beta1'], ['ClusterPolicy', 'Policy'], 'classic'),
  ...entries('kyverno.io', ['v2', 'v2beta1', 'v2alpha1'], ['CleanupPolicy', 'ClusterCleanupPolicy'], 'cleanup'),
  ...entries('kyverno.io', ['v2', 'v2beta1', 'v2alpha1', 'v1alpha1'], ['PolicyException'], 'exception'),
  ...entries('policies.kyverno.io', ['v1', 'v1beta1', 'v1alpha1'], celKinds, 'cel'),
  ...entries('policies.kyverno.io', ['v1', 'v1beta1'], namespacedTwins, 'cel'),
  ...entries('policies.kyverno.io', ['v1', 'v1beta1', 'v1alpha1'], ['PolicyException'], 'cel-exception'),
  ...entries('admissionregistration.k8s.io', ['v1', 'v1beta1', 'v1alpha1'], ['ValidatingAdmissionPolicy'], 'vap'),
  ...entries('admissionregistration.k8s.io', ['v1', 'v1beta1', 'v1alpha1'], ['MutatingAdmissionPolicy'], 'map'),
  ...entries(
    'admissionregistration.k8s.io',
    ['v1', 'v1beta1', 'v1alpha1'],
    ['ValidatingAdmissionPolicyBinding', 'MutatingAdmissionPolicyBinding'],
    'binding',
  ),
]);

function entries(group: string, versions: readonly string[], kinds: readonly string[], family: PolicyFamily) {
  return versions.flatMap(version => kinds.map(kind => [`${group}/${version}/${kind}`, family] as const));
}

/** `undefined` for an object that is no policy. */
export function policyFamily(object: JsonObject): PolicyFamily | undefined {
  return families.get(`${String(own(object, 'apiVersion') ?? '')}/${String(own(object, 'kind') ?? '')}`);
}

/** Policies whose rules have no names of their own. */
export function isRuleless(family: PolicyFamily): boolean {
  return family === 'cel' || family === 'vap' || family === 'map';
}
