import {compileMutationList} from '../cel-mutate/compile-mutations.js';
import {type ConstraintMatcher, compileConstraints} from '../cel-policies/match/match-constraints.js';
import type {CompiledMutations} from '../cel-policies/types.js';
import type {Diagnostic} from '../diagnostic.js';
import type {RegexEngine} from '../regex/types.js';
import {compileNativeRules, type NativeRules} from './compile-rules.js';
import type {AdmissionBinding, AdmissionPolicy} from './model.js';

export interface CompiledBinding {
  readonly source: AdmissionBinding;
  readonly matches: ConstraintMatcher;
}

/** One of Kubernetes' own policies with its bindings, ready to be run. */
export interface CompiledAdmissionPolicy {
  readonly source: AdmissionPolicy;
  readonly matches: ConstraintMatcher;
  readonly rules: NativeRules;
  /** Only of mutating ones. */
  readonly mutations: Pick<CompiledMutations, 'apply'> | undefined;
  readonly bindings: readonly CompiledBinding[];
}

export type AdmissionCompileResult =
  | {readonly policy: CompiledAdmissionPolicy; readonly problems: readonly []}
  | {readonly policy: undefined; readonly problems: readonly Diagnostic[]};

const paths = {variables: 'spec.variables', conditions: 'spec.matchConditions', validations: 'spec.validations'};
const everything: ConstraintMatcher = () => true;
const asServer = {replaceAtomics: false, replaceAdds: true, deduces: true};

export function compileAdmissionPolicy(
  source: AdmissionPolicy,
  bindings: readonly AdmissionBinding[],
  regex: RegexEngine,
): AdmissionCompileResult {
  let mutations: CompiledAdmissionPolicy['mutations'];
  const {rules, problems} = compileNativeRules(
    {
      variables: source.variables,
      conditions: source.matchConditions,
      validations: source.type === 'validating' ? source.validations : [],
      params: source.paramKind !== undefined,
      paths,
      more: tools => {
        if (source.type !== 'mutating') return;
        mutations = compileMutationList(source.mutations, tools, asServer);
      },
    },
    {regex, mutating: source.type === 'mutating'},
  );
  if (rules === undefined) return {policy: undefined, problems};
  const own = bindings.filter(binding => binding.type === source.type && binding.policyName === source.ref.name);
  return {
    problems: [],
    policy: {
      source,
      matches: compileConstraints(source.matchConstraints),
      rules,
      mutations,
      bindings: own.map(binding => ({
        source: binding,
        matches: binding.matchResources === undefined ? everything : compileConstraints(binding.matchResources),
      })),
    },
  };
}
