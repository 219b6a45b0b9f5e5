import type {RegexEngine} from '../../engine/regex/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {CelPolicyCache, type CelPolicyCacheOptions} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {type CelEngine, type CelEngineOptions, createCelEngine} from '../../engine/cel-policies/run/create-cel-engine.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {CelServing} from '../../webhook/types.js';
import {planCelWebhooks, type CelPlan} from '../webhooks/plan-cel-webhooks.js';
import type {NativePolicyState} from './cel-status.js';
import {needsWebhook} from './cel-status-source.js';
import type {Offload} from './offload.js';

/** What the API server's own policies do in place of ours; filled in by the room that makes them. */
export class NativePolicies {
  readonly #states = new Map<string, NativePolicyState & {readonly uid: string; readonly generation: number}>();

  /** `undefined`: nothing is known, or the policy has changed since. */
  stateOf({ref, source}: CompiledCelPolicy): NativePolicyState | undefined {
    const state = this.#states.get(`${ref.kind}/${ref.key}`);
    return state?.uid === source.uid && state.generation === source.generation ? state : undefined;
  }

  set({ref, source}: CompiledCelPolicy, state: NativePolicyState | undefined): void {
    const id = `${ref.kind}/${ref.key}`;
    if (state === undefined) this.#states.delete(id);
    else this.#states.set(id, {...state, uid: source.uid, generation: source.generation});
  }
}

export interface CelFamily {
  readonly cache: CelPolicyCache;
  readonly engine: CelEngine;
  readonly serving: CelServing;
  readonly native: NativePolicies;
  webhooks(): {readonly plan: CelPlan; readonly covers: ReadonlyArray<{readonly id: string; readonly uid: string; readonly generation: number}>};
}

export interface CelFamilyOptions {
  readonly resources: () => ResourceMap;
  readonly regex: RegexEngine;
  readonly compile: CelPolicyCacheOptions['compile'];
  readonly exceptions: CelPolicyCacheOptions['exceptions'];
  readonly engine: Omit<CelEngineOptions, 'policies'>;
  readonly offload: () => Offload;
  readonly defaultTimeout: number;
  readonly forceIgnore: boolean;
  /** Users whose requests are the operator's own background work. */
  readonly backgroundUsers: ReadonlySet<string>;
}

/** Cache, engine and webhook entries of the policies written in CEL. */
export function createCelFamily(options: CelFamilyOptions): CelFamily {
  const {forceIgnore, backgroundUsers} = options;
  const native = new NativePolicies();
  const isNative = (policy: CompiledCelPolicy) => native.stateOf(policy)?.generated === true;
  const cache = new CelPolicyCache({
    resources: options.resources,
    compile: options.compile,
    exceptions: options.exceptions,
    // The API server judges by its own copy; judging again would say everything twice.
    leaveOut: isNative,
  });
  const engine = createCelEngine({...options.engine, policies: cache, forceIgnore});

  function served(): CompiledCelPolicy[] {
    return [...cache.policies()].flatMap(state => (state.status === 'served' && !isNative(state.policy) ? [state.policy] : []));
  }

  return {
    cache,
    engine,
    native,
    serving: {
      engine,
      failurePolicyOf(kind, names, namespace) {
        if (forceIgnore || kind.endsWith('GeneratingPolicy')) return 'Ignore';
        const keys = kind.startsWith('Namespaced') ? names.map(name => `${namespace}/${name}`) : names;
        const states = keys.map(key => cache.policy(kind, key));
        return states.every(state => state?.status === 'served' && state.policy.failurePolicy === 'Ignore') ? 'Ignore' : 'Fail';
      },
      isBackground: request => backgroundUsers.has(request.user?.username ?? ''),
    },
    webhooks() {
      const policies = served().filter(needsWebhook);
      const offload = options.offload();
      return {
        plan: planCelWebhooks({
          policies,
          defaultTimeout: options.defaultTimeout,
          forceIgnore,
          offloads: policy => offload.offloads(policy),
          offloadsCondition: condition => offload.offloadsCondition(condition),
        }),
        covers: policies.map(({ref, source}) => ({id: `${ref.kind}/${ref.key}`, uid: source.uid, generation: source.generation})),
      };
    },
  };
}

/** `namespace` of a policy's key; empty for cluster-scoped ones. */
export function namespaceOfKey(key: string): string {
  return key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
}

