import type {Logger} from '../../adapters/log/logger.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {PolicyCache, PolicyState} from '../../engine/snapshot/policy-cache.js';
import {restoreNulls} from '../config/restore-nulls.js';

export type ClassicKind = 'ClusterPolicy' | 'Policy';

/** Registration keys in the manager. */
export const policyResources = {ClusterPolicy: 'clusterpolicies', Policy: 'policies'} as const;
export const exceptionResource = 'policyexceptions';

export interface PolicyHandlersOptions {
  readonly cache: PolicyCache;
  readonly log: Logger;
  readonly lister: (key: string) => ObjectReader;
  /** A policy was served, refused or dropped: status and webhooks may have to follow. */
  readonly onChange: (kind: ClassicKind, key: string, state: PolicyState | undefined, before: PolicyState | undefined) => void;
  /** The stored policy moved without anything to compile, e.g. its status was written: is it still the right one? */
  readonly onTouched: (kind: ClassicKind, key: string) => void;
  /** An exception came, went or changed. */
  readonly onException: () => void;
}

/**
 * Feeds the cache, on every replica. A broken edit drops that policy out and leaves all others; what happens to a
 * policy is one line in the log.
 */
export function createPolicyHandlers(options: PolicyHandlersOptions) {
  const {cache, log, lister} = options;
  /** Of each policy as last compiled: annotations steer autogen and reports, labels reports, and neither counts into the generation. */
  const compiledWith = new Map<string, string>();

  function reconcilePolicy(kind: ClassicKind, key: string): void {
    const raw = lister(policyResources[kind]).get(key);
    const before = cache.policy(key);
    if (raw === undefined) {
      cache.dropPolicy(key);
      compiledWith.delete(key);
      log.info(`policy ${key} deleted`, {kind});
      options.onChange(kind, key, undefined, before);
      return;
    }
    const wording = JSON.stringify(['annotations', 'labels'].map(field => ownPath(raw, 'metadata', field) ?? {}));
    if (before !== undefined && isSame(before, raw) && compiledWith.get(key) === wording) {
      options.onTouched(kind, key);
      return;
    }
    compiledWith.set(key, wording);
    const {object, restored} = restoreNulls(raw);
    if (restored.length > 0) log.v(1, `policy ${key}: null values that kubectl apply took out are read as written`, {paths: restored.join(', ')});
    const state = cache.putPolicy(object);
    const fields = {kind, generation: state.generation};
    if (state.status === 'served') {
      log.info(`policy ${key} accepted and cached${before === undefined ? '' : ', changed'}`, {...fields, rules: state.policy.rules.length});
    } else {
      log.error(`policy ${key} failed to load and is not served: ${state.problems.map(formatDiagnostic).join('; ')}`, fields);
    }
    options.onChange(kind, key, state, before);
  }

  function reconcileException(key: string): void {
    const raw = lister(exceptionResource).get(key);
    if (raw === undefined) {
      cache.dropException(key);
      log.info(`policy exception ${key} deleted`);
    } else {
      const state = cache.putException(raw);
      if (state.status === 'served') log.info(`policy exception ${key} accepted and cached`);
      else log.error(`policy exception ${key} failed to load and is not served: ${state.problems.map(formatDiagnostic).join('; ')}`);
    }
    options.onException();
  }

  return {reconcilePolicy, reconcileException};
}

/** Status writes move the resourceVersion, not the generation: nothing to compile, log or tell again. */
function isSame(state: PolicyState, raw: JsonObject): boolean {
  const generation = ownPath(raw, 'metadata', 'generation');
  return state.uid === ownPath(raw, 'metadata', 'uid') && state.generation === generation && state.generation !== 0;
}
