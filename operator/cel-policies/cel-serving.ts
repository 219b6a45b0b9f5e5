import type {RegexEngine} from '../../engine/regex/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {CelPolicyCache, type CelPolicyCacheOptions} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {type CelEngine, type CelEngineOptions, createCelEngine} from '../../engine/cel-policies/run/create-cel-engine.js';
import type {NamedExpression} from '../../engine/cel-policies/model.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {CelServing} from '../../webhook/types.js';
import type {NativePolicies} from '../native-policies/native-states.js';
import {entryConditions} from '../webhooks/cel-conditions.js';
import {planCelWebhooks, type CelPlan} from '../webhooks/plan-cel-webhooks.js';
import {needsWebhook} from './cel-status-source.js';
import type {Offload} from './offload.js';
import {celServing} from './serving.js';

export interface CelFamily {
  readonly cache: CelPolicyCache;
  readonly engine: CelEngine;
  readonly serving: CelServing;
  /** The policy's entries have its own conditions, which then decide alone what is asked. */
  hasOwnConditions(policy: CompiledCelPolicy): boolean;
  webhooks(): {readonly plan: CelPlan; readonly covers: ReadonlyArray<{readonly id: string; readonly uid: string; readonly generation: number}>};
}

export interface CelFamilyOptions {
  readonly native: NativePolicies;
  readonly resources: () => ResourceMap;
  readonly regex: RegexEngine;
  readonly compile: CelPolicyCacheOptions['compile'];
  readonly exceptions: CelPolicyCacheOptions['exceptions'];
  readonly engine: Omit<CelEngineOptions, 'policies'>;
  readonly offload: () => Offload;
  /** Seconds. Both are read each time: settings may change. */
  readonly defaultTimeout: number;
  readonly forceIgnore: boolean;
  /** Users whose requests are the operator's own background work. */
  readonly backgroundUsers: ReadonlySet<string>;
}

/** Cache, engine and webhook entries of the policies written in CEL. */
export function createCelFamily(options: CelFamilyOptions): CelFamily {
  const {backgroundUsers, native} = options;
  const forceIgnore = () => options.forceIgnore;
  const isNative = (policy: CompiledCelPolicy) => native.standsIn(policy);
  const cache = new CelPolicyCache({
    resources: options.resources,
    compile: options.compile,
    exceptions: options.exceptions,
    // The API server judges by its own copy; judging again would say everything twice.
    leaveOut: isNative,
  });
  const engine = createCelEngine({
    ...options.engine,
    policies: cache,
    get forceIgnore() {
      return options.forceIgnore;
    },
  });

  function served(): CompiledCelPolicy[] {
    return [...cache.policies()].flatMap(state => (state.status === 'served' && !isNative(state.policy) ? [state.policy] : []));
  }

  /** An exception is asked first here: an error in a condition would refuse there what it frees. */
  function offloads(policy: CompiledCelPolicy): boolean {
    return !(policy.failurePolicy === 'Fail' && cache.current.isExcepted(policy)) && options.offload().offloads(policy);
  }

  const offloadsCondition = (condition: NamedExpression) => options.offload().offloadsCondition(condition);

  return {
    cache,
    engine,
    serving: celServing({cache, engine, forceIgnore, backgroundUsers}),
    hasOwnConditions: policy => needsWebhook(policy) && !isNative(policy) && hasConditions(policy) && offloads(policy) && entryConditions(policy, offloadsCondition).length > 0,
    webhooks() {
      const policies = served().filter(needsWebhook);
      return {
        plan: planCelWebhooks({
          policies,
          defaultTimeout: options.defaultTimeout,
          forceIgnore: options.forceIgnore,
          offloads,
          offloadsCondition,
        }),
        covers: policies.map(({ref, source}) => ({id: `${ref.kind}/${ref.key}`, uid: source.uid, generation: source.generation})),
      };
    },
  };
}

export function hasConditions({source}: CompiledCelPolicy): boolean {
  return source.type !== 'deleting' && source.spec.matchConditions.length > 0;
}

