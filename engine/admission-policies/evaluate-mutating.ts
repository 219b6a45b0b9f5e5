import {conditionsHold} from '../cel-policies/run/conditions.js';
import {failure} from '../cel-policies/run/judge-variant.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {RuleRun} from '../context/rule-run.js';
import type {MaybePromise} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import type {EngineRequest, PolicyResult, RuleResult} from '../types.js';
import type {CompiledAdmissionPolicy, CompiledBinding} from './compile-admission-policy.js';
import {nativeScope} from './decide.js';
import {asBackgroundUser, resultOf, ruleOf} from './evaluate-validating.js';
import {findParams} from './params.js';

export interface AdmissionMutation {
  /** One rule per binding that selects the request; `undefined`: the policy has nothing to say. */
  readonly result: PolicyResult | undefined;
  /** After all bindings; the request's own when nothing changed. */
  readonly object: JsonObject | undefined;
}

/**
 * A MutatingAdmissionPolicy on a request: each binding that selects it, with each of its parameters, on what the one before
 * left. Without bindings the policy is tried by itself.
 */
export function mutateByAdmission(
  policy: CompiledAdmissionPolicy,
  request: EngineRequest,
  run: RuleRun,
): MaybePromise<AdmissionMutation> {
  const asked = asBackgroundUser(request);
  run.startRule();
  return run.complete(() => mutate(policy, asked, run));
}

function mutate(policy: CompiledAdmissionPolicy, request: EngineRequest, run: RuleRun): AdmissionMutation {
  const {object} = request;
  if (object === undefined) return {result: undefined, object};
  let bindings: ReadonlyArray<CompiledBinding | undefined>;
  try {
    if (!policy.matches(request, run)) return {result: undefined, object};
    bindings =
      policy.bindings.length === 0 ? [undefined] : policy.bindings.filter(binding => binding.matches(request, run));
  } catch (thrown) {
    const verdict = failure(policy.source.ref.name, 'failed to execute matching', thrown);
    return {result: resultOf(policy, [ruleOf(policy, verdict, undefined)]), object};
  }
  let current = object;
  const rules: RuleResult[] = [];
  for (const binding of bindings) {
    const answer = mutateBound(policy, binding, {request, run, object: current});
    current = answer.object;
    rules.push(ruleOf(policy, answer.verdict, binding));
  }
  return {result: rules.length === 0 ? undefined : resultOf(policy, rules), object: current};
}

interface Bound {
  readonly request: EngineRequest;
  readonly run: RuleRun;
  readonly object: JsonObject;
}

/** What a binding's parameters make of the object: all of it, or nothing when one fails. */
function mutateBound(
  policy: CompiledAdmissionPolicy,
  binding: CompiledBinding | undefined,
  {request, run, object}: Bound,
): {readonly verdict: CelVerdict; readonly object: JsonObject} {
  const rule = policy.source.ref.name;
  try {
    const found = findParams(policy.source.paramKind, binding?.source.paramRef, {request, run});
    const params = policy.takesParamList && binding?.source.paramRef?.selector !== undefined ? [listOf(found)] : found;
    let current = object;
    let met = params.length === 0;
    for (const param of params) {
      const scope = nativeScope(policy.rules, {request, host: run, cluster: run, params: param}).withObject(current);
      if (!conditionsMet(policy, scope)) continue;
      met = true;
      current = policy.mutations?.apply(current, scope) ?? current;
    }
    return met
      ? {verdict: {rule, status: 'pass', message: 'mutation is successfully applied'}, object: current}
      : {verdict: {rule, status: 'skip', message: "match conditions aren't met"}, object};
  } catch (thrown) {
    return {verdict: failure(rule, 'failed to evaluate policy', thrown), object};
  }
}

/** Conditions that cannot be judged do not hold where failures are ignored. */
function conditionsMet(policy: CompiledAdmissionPolicy, scope: ReturnType<typeof nativeScope>): boolean {
  try {
    return conditionsHold(policy.rules.conditions, scope);
  } catch (thrown) {
    if (policy.source.failurePolicy === 'Ignore' && thrown instanceof EvalError && thrown.code !== 'budget')
      return false;
    throw thrown;
  }
}

function listOf(params: ReadonlyArray<JsonObject | null>): Json {
  return {apiVersion: 'v1', kind: 'List', items: params.filter(param => param !== null)};
}
