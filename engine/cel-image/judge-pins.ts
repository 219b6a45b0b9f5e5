import {failure, type Question} from '../cel-policies/run/judge-variant.js';
import {PolicyScope} from '../cel-policies/run/scope.js';
import {namespaceOf} from '../cel-policies/run/scope-data.js';
import {withTemplateMetadata} from '../cel-policies/run/template-metadata.js';
import type {CelCandidate} from '../cel-policies/snapshot/resource-index.js';
import type {JsonObject} from '../json/types.js';
import {type PinAnswer, pinDigests} from './pin-digests.js';

/** What a policy on images makes of the object; `undefined` when it has nothing to do with it. Throws only to wait. */
export function judgePins({policy, variant}: CelCandidate, question: Question & {readonly object: JsonObject}): PinAnswer | undefined {
  const {behaviour, plan} = variant;
  if (behaviour.type !== 'imageValidating') return undefined;
  const {request, runs, snapshot, view, object} = question;
  const host = runs.for(policy.ref.namespace);
  try {
    if (!variant.matches(request, host)) return undefined;
  } catch (thrown) {
    return {object, verdict: failure('match', 'failed to execute matching', thrown, host)};
  }
  try {
    const {exceptions, readsNamespace} = snapshot.exceptionsFor(policy, variant);
    const data = view.data(variant.readsNamespace || readsNamespace ? namespaceOf(request, runs.for('')) : null);
    const seen = withTemplateMetadata(object, variant.name) ?? object;
    const scope = new PolicyScope(plan, {...data, object: seen}, {host, request});
    const lenient = question.forceIgnore || policy.failurePolicy === 'Ignore';
    const mode = {name: policy.ref.name, extracts: variant.name === 'extract', lenient, exceptions, digests: new Map<string, string>()};
    return pinDigests(behaviour, mode, scope, object);
  } catch (thrown) {
    return {object, verdict: failure('evaluation', 'failed to evaluate policy', thrown, host)};
  }
}
