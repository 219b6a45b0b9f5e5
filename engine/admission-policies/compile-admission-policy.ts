import type {Program} from '../cel/environment.js';
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
  /**
   * Its mutations read `params.items`: offline, all objects that a selector finds were once given as one list. The API
   * server gives them one after another, which all other policies get.
   */
  readonly takesParamList: boolean;
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
  const programs: Program[] = [];
  const {rules, problems} = compileNativeRules(
    {
      variables: source.variables,
      conditions: source.matchConditions,
      validations: source.type === 'validating' ? source.validations : [],
      params: source.paramKind !== undefined,
      paths,
      more: tools => {
        if (source.type !== 'mutating') return;
        mutations = compileMutationList(
          source.mutations,
          {
            environment: tools.environment,
            compile(...call) {
              const program = tools.compile(...call);
              if (program !== undefined) programs.push(program);
              return program;
            },
            fault: (...told) => tools.fault(...told),
            warn: (...told) => tools.warn(...told),
          },
          asServer,
        );
      },
    },
    {regex, mutating: source.type === 'mutating'},
  );
  if (rules === undefined) return {policy: undefined, problems};
  programs.push(...rules.plan.variables.values(), ...rules.conditions.programs.map(({program}) => program));
  const own = bindings.filter(binding => binding.type === source.type && binding.policyName === source.ref.name);
  return {
    problems: [],
    policy: {
      source,
      matches: compileConstraints(source.matchConstraints),
      rules,
      mutations,
      takesParamList: programs.some(readsParamItems),
      bindings: own.map(binding => ({
        source: binding,
        matches: binding.matchResources === undefined ? everything : compileConstraints(binding.matchResources),
      })),
    },
  };
}

function readsParamItems({paths: read}: Program): boolean {
  return [...(read.get('params') ?? [])].some(path => path === 'items' || path.startsWith('items.'));
}
