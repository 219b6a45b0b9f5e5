import {createContests} from '../webhooks/contests.js';
import {areServed} from '../webhooks/entry-target.js';
import {isLeaving, ownerReference} from '../webhooks/owner.js';
import {repairConfigurations} from '../webhooks/repair-configurations.js';
import {configurationResources, createWebhookController} from '../webhooks/webhook-controller.js';
import type {Certificates} from './certificates.js';
import type {Foundations} from './foundations.js';
import type {Judgement} from './judgement.js';

export interface WebhookServingOptions {
  readonly certificates: () => Certificates;
  /** Before the full look, the leader alone may put things right. */
  readonly mayRepair: () => boolean;
  readonly onApplied: () => void;
  readonly onContest: () => void;
}

export type WebhookServing = ReturnType<typeof createWebhookServing>;

/** The webhook configurations: written from the policies, watched for others who write them, put right before anything is served. */
export function createWebhookServing({settings, flags, environment, log, clock, metrics, client, resources, manager, events, service}: Foundations, {native, cache, cel}: Judgement, options: WebhookServingOptions) {
  const {certificates} = options;
  const ownNamespace = () => manager.lister('namespaces').get(environment.namespace);

  const contests = createContests({
    clock,
    registry: metrics.registry,
    onStart(name, message) {
      log.error(message);
      const kind = name.includes('-mutating-') ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
      events.emit({
        regarding: {apiVersion: 'admissionregistration.k8s.io/v1', kind, namespace: '', name},
        reason: 'WebhookContested',
        action: 'None',
        note: message,
        source: 'kyverno-admission',
      });
    },
    onChange: options.onContest,
  });

  const webhooks = createWebhookController({
    client,
    clock,
    log,
    cache,
    resources,
    lister: manager.lister,
    config: () => settings.config,
    flags,
    service,
    caBundle: () => certificates().tls.certificate?.ca,
    owner: () => ownerReference({role: manager.lister('owner-role').get(environment.ownerRole), namespace: ownNamespace()}),
    isLeaving: () => isLeaving(ownNamespace()),
    contests,
    isNative: policy => native.standsIn(policy),
    cel: cel.webhooks,
    onApplied: options.onApplied,
  });

  return {
    ...{contests, webhooks},
    areServed(): boolean {
      // Written once and left to the administrator: whether they are right is not ours to say.
      if (!flags.autoUpdateWebhooks) return true;
      const target = certificates().target();
      return Object.values(configurationResources).every(resource => areServed(manager.lister(resource).objects(), target));
    },
    /** Until the caches are complete, what stands in the way of the cluster is put out of it; the full look follows. */
    async repair(): Promise<void> {
      // Whether there is a peer, or a certificate, is known only then.
      if (!options.mayRepair() || manager.unreconciled().some(key => key === 'peer-deployments' || key.startsWith('secret-'))) return;
      try {
        await repairConfigurations({client, log, target: certificates().target()});
      } catch (error) {
        log.warn('webhook configurations could not be repaired before serving; they are written once the caches are complete', {error: String(error)});
      }
    },
  };
}
