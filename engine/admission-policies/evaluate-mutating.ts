import {conditionsHold} from '../cel-policies/run/conditions.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {RuleRun} from '../context/rule-run.js';
import type {JsonObject} from '../json/types.js';
import type {EngineRequest} from '../types.js';
import type {CompiledAdmissionPolicy, CompiledBinding} from './compile-admission-policy.js';
import {nativeScope} from './decide.js';
import {notMatched} from './evaluate-validating.js';
import {findParams} from './params.js';

export interface NativeMutation {
  readonly verdict: CelVerdict;
  /** The same reference when nothing changed. */
  readonly object: JsonObject;
}

/** A MutatingAdmissionPolicy on a request that is selected: each parameter's mutations on what the one before left. */
export function evaluateMutating(
  {source, rules, mutations}: CompiledAdmissionPolicy,
  binding: CompiledBinding | undefined,
  {request, run}: {readonly request: EngineRequest; readonly run: RuleRun},
): NativeMutation {
  const rule = source.ref.name;
  const original = request.object;
  if (original === undefined || mutations === undefined) {
    return {verdict: {rule, status: 'skip', message: 'there is no object to mutate'}, object: original ?? {}};
  }
  let object = original;
  let applied = false;
  for (const params of findParams(source.paramKind, binding?.source.paramRef, {
    request,
    run,
    asList: rules.readsParamItems,
  })) {
    const scope = nativeScope(rules, {request: {...request, object}, host: run, cluster: run, params});
    if (!conditionsHold(rules.conditions, scope)) continue;
    object = mutations.apply(object, scope);
    applied = true;
  }
  const verdict: CelVerdict = applied
    ? {rule, status: 'pass', message: 'mutation is successfully applied'}
    : {rule, status: 'skip', message: notMatched};
  return {verdict, object};
}
