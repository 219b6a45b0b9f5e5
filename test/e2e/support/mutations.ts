import {createOfflineContextLoader} from '../../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {applyJsonPatch} from '../../../engine/mutate/json-patch.js';
import {parseJsonPatch} from '../../../engine/mutate/parse-json-patch.js';
import {createEngine} from '../../../engine/run/create-engine.js';
import type {Engine} from '../../../engine/types.js';
import {PolicyCache} from '../../../engine/snapshot/policy-cache.js';
import {admissionRequest, engineRequest} from '../../guide/request.js';
import type {Standalone} from './standalone.js';

const regex = createRegexEngine();

function offlineEngine(objects: readonly JsonObject[]): Engine {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available', background: 'served', regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  for (const object of objects) {
    if (own(object, 'kind') === 'PolicyException') cache.putException(object);
    else cache.putPolicy(object);
  }
  const loader = createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: Date.now});
  return createEngine({policies: cache, loader, regex});
}

/** The object as the engine alone would change it. */
export async function mutateOffline(
  policies: readonly JsonObject[],
  object: JsonObject,
): Promise<JsonObject | undefined> {
  const request = engineRequest({operation: 'CREATE', object});
  return (await offlineEngine(policies).mutate(request, {deadline: Number.POSITIVE_INFINITY})).object;
}

/** The object as the admission server alone would change it, by the patch in its answer. */
export async function mutateStandalone(server: Standalone, policy: string, object: JsonObject): Promise<JsonObject> {
  const request = admissionRequest({operation: 'CREATE', object});
  const answer = await server.review(`/mutate/fail/finegrained/${policy}`, request);
  if (!answer.allowed) throw new Error(answer.status?.message);
  const before = structuredClone(request['object']) as JsonObject;
  if (answer.patch === undefined) return before;
  return applyJsonPatch(before, parseJsonPatch(Buffer.from(answer.patch, 'base64').toString('utf8')));
}

/** Without what the API server makes anew for each object. */
export function settled(object: Json): Json {
  if (Array.isArray(object)) return object.map(settled);
  if (!isObject(object))
    return typeof object === 'string' ? object.replace(/^kube-api-access-\w+$/, 'kube-api-access-x') : object;
  const entries = Object.entries(object).filter(
    ([key]) => !['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation'].includes(key),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, settled(value)]));
}

/** `wanted` in the namespace that the API server puts objects without one into. */
export function placedLike(actual: JsonObject | undefined, wanted: JsonObject): JsonObject {
  const metadata = own(wanted, 'metadata') as JsonObject;
  return {...wanted, metadata: {...metadata, namespace: String(ownPath(actual, 'metadata', 'namespace'))}};
}

/**
 * `wanted` with what the API server fills in before it asks anybody: the fields of `stored` that the object `written`
 * did not have and `wanted` does not set.
 */
export function withDefaultsOf(wanted: Json, written: Json | undefined, stored: Json | undefined): Json {
  if (Array.isArray(wanted) && Array.isArray(stored)) {
    const before = Array.isArray(written) ? written : [];
    return wanted.map((item, index) => withDefaultsOf(item, before[index], stored[index]));
  }
  if (!isObject(wanted) || !isObject(stored)) return wanted;
  const before = isObject(written) ? written : {};
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(wanted))
    result[key] = withDefaultsOf(value, own(before, key), own(stored, key));
  for (const [key, value] of Object.entries(stored)) {
    if (own(wanted, key) === undefined && own(before, key) === undefined) result[key] = value;
  }
  return result;
}

/** Verdict of `policy/rule` on the object as the engine alone gives it; skip when there is none. */
export async function judgeOffline(policies: readonly JsonObject[], rule: string, object: JsonObject): Promise<string> {
  const request = engineRequest({operation: 'CREATE', object});
  const {results} = await offlineEngine(policies).validate(request, {
    bucket: 'all',
    deadline: Number.POSITIVE_INFINITY,
  });
  const found = results.flatMap(({policy, rules}) => rules.filter(result => `${policy.key}/${result.rule}` === rule));
  return found[0]?.status ?? 'skip';
}
