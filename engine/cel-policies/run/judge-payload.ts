import {evaluateImages, type ImageBehaviour} from '../../cel-image/evaluate-images.js';
import {requireVerified} from '../../cel-image/required.js';
import {withDoubles} from '../../cel/kyverno/doubles.js';
import type {RuleRun} from '../../context/rule-run.js';
import type {Json} from '../../json/types.js';
import type {EngineRequest} from '../../types.js';
import type {CelSnapshot} from '../snapshot/cel-snapshot.js';
import type {CompiledCelPolicy} from '../types.js';
import {evaluateDeleting} from './evaluate-deleting.js';
import {evaluateValidating} from './evaluate-validating.js';
import {failure} from './judge-variant.js';
import type {CelVerdict} from './results.js';
import type {PolicyException} from './exceptions.js';
import {PolicyScope, type ScopePlan} from './scope.js';
import {deletionData, payloadData} from './scope-data.js';

/** Stands where a request would: payloads have none. */
export const noRequest: EngineRequest = Object.freeze({
  uid: '',
  kind: {group: '', version: '', kind: ''},
  resource: {group: '', version: '', resource: ''},
  subResource: '',
  namespace: '',
  name: '',
  operation: 'CREATE',
  object: undefined,
  oldObject: undefined,
  user: undefined,
  dryRun: false,
  raw: {},
});

/** A policy of mode JSON on a payload, whose numbers are doubles as those of all JSON text. */
export function judgePayload(
  policy: CompiledCelPolicy,
  payload: Json,
  host: RuleRun,
  snapshot: CelSnapshot,
): CelVerdict {
  const [variant] = policy.variants;
  if (variant === undefined) throw new Error(`${policy.ref.kind} judges no payloads`);
  try {
    const {exceptions} = snapshot.exceptionsFor(policy, variant);
    const {behaviour, plan} = variant;
    const object = withDoubles(payload);
    if (behaviour.type === 'deleting') {
      const scope = new PolicyScope(plan, deletionData(object, null), {host, request: noRequest});
      return evaluateDeleting(behaviour.conditions, exceptions, scope, {rule: policy.ref.name, subject: 'payload'});
    }
    if (behaviour.type === 'imageValidating') return judgeImagePayload({policy, behaviour, plan, exceptions}, object, host);
    if (behaviour.type !== 'validating') throw new Error(`${policy.ref.kind} judges no payloads`);
    const scope = new PolicyScope(plan, {...payloadData, object}, {host, request: noRequest});
    const lenient = policy.failurePolicy === 'Ignore';
    return evaluateValidating(behaviour, {extracts: false, lenient, exceptions}, scope);
  } catch (thrown) {
    const what = policy.source.type === 'imageValidating' ? 'failed to evaluate policy for JSON' : 'failed to load context';
    return failure('evaluation', what, thrown);
  }
}

interface ImagePayload {
  readonly policy: CompiledCelPolicy;
  readonly behaviour: ImageBehaviour;
  readonly plan: ScopePlan;
  readonly exceptions: readonly PolicyException[];
}

/** `undefined` becomes a skip: a payload is asked about by name. */
function judgeImagePayload({policy, behaviour, plan, exceptions}: ImagePayload, object: Json, host: RuleRun): CelVerdict {
  const {exceptions: _none, ...data} = payloadData;
  const scope = new PolicyScope(plan, {...data, object}, {host, request: noRequest});
  const {name} = policy.ref;
  const mode = {name, extracts: false, lenient: policy.failurePolicy === 'Ignore', exceptions, digests: new Map<string, string>()};
  const answer = evaluateImages(behaviour, mode, scope);
  if (answer === undefined) return {rule: name, status: 'skip', message: 'skip'};
  const [verdict] = requireVerified([{verdict: answer.verdict, record: answer.record, policy: name, required: behaviour.images.required}]);
  return verdict!;
}
