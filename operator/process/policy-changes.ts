import type {CelPolicyState} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {celRegistrations} from '../cel-policies/cel-handlers.js';
import type {FeatureSet} from '../feature-set.js';
import type {ReplicaLease} from '../leases/replica-lease.js';
import {createPolicyHandlers} from '../policies/policy-handlers.js';
import {tellRefused} from '../policies/refused-event.js';
import type {Foundations} from './foundations.js';
import type {Judgement} from './judgement.js';
import type {Statuses} from './statuses.js';
import type {WebhookServing} from './webhook-serving.js';

export interface PolicyChangeListeners {
  readonly statuses: Statuses;
  readonly serving: WebhookServing;
  readonly lease: ReplicaLease;
  readonly features: FeatureSet;
}

/** What follows when a policy or an exception comes, changes or goes. */
export function createPolicyChanges({log, metrics, manager, events}: Foundations, {cache, cel}: Judgement, {statuses, serving, lease, features}: PolicyChangeListeners) {
  const {status} = statuses;
  const {webhooks} = serving;

  const handlers = createPolicyHandlers({
    cache,
    log,
    lister: manager.lister,
    onChange(kind, key, state, before) {
      status.enqueue(kind, key);
      webhooks.touch();
      lease.touch();
      features.tell.onPolicy(kind, key, state, before);
      if (state === undefined) metrics.forgetPolicy(key, kind);
      if (state?.status === 'refused') tellRefused(events, {apiVersion: 'kyverno.io/v1', kind, ...state});
      if (before?.status === 'served' && state?.status === 'refused') log.error(`policy ${key} failed after a change and was dropped out`);
    },
    // The leader before may have written late, or somebody by hand.
    onTouched: (kind, key) => status.enqueue(kind, key),
    onException() {
      lease.touch();
      features.tell.onException();
    },
  });

  function onCelPolicy(kind: string, key: string, state: CelPolicyState | undefined): void {
    statuses.touchRights(kind, key);
    webhooks.touch();
    lease.touch();
    features.tell.onCelPolicy(kind, key, state);
    if (state === undefined) metrics.forgetPolicy(key, kind);
    if (state?.status === 'refused') tellRefused(events, {apiVersion: 'policies.kyverno.io/v1beta1', ...state});
  }

  return {
    ...handlers,
    celRegistrations: celRegistrations({
      cache: cel.cache,
      log,
      lister: manager.lister,
      onChange: onCelPolicy,
      onTouched: (kind, key) => status.enqueue(kind, key),
      onException() {
        // Conditions of a policy with exceptions are judged here.
        webhooks.touch();
        lease.touch();
        features.tell.onException();
      },
    }),
  };
}
