import type {EngineRequest, PolicyResult, RuleResult, RuleType} from '../../engine/types.js';

export type ExecutionCause = 'admission_request' | 'background_scan';

/** Kinds of policies that share names of metrics. */
export type PolicyFamily = 'classic' | 'validating' | 'imageValidating' | 'mutating' | 'generating';

/** Of each family: the counter of verdicts and the histogram of durations. */
export const familyMetrics: Readonly<Record<PolicyFamily, {readonly results: string; readonly duration: string}>> = {
  classic: {results: 'kyverno_policy_results_total', duration: 'kyverno_policy_execution_duration_seconds'},
  validating: named('validating'),
  imageValidating: named('image_validating'),
  mutating: named('mutating'),
  generating: named('generating'),
};

function named(family: string): {readonly results: string; readonly duration: string} {
  return {results: `kyverno_${family}_policy_results_total`, duration: `kyverno_${family}_policy_execution_duration_seconds`};
}

const familyOfKind: ReadonlyMap<string, PolicyFamily> = new Map([
  ['ValidatingPolicy', 'validating'],
  ['NamespacedValidatingPolicy', 'validating'],
  ['ImageValidatingPolicy', 'imageValidating'],
  ['NamespacedImageValidatingPolicy', 'imageValidating'],
  ['MutatingPolicy', 'mutating'],
  ['NamespacedMutatingPolicy', 'mutating'],
  ['GeneratingPolicy', 'generating'],
  ['NamespacedGeneratingPolicy', 'generating'],
]);

export function familyOf(kind: string): PolicyFamily {
  return familyOfKind.get(kind) ?? 'classic';
}

export const ruleTypes: Readonly<Record<RuleType, string>> = {
  Validation: 'validate',
  Mutation: 'mutate',
  Generation: 'generate',
  ImageVerify: 'imageVerify',
};

export type Labels = Readonly<Record<string, string>>;

export interface ResourceLabels {
  readonly kind: string;
  readonly namespace: string;
  readonly cause: ExecutionCause;
}

/** Of a policy's own histograms, whatever its kind. */
export function policyLabels(request: EngineRequest, {policy, background}: PolicyResult, resource: ResourceLabels): Labels {
  return {
    policy_type: policy.namespace === '' ? 'cluster' : 'namespaced',
    policy_background_mode: String(background),
    policy_namespace: policy.namespace === '' ? '-' : policy.namespace,
    policy_name: policy.name,
    policy_kind: policy.kind,
    resource_kind: resource.kind,
    resource_namespace: resource.namespace,
    resource_request_operation: request.operation.toLowerCase(),
    rule_execution_cause: resource.cause,
    dry_run: String(request.dryRun),
  };
}

/** Of one verdict; which labels there are depends on the family. */
export function ruleLabels(family: PolicyFamily, policy: Labels, rule: RuleResult): Labels {
  const mode = {policy_validation_mode: rule.action === 'Enforce' ? 'enforce' : 'audit'};
  if (family === 'classic') {
    const {policy_kind: _kind, ...labels} = policy;
    return {...mode, ...labels, rule_name: rule.rule, rule_result: rule.status, rule_type: ruleTypes[rule.type]};
  }
  const {policy_name, policy_namespace, resource_kind, resource_namespace, resource_request_operation} = policy;
  return {
    ...((family === 'validating' || family === 'imageValidating') && mode),
    ...(family !== 'generating' && {policy_background_mode: policy['policy_background_mode']!}),
    policy_name: policy_name!,
    policy_namespace: policy_namespace!,
    resource_kind: resource_kind!,
    resource_namespace: resource_namespace!,
    resource_request_operation: resource_request_operation!,
    // Generation always follows the answer.
    execution_cause: family === 'generating' ? 'background_scan' : policy['rule_execution_cause']!,
    result: rule.status,
  };
}
