import type {ValidationAction} from '../cel-policies/model.js';
import {failure} from '../cel-policies/run/judge-variant.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {RuleRun} from '../context/rule-run.js';
import {isPromise} from '../context/suspend.js';
import type {MaybePromise} from '../context-loader.js';
import type {EngineRequest, PolicyResult, RuleResult} from '../types.js';
import type {CompiledAdmissionPolicy, CompiledBinding} from './compile-admission-policy.js';
import {decide, type NativeDecision} from './decide.js';
import {findParams} from './params.js';

/**
 * A ValidatingAdmissionPolicy on a request: each binding that selects it, with each of its parameters. Without bindings
 * the policy is judged by itself, so that one can try it. `undefined` = it has nothing to say.
 */
export function judgeAdmission(
  policy: CompiledAdmissionPolicy,
  request: EngineRequest,
  run: RuleRun,
): MaybePromise<PolicyResult | undefined> {
  const asked = asBackgroundUser(request);
  run.startRule();
  const answer = run.complete(() => judge(policy, asked, run));
  const done = (rule: RuleResult | undefined) => (rule === undefined ? undefined : resultOf(policy, [rule]));
  return isPromise(answer) ? answer.then(done) : done(answer);
}

function judge(policy: CompiledAdmissionPolicy, request: EngineRequest, run: RuleRun): RuleResult | undefined {
  try {
    if (!policy.matches(request, run)) return undefined;
    if (policy.bindings.length === 0) return ruleOf(policy, verdictOf(policy, undefined, request, run), undefined);
    const results = policy.bindings
      .filter(binding => binding.matches(request, run))
      .map(binding => ruleOf(policy, verdictOf(policy, binding, request, run), binding));
    return worst(results);
  } catch (thrown) {
    return ruleOf(policy, failure(policy.source.ref.name, 'failed to execute matching', thrown), undefined);
  }
}

function verdictOf(
  policy: CompiledAdmissionPolicy,
  binding: CompiledBinding | undefined,
  request: EngineRequest,
  run: RuleRun,
): CelVerdict {
  const rule = policy.source.ref.name;
  try {
    const params = findParams(policy.source.paramKind, binding?.source.paramRef, {request, run});
    const decisions = params.map(param => decide(policy.rules, {request, host: run, cluster: run, params: param}));
    return verdictFrom(decisions, rule);
  } catch (thrown) {
    return failure(rule, 'failed to evaluate policy', thrown);
  }
}

/** A denial for one parameter denies. */
function verdictFrom(decisions: readonly NativeDecision[], rule: string): CelVerdict {
  for (const type of ['deny', 'error'] as const) {
    const found = decisions.find(decision => decision.type === type);
    if (found !== undefined && 'message' in found) {
      return {rule, status: type === 'deny' ? 'fail' : 'error', message: found.message};
    }
  }
  if (decisions.length > 0 && decisions.every(decision => decision.type === 'not-matched')) {
    return {rule, status: 'skip', message: "match conditions aren't met"};
  }
  return {rule, status: 'pass', message: ''};
}

const order = ['fail', 'error', 'pass', 'warn', 'skip'];

function worst(results: readonly RuleResult[]): RuleResult | undefined {
  return [...results].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))[0];
}

export function ruleOf(
  policy: CompiledAdmissionPolicy,
  verdict: CelVerdict,
  binding: CompiledBinding | undefined,
): RuleResult {
  const given = binding?.source.validationActions ?? [];
  const actions: readonly ValidationAction[] = given.length === 0 ? ['Deny'] : given;
  return {
    rule: verdict.rule,
    type: policy.source.type === 'mutating' ? 'Mutation' : 'Validation',
    status: verdict.status,
    message: verdict.message,
    action: actions.includes('Deny') ? 'Enforce' : 'Audit',
    actions,
    ...(binding !== undefined && {
      properties: {[binding.source.type === 'mutating' ? 'mapBinding' : 'binding']: binding.source.name},
    }),
  };
}

export function resultOf({source}: CompiledAdmissionPolicy, rules: readonly RuleResult[]): PolicyResult {
  return {
    policy: source.ref,
    failurePolicy: source.failurePolicy,
    emitWarning: false,
    annotations: source.annotations,
    background: true,
    source: source.type === 'mutating' ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
    rules,
  };
}

const nobody = 'system:kyverno:background-scan';

/** Nobody asks in a scan: fields of the user that are empty say so. */
export function asBackgroundUser(request: EngineRequest): EngineRequest {
  const {user} = request;
  const userInfo = {
    username: user?.username || nobody,
    uid: user?.uid || nobody,
    groups: user !== undefined && user.groups.length > 0 ? [...user.groups] : [nobody],
    ...(user?.extra !== undefined && {
      extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
    }),
  };
  return {...request, raw: {...request.raw, userInfo}};
}
