import type {CelVerdict} from '../cel-policies/run/results.js';
import type {RuleRun} from '../context/rule-run.js';
import type {EngineRequest} from '../types.js';
import type {CompiledAdmissionPolicy, CompiledBinding} from './compile-admission-policy.js';
import {decide, type NativeDecision} from './decide.js';
import {findParams} from './params.js';

/** A ValidatingAdmissionPolicy on a request that is selected, with each of the binding's parameters. */
export function evaluateValidating(
  {source, rules}: CompiledAdmissionPolicy,
  binding: CompiledBinding | undefined,
  {request, run}: {readonly request: EngineRequest; readonly run: RuleRun},
): CelVerdict {
  const params = findParams(source.paramKind, binding?.source.paramRef, {request, run, asList: rules.readsParamItems});
  const about = {request, host: run, cluster: run, lenient: source.failurePolicy === 'Ignore'};
  const decisions = params.map(param => decide(rules, {...about, params: param}));
  return verdictFrom(decisions, source.ref.name);
}

export const notMatched = "match conditions aren't met";

/** A denial for one parameter denies. */
function verdictFrom(decisions: readonly NativeDecision[], rule: string): CelVerdict {
  for (const type of ['deny', 'error'] as const) {
    const found = decisions.find(decision => decision.type === type);
    if (found !== undefined && 'message' in found) {
      return {rule, status: type === 'deny' ? 'fail' : 'error', message: found.message};
    }
  }
  if (decisions.length > 0 && decisions.every(decision => decision.type === 'not-matched')) {
    return {rule, status: 'skip', message: notMatched};
  }
  return {rule, status: 'pass', message: ''};
}
