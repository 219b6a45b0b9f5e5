import {Gauge} from 'prom-client';
import type {PolicyRef} from '../../engine/types.js';
import type {AdmissionCore, Feature} from '../feature.js';

const condition = 'Quarantined';

/** Tells of policies that are kept from being run: condition, metric, Event and log. */
export function createQuarantineFeature(core: AdmissionCore): Feature {
  const {conditions, events, log, metrics, quarantined} = core;
  const kept = new Map<string, PolicyRef>();
  const gauge = new Gauge({
    name: 'kyverno_policy_quarantined',
    help: 'Policies that this replica answers with errors instead of running them, since they failed again and again',
    labelNames: ['policy_kind', 'policy_namespace', 'policy_name'],
    registers: [metrics.registry],
  });

  function free({kind, key, ...ref}: PolicyRef): void {
    if (!kept.delete(`${kind}/${key}`)) return;
    gauge.remove(labels({kind, key, ...ref}));
    conditions.clear(kind, key, type => type === condition);
  }

  const unsubscribe = quarantined.subscribe((policy, state) => {
    const {kind, key, apiVersion, namespace, name} = policy;
    if (state === undefined) {
      free(policy);
      log.info(`policy ${key} is out of quarantine`, {kind});
      return;
    }
    kept.set(`${kind}/${key}`, policy);
    gauge.set(labels(policy), 1);
    conditions.set(kind, key, {type: condition, status: 'True', reason: 'FailedAgainAndAgain', message: state.message});
    log.error(state.message, {kind});
    const uid = core.cel.cache.policy(kind, key)?.uid ?? core.cache.policy(key)?.uid;
    events.emit({
      regarding: {apiVersion, kind, namespace, name, ...(uid !== undefined && {uid})},
      reason: 'PolicyError',
      action: 'None',
      note: state.message,
      source: 'kyverno-admission',
    });
  });

  // Another wording begins anew.
  function changed(kind: string, key: string): void {
    quarantined.forget(kind, key);
    const policy = kept.get(`${kind}/${key}`);
    if (policy !== undefined) free(policy);
  }

  return {
    name: 'quarantine',
    onPolicy: changed,
    onCelPolicy: changed,
    stop: unsubscribe,
  };
}

function labels({kind, namespace, name}: PolicyRef) {
  return {policy_kind: kind, policy_namespace: namespace === '' ? '-' : namespace, policy_name: name};
}
