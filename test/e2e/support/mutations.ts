import jsonPatch from 'fast-json-patch';
import {createOfflineContextLoader} from '../../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {createEngine} from '../../../engine/run/create-engine.js';
import {PolicyCache} from '../../../engine/snapshot/policy-cache.js';
import {admissionRequest, engineRequest} from '../../guide/request.js';
import type {Standalone} from './standalone.js';

/** The object as the engine alone would change it. */
export async function mutateOffline(policies: readonly JsonObject[], object: JsonObject): Promise<JsonObject | undefined> {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available'},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  for (const policy of policies) cache.putPolicy(policy);
  const loader = createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: Date.now});
  const engine = createEngine({policies: cache, loader, regex: createRegexEngine()});
  const request = engineRequest({operation: 'CREATE', object});
  return (await engine.mutate(request, {deadline: Number.POSITIVE_INFINITY})).object;
}

/** The object as the admission server alone would change it, by the patch in its answer. */
export async function mutateStandalone(server: Standalone, policy: string, object: JsonObject): Promise<JsonObject> {
  const request = admissionRequest({operation: 'CREATE', object});
  const answer = await server.review(`/mutate/fail/finegrained/${policy}`, request);
  if (!answer.allowed) throw new Error(answer.status?.message);
  const before = structuredClone(request['object']) as JsonObject;
  if (answer.patch === undefined) return before;
  const patch = JSON.parse(Buffer.from(answer.patch, 'base64').toString('utf8'));
  return jsonPatch.applyPatch(before, patch).newDocument;
}

/** Without what the API server makes anew for each object. */
export function settled(object: Json): Json {
  if (Array.isArray(object)) return object.map(settled);
  if (!isObject(object)) return typeof object === 'string' ? object.replace(/^kube-api-access-\w+$/, 'kube-api-access-x') : object;
  const entries = Object.entries(object).filter(([key]) => !['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation'].includes(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, settled(value)]));
}

/** `wanted` in the namespace that the API server puts objects without one into. */
export function placedLike(actual: JsonObject | undefined, wanted: JsonObject): JsonObject {
  const metadata = own(wanted, 'metadata') as JsonObject;
  return {...wanted, metadata: {...metadata, namespace: String(ownPath(actual, 'metadata', 'namespace'))}};
}
