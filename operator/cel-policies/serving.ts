import type {CelEngine} from '../../engine/cel-policies/run/create-cel-engine.js';
import type {CelPolicyCache} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import type {CelServing} from '../../webhook/types.js';

export interface ServingOptions {
  readonly cache: CelPolicyCache;
  readonly engine: CelEngine;
  /** Every policy is treated as `failurePolicy: Ignore`. */
  readonly forceIgnore: () => boolean;
  /** Users whose requests are the operator's own background work. */
  readonly backgroundUsers: ReadonlySet<string>;
}

/** What the webhook asks of policies written in CEL, in a cluster and off a folder alike. */
export function celServing({cache, engine, forceIgnore, backgroundUsers}: ServingOptions): CelServing {
  return {
    engine,
    failurePolicyOf(kind, names, namespace) {
      if (forceIgnore() || kind.endsWith('GeneratingPolicy')) return 'Ignore';
      const keys = kind.startsWith('Namespaced') ? names.map(name => `${namespace}/${name}`) : names;
      const states = keys.map(key => cache.policy(kind, key));
      return states.every(state => state?.status === 'served' && state.policy.failurePolicy === 'Ignore') ? 'Ignore' : 'Fail';
    },
    isBackground: request => backgroundUsers.has(request.user?.username ?? ''),
  };
}
