import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {Logger} from '../../adapters/log/logger.js';
import {celPolicyGroup} from '../../engine/cel-policies/load/kinds.js';
import type {CelPolicyCache, CelPolicyState} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {Registration} from '../manager/manager.js';
import {celExceptionKey, celResourceKey, celResources, celStorageVersion} from './cel-kinds.js';

export interface CelHandlersOptions {
  readonly cache: CelPolicyCache;
  readonly log: Logger;
  readonly lister: (key: string) => ObjectReader;
  readonly onChange: (kind: string, key: string, state: CelPolicyState | undefined, before: CelPolicyState | undefined) => void;
  /** The stored policy moved without anything to compile. */
  readonly onTouched: (kind: string, key: string) => void;
  readonly onException: (key: string) => void;
}

/** Feeds the cache of CEL policies and their exceptions, on every replica. */
export function celRegistrations(options: CelHandlersOptions): Registration[] {
  const {cache, log, lister} = options;
  /** Of each policy as last compiled: labels and annotations steer, but do not count into the generation. */
  const compiledWith = new Map<string, string>();

  function reconcilePolicy(kind: string, key: string): void {
    const id = `${kind}/${key}`;
    const raw = lister(celResourceKey(kind)).get(key);
    const before = cache.policy(kind, key);
    if (raw === undefined) {
      cache.dropPolicy(kind, key);
      compiledWith.delete(id);
      log.info(`policy ${key} deleted`, {kind});
      options.onChange(kind, key, undefined, before);
      return;
    }
    const wording = wordingOf(raw);
    if (before !== undefined && compiledWith.get(id) === wording) {
      options.onTouched(kind, key);
      return;
    }
    compiledWith.set(id, wording);
    const state = cache.putPolicy({...raw, kind, apiVersion: raw['apiVersion'] ?? `${celPolicyGroup}/${celStorageVersion}`});
    const fields = {kind, generation: state.generation};
    if (state.status === 'served') log.info(`policy ${key} accepted and cached${before === undefined ? '' : ', changed'}`, fields);
    else log.error(`policy ${key} failed to load and is not served: ${state.problems.map(formatDiagnostic).join('; ')}`, fields);
    options.onChange(kind, key, state, before);
  }

  function reconcileException(key: string): void {
    const raw = lister(celExceptionKey).get(key);
    if (raw === undefined) {
      cache.dropException(key);
      log.info(`policy exception ${key} deleted`);
    } else {
      const state = cache.putException(raw);
      if (state.status === 'served') log.info(`policy exception ${key} accepted and cached`);
      else log.error(`policy exception ${key} failed to load and is not served: ${state.problems.map(formatDiagnostic).join('; ')}`);
    }
    options.onException(key);
  }

  const common = {group: celPolicyGroup, version: celStorageVersion, optional: true} as const;
  return [
    ...celResources.map(({kind, key, resource, namespaced}) => ({
      ...common,
      key,
      resource,
      namespaced,
      reconcile: (objectKey: string) => reconcilePolicy(kind, objectKey),
    })),
    {...common, key: celExceptionKey, resource: 'policyexceptions', namespaced: true, reconcile: reconcileException},
  ];
}

/** Status writes move the resourceVersion, not what this holds. */
function wordingOf(raw: JsonObject): string {
  const part = (field: string) => ownPath(raw, 'metadata', field) ?? null;
  return JSON.stringify([part('uid'), part('generation'), part('annotations'), part('labels')]);
}
