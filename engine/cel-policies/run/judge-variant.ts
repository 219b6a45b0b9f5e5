import {evaluateImages} from '../../cel-image/evaluate-images.js';
import type {ImageRecord} from '../../cel-image/types.js';
import {evaluateMutating} from '../../cel-mutate/evaluate-mutating.js';
import {evaluateMutatingPods} from '../../cel-mutate/evaluate-pods.js';
import {evaluateTargets} from '../../cel-mutate/evaluate-targets.js';
import type {RuleRun} from '../../context/rule-run.js';
import {Suspend} from '../../context/suspend.js';
import {textOfThrown} from '../../context/thrown-text.js';
import {EvalError} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import {setWritePlace} from '../../targets/subresource.js';
import type {EngineRequest} from '../../types.js';
import type {CelSnapshot} from '../snapshot/cel-snapshot.js';
import type {CelCandidate} from '../snapshot/resource-index.js';
import type {PolicyVariant} from '../types.js';
import {evaluateDeleting} from './evaluate-deleting.js';
import {evaluateGenerating} from './evaluate-generating.js';
import {evaluateValidating} from './evaluate-validating.js';
import type {CelVerdict} from './results.js';
import type {RunPool} from './run-pool.js';
import {PolicyScope, type ScopeData} from './scope.js';
import {deletionData, homeOf, namespaceOf, type RequestView} from './scope-data.js';
import {withTemplateMetadata} from './template-metadata.js';

export interface Question {
  readonly request: EngineRequest;
  readonly runs: RunPool;
  readonly snapshot: CelSnapshot;
  readonly view: RequestView;
  /** The object as earlier mutations left it; the request's when absent. */
  readonly object?: JsonObject;
  readonly forceIgnore: boolean;
  /** Only tell whether conditions hold; nothing is made. */
  readonly selectOnly?: boolean | undefined;
  /** Digests that images of the request were found with; only of policies on images. */
  readonly digests?: Map<string, string>;
  /** Why the policy is not to be run, though its constraints select the request; asked once they are known to. */
  readonly refusal?: ((policy: CelCandidate['policy']) => string | undefined) | undefined;
}

export interface VariantAnswer {
  readonly verdict: CelVerdict;
  /** After mutation. */
  readonly object?: JsonObject;
  /** Created, or changed existing objects. */
  readonly targets?: readonly JsonObject[];
  /** Of a policy on images. */
  readonly images?: ImageRecord | undefined;
}

/**
 * A policy, in one of its variants, on a request; `undefined` when it has nothing to say. The boundary of a policy:
 * whatever goes wrong inside becomes an `error`, a bug of ours included. Only the wish to wait for a value passes.
 */
export function judgeVariant(candidate: CelCandidate, question: Question): VariantAnswer | undefined {
  const {policy, variant} = candidate;
  const {request, runs} = question;
  try {
    if (!variant.matches(request, runs.for(policy.ref.namespace))) return undefined;
  } catch (thrown) {
    return {verdict: failure('match', 'failed to execute matching', thrown, runs.for(policy.ref.namespace))};
  }
  const refusal = question.refusal?.(policy);
  if (refusal !== undefined) return {verdict: {rule: 'evaluation', status: 'error', message: refusal}};
  try {
    return evaluate(candidate, question);
  } catch (thrown) {
    const names = policy.source.type === 'generating' || policy.source.type === 'deleting';
    const what = policy.source.type === 'validating' ? 'failed to load context' : 'failed to evaluate policy';
    return {verdict: failure(names ? policy.ref.name : 'evaluation', what, thrown, runs.for(policy.ref.namespace))};
  }
}

export function failure(rule: string, what: string, thrown: unknown, run?: RuleRun): CelVerdict {
  if (thrown instanceof Suspend) throw thrown;
  if (!(thrown instanceof EvalError)) run?.failedInside();
  const why = thrown instanceof EvalError ? thrown.message : `internal error: ${textOfThrown(thrown)}`;
  return {rule, status: 'error', message: `${what}: ${why}`};
}

function evaluate({policy, variant}: CelCandidate, question: Question): VariantAnswer | undefined {
  const {request, runs, snapshot, view} = question;
  const {behaviour, plan} = variant;
  const host = runs.for(policy.ref.namespace);
  const {exceptions, readsNamespace} = snapshot.exceptionsFor(policy, variant);
  const wantsNamespace = variant.readsNamespace || readsNamespace;
  const extracts = variant.name === 'extract';
  if (behaviour.type === 'deleting') {
    const object = request.object ?? {};
    const home = wantsNamespace ? homeOf(object, request, runs.for('')) : null;
    const scope = new PolicyScope(plan, deletionData(object, home), {host, request});
    return {
      verdict: evaluateDeleting(behaviour.conditions, exceptions, scope, {rule: policy.ref.name, subject: 'resource'}),
    };
  }
  const data = view.data(wantsNamespace ? namespaceOf(request, runs.for('')) : null);
  switch (behaviour.type) {
    case 'validating': {
      const seen = variant.name === '' ? data : {...data, ...templateView(request, variant.name, data)};
      const scope = new PolicyScope(plan, seen, {host, request});
      const lenient = question.forceIgnore || policy.failurePolicy === 'Ignore';
      return {verdict: evaluateValidating(behaviour, {extracts, lenient, exceptions}, scope)};
    }
    case 'mutating': {
      const given = question.object ?? request.object ?? {};
      const object = withTemplateMetadata(given, variant.name) ?? given;
      const scope = new PolicyScope(plan, {...data, object}, {host, request});
      const evaluates = extracts ? evaluateMutatingPods : evaluateMutating;
      const answer = evaluates(behaviour, exceptions, scope, object);
      return answer.object === object ? {...answer, object: given} : answer;
    }
    case 'imageValidating': {
      const seen = variant.name === '' ? data : {...data, ...templateView(request, variant.name, data)};
      const scope = new PolicyScope(plan, seen, {host, request});
      const lenient = question.forceIgnore || policy.failurePolicy === 'Ignore';
      const mode = {name: policy.ref.name, extracts, lenient, exceptions, digests: question.digests ?? new Map()};
      const answer = evaluateImages(behaviour, mode, scope);
      return answer && {verdict: answer.verdict, images: answer.record};
    }
    case 'generating': {
      const scope = new PolicyScope(plan, data, {host, request});
      const answer = evaluateGenerating(
        {...behaviour, name: policy.ref.name, selectOnly: question.selectOnly},
        exceptions,
        scope,
      );
      return answer && {verdict: answer.verdict, targets: answer.objects};
    }
  }
}

function templateView(request: EngineRequest, variant: PolicyVariant['name'], {object, oldObject}: ScopeData) {
  return {
    object: withTemplateMetadata(request.object, variant) ?? object,
    oldObject: withTemplateMetadata(request.oldObject, variant) ?? oldObject,
  };
}

/** Existing objects that a mutating policy changes because of a request: one answer per target. Throws only to wait. */
export function judgeTargets(
  {policy, variant}: CelCandidate,
  {request, runs, snapshot, view, selectOnly, refusal: refuses}: Question,
): readonly VariantAnswer[] {
  const {behaviour, plan} = variant;
  if (behaviour.type !== 'mutating' || variant.name === 'extract') return [];
  const host = runs.for(policy.ref.namespace);
  try {
    if (!variant.matches(request, host)) return [];
  } catch (thrown) {
    return [{verdict: failure('match', 'failed to execute matching', thrown, host)}];
  }
  const refusal = refuses?.(policy);
  if (refusal !== undefined) return [{verdict: {rule: 'evaluation', status: 'error', message: refusal}}];
  try {
    const {exceptions, readsNamespace} = snapshot.exceptionsFor(policy, variant);
    const home = variant.readsNamespace || readsNamespace ? namespaceOf(request, runs.for('')) : null;
    const scope = new PolicyScope(plan, view.data(home), {host, request});
    const {verdict, targets} = evaluateTargets(behaviour, exceptions, scope, selectOnly);
    if (targets === undefined) return [{verdict}];
    return targets.map(target => {
      setWritePlace(target.patched, {subresource: target.subResource});
      return {verdict: target.verdict, targets: [target.patched]};
    });
  } catch (thrown) {
    return [{verdict: failure('evaluation', 'failed to evaluate policy', thrown, host)}];
  }
}
