import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {CompiledPolicy, CompiledRule} from '../../engine/compile/types.js';

/** What metrics say of a policy, whatever its kind. */
export interface DescribedPolicy {
  readonly labels: Readonly<
    Record<
      'policy_validation_mode' | 'policy_type' | 'policy_background_mode' | 'policy_namespace' | 'policy_name',
      string
    >
  >;
  readonly rules: ReadonlyArray<{readonly rule_name: string; readonly rule_type: string}>;
}

const classicTypes: Readonly<Record<CompiledRule['type'], string>> = {
  validate: 'validate',
  mutate: 'mutate',
  mutateExisting: 'mutate',
  generate: 'generate',
  verifyImages: 'imageVerify',
};
const celTypes: Readonly<Record<CompiledCelPolicy['source']['type'], string>> = {
  validating: 'validate',
  mutating: 'mutate',
  generating: 'generate',
  imageValidating: 'imageVerify',
  deleting: 'delete',
};

export function describeClassic({ref, source, rules}: CompiledPolicy): DescribedPolicy {
  return {
    labels: labelsOf(ref, source.spec.failureAction === 'Enforce', source.spec.background),
    rules: rules.map(({name, type}) => ({rule_name: name, rule_type: classicTypes[type]})),
  };
}

/** Such a policy is one rule of its own name. */
export function describeCel({ref, source}: CompiledCelPolicy): DescribedPolicy {
  const {spec} = source;
  const denies = 'validationActions' in spec && spec.validationActions.includes('Deny');
  const background = 'background' in spec ? spec.background === true : true;
  return {labels: labelsOf(ref, denies, background), rules: [{rule_name: ref.name, rule_type: celTypes[source.type]}]};
}

function labelsOf(
  ref: {readonly namespace: string; readonly name: string},
  enforces: boolean,
  background: boolean,
): DescribedPolicy['labels'] {
  return {
    policy_validation_mode: enforces ? 'enforce' : 'audit',
    policy_type: ref.namespace === '' ? 'cluster' : 'namespaced',
    policy_background_mode: String(background),
    policy_namespace: ref.namespace === '' ? '-' : ref.namespace,
    policy_name: ref.name,
  };
}
