import type {EngineRequest, PolicyResult, RuleResult, RuleStatus, RuleType} from '../../types.js';
import type {ValidationAction} from '../model.js';
import type {CompiledCelPolicy} from '../types.js';

export interface CelVerdict {
  readonly rule: string;
  readonly status: RuleStatus;
  readonly message: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly exceptions?: readonly string[];
}

/** What asks a policy for a result. */
export interface ResultFrame {
  readonly type: RuleType;
  readonly actions: readonly ValidationAction[];
}

export function frameOf({source}: CompiledCelPolicy): ResultFrame {
  switch (source.type) {
    case 'validating':
      return {type: 'Validation', actions: source.spec.validationActions};
    case 'mutating':
      return {type: 'Mutation', actions: ['Deny']};
    case 'generating':
      return {type: 'Generation', actions: []};
    case 'imageValidating':
      return {type: 'ImageVerify', actions: source.spec.validationActions};
    default:
      return {type: 'Validation', actions: []};
  }
}

export function ruleOf(verdict: CelVerdict, {type, actions}: ResultFrame): RuleResult {
  return {
    rule: verdict.rule,
    type,
    status: verdict.status,
    message: verdict.message,
    action: actions.includes('Deny') ? 'Enforce' : 'Audit',
    actions,
    ...(verdict.properties !== undefined &&
      Object.keys(verdict.properties).length > 0 && {properties: verdict.properties}),
    ...(verdict.exceptions !== undefined && verdict.exceptions.length > 0 && {exceptions: verdict.exceptions}),
  };
}

const sources = {
  validating: 'KyvernoValidatingPolicy',
  mutating: 'KyvernoMutatingPolicy',
  generating: 'KyvernoGeneratingPolicy',
  imageValidating: 'KyvernoImageValidatingPolicy',
  deleting: 'kyverno',
} as const;

export interface ResultRun {
  /** Nanoseconds. */
  readonly duration: number;
  readonly forceIgnore: boolean;
}

export function policyResult(policy: CompiledCelPolicy, rules: readonly RuleResult[], run: ResultRun): PolicyResult {
  const {source, ref} = policy;
  return {
    policy: ref,
    failurePolicy: run.forceIgnore ? 'Ignore' : policy.failurePolicy,
    emitWarning: false,
    annotations: source.annotations,
    background: 'background' in source.spec ? source.spec.background : false,
    source: sources[source.type],
    rules,
    duration: run.duration,
  };
}

/** The refusal of a request whose mutation failed, in the field's words. */
export function mutationRefusal(request: EngineRequest, failed: readonly PolicyResult[]): string {
  const errors = failed.flatMap(({policy, rules}) =>
    rules.filter(rule => rule.status === 'error').map(rule => `Policy ${policy.name}: ${rule.message}`),
  );
  return `Resource: ${request.namespace}/${request.name}, Kind: ${request.kind.kind}, Errors: [${errors.join(' ')}]`;
}
