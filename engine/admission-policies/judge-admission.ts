import type {ValidationAction} from '../cel-policies/model.js';
import {failure} from '../cel-policies/run/judge-variant.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {RuleRun} from '../context/rule-run.js';
import {isPromise} from '../context/suspend.js';
import type {MaybePromise} from '../context-loader.js';
import type {Json, JsonObject} from '../json/types.js';
import type {EngineRequest, PolicyResult, RuleResult} from '../types.js';
import type {CompiledAdmissionPolicy, CompiledBinding} from './compile-admission-policy.js';
import {evaluateMutating} from './evaluate-mutating.js';
import {evaluateValidating} from './evaluate-validating.js';

export interface AdmissionAnswer {
  /** `undefined`: the policy does not select the request. */
  readonly result: PolicyResult | undefined;
  /** After mutation; the request's own when nothing changed. */
  readonly object: JsonObject | undefined;
}

/**
 * One of Kubernetes' own policies on a request: each binding that selects it, one after another. Without bindings the
 * policy is judged by itself, so that one can try it. Nobody need ask: fields of the user that are empty say so.
 */
export function judgeAdmission(
  policy: CompiledAdmissionPolicy,
  request: EngineRequest,
  run: RuleRun,
): MaybePromise<AdmissionAnswer> {
  const asked = asBackgroundUser(request);
  run.startRule();
  const answer = run.complete(() => judge(policy, asked, run));
  const done = ({rule, object}: Judged): AdmissionAnswer => ({
    result: rule === undefined ? undefined : resultOf(policy, rule),
    object,
  });
  return isPromise(answer) ? answer.then(done) : done(answer);
}

interface Judged {
  readonly rule: RuleResult | undefined;
  readonly object: JsonObject | undefined;
}

function judge(policy: CompiledAdmissionPolicy, request: EngineRequest, run: RuleRun): Judged {
  try {
    if (!policy.matches(request, run)) return {rule: undefined, object: request.object};
    const bindings =
      policy.bindings.length === 0 ? [undefined] : policy.bindings.filter(({matches}) => matches(request, run));
    const rules: RuleResult[] = [];
    let object = request.object;
    for (const binding of bindings) {
      const one = judgeBinding(policy, binding, object === undefined ? request : {...request, object}, run);
      object = one.object;
      rules.push(ruleOf(policy, one.verdict, binding));
    }
    return {rule: worst(rules), object};
  } catch (thrown) {
    const verdict = failure(policy.source.ref.name, 'failed to execute matching', thrown);
    return {rule: ruleOf(policy, verdict, undefined), object: request.object};
  }
}

function judgeBinding(
  policy: CompiledAdmissionPolicy,
  binding: CompiledBinding | undefined,
  request: EngineRequest,
  run: RuleRun,
): {readonly verdict: CelVerdict; readonly object: JsonObject | undefined} {
  try {
    if (policy.source.type === 'mutating') return evaluateMutating(policy, binding, {request, run});
    return {verdict: evaluateValidating(policy, binding, {request, run}), object: request.object};
  } catch (thrown) {
    return {verdict: failure(policy.source.ref.name, 'failed to evaluate policy', thrown), object: request.object};
  }
}

const order = ['fail', 'error', 'pass', 'warn', 'skip'];

function worst(results: readonly RuleResult[]): RuleResult | undefined {
  return [...results].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))[0];
}

function ruleOf(
  {source}: CompiledAdmissionPolicy,
  verdict: CelVerdict,
  binding: CompiledBinding | undefined,
): RuleResult {
  const given = binding?.source.validationActions ?? [];
  const actions: readonly ValidationAction[] = given.length === 0 ? ['Deny'] : given;
  const property = source.type === 'mutating' ? 'mapBinding' : 'binding';
  return {
    rule: verdict.rule,
    type: source.type === 'mutating' ? 'Mutation' : 'Validation',
    status: verdict.status,
    message: verdict.message,
    action: actions.includes('Deny') ? 'Enforce' : 'Audit',
    actions,
    ...(binding !== undefined && {properties: {[property]: binding.source.name}}),
  };
}

function resultOf({source}: CompiledAdmissionPolicy, rule: RuleResult): PolicyResult {
  return {
    policy: source.ref,
    failurePolicy: source.failurePolicy,
    emitWarning: false,
    annotations: source.annotations,
    background: true,
    source: source.type === 'mutating' ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
    rules: [rule],
  };
}

const nobody = 'system:kyverno:background-scan';

export function asBackgroundUser(request: EngineRequest): EngineRequest {
  const {user} = request;
  const extra = Object.entries(user?.extra ?? {}).map(([key, values]): [string, Json] => [key, [...values]]);
  const userInfo: JsonObject = {
    username: user?.username || nobody,
    uid: user?.uid || nobody,
    groups: user !== undefined && user.groups.length > 0 ? [...user.groups] : [nobody],
    ...(extra.length > 0 && {extra: Object.fromEntries(extra)}),
  };
  return {...request, raw: {...request.raw, userInfo}};
}
