import {celPolicyGroup} from '../../engine/cel-policies/load/kinds.js';
import type {Core} from '../feature.js';
import {celStorageVersion} from '../cel-policies/cel-kinds.js';
import {needsWebhook} from '../cel-policies/cel-status-source.js';
import type {NativeOwner} from './native-objects.js';
import type {NativeWish} from './native-plan.js';
import type {PolicyWording} from './native-states.js';
import {planCelPolicy} from './plan-cel.js';
import {planClassicPolicy} from './plan-classic.js';

/** A policy that may have a native copy, and what that would be. */
export interface NativeCandidate {
  readonly wording: PolicyWording;
  readonly owner: NativeOwner;
  readonly wish: NativeWish;
  /** Whether webhooks have to stand in where there is no copy. */
  readonly needsWebhook: boolean;
}

type SourceCore = Pick<Core, 'cache' | 'cel' | 'resources' | 'clock' | 'flags'>;

/** Looks policies of both families up; `undefined` for what is not served or can have no copy. */
export function createNativeSources({cache, cel, resources, clock, flags}: SourceCore) {
  function classic(name: string): NativeCandidate | undefined {
    const state = cache.policy(name);
    if (state?.status !== 'served') return undefined;
    const {policy} = state;
    const [rule] = policy.source.spec.rules;
    const exceptions = flags.enablePolicyException
      ? [...cache.exceptions()].flatMap(each => (each.status === 'served' && rule !== undefined && each.exception.names(policy.ref.key, rule.name) ? [each.exception] : []))
      : [];
    return {
      wording: policy,
      owner: {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', name, uid: policy.source.uid},
      wish: planClassicPolicy(policy, {exceptions, resources: resources()}),
      needsWebhook: policy.source.spec.admission,
    };
  }

  function written(kind: string, name: string): NativeCandidate | undefined {
    const state = cel.cache.policy(kind, name);
    if (state?.status !== 'served') return undefined;
    const {policy} = state;
    const [variant] = policy.variants;
    const wish = planCelPolicy(policy, {
      exceptions: variant === undefined ? [] : cel.cache.current.exceptionsFor(policy, variant).exceptions,
      now: clock.now(),
    });
    if (wish === undefined) return undefined;
    return {
      wording: policy,
      owner: {apiVersion: `${celPolicyGroup}/${celStorageVersion}`, kind, name, uid: policy.source.uid},
      wish,
      needsWebhook: needsWebhook(policy),
    };
  }

  return {
    find: (kind: string, name: string) => (kind === 'ClusterPolicy' ? classic(name) : written(kind, name)),
    *all(): Iterable<{readonly kind: string; readonly name: string}> {
      for (const {key} of cache.policies()) if (!key.includes('/')) yield {kind: 'ClusterPolicy', name: key};
      for (const {kind, key} of cel.cache.policies()) if (kind === 'ValidatingPolicy' || kind === 'MutatingPolicy') yield {kind, name: key};
    },
  };
}
