import {createWorkQueue} from '../manager/work-queue.js';
import {metricsSecretNames, secretNames} from '../config/environment.js';
import {metricsSecretKey} from '../registrations.js';
import {createMetricsTls} from '../tls/metrics-tls.js';
import {createTlsController} from '../tls/tls-controller.js';
import type {OwnTarget} from '../webhooks/entry-target.js';
import {carryBundle} from '../webhooks/published-bundle.js';
import {configurationResources} from '../webhooks/webhook-controller.js';
import type {Foundations} from './foundations.js';

export interface CertificateEvents {
  readonly onBundle: () => void;
  /** A webhook that nobody serves must not refuse the Secrets. */
  readonly beforeRenewal: () => Promise<void>;
}

export type Certificates = ReturnType<typeof createCertificates>;

/** Certificates of admission and of /metrics, and their renewal. */
export function createCertificates({flags, environment, log, clock, client, manager, service}: Foundations, {onBundle, beforeRenewal}: CertificateEvents) {
  const {namespace} = environment;
  const secrets = secretNames(flags, environment);
  const tls = createTlsController({
    client,
    clock,
    log,
    namespace,
    caSecret: secrets.ca,
    tlsSecret: secrets.pair,
    service: environment.serviceName,
    get serverIP() {
      return flags.serverIP;
    },
    get algorithm() {
      return flags.tlsKeyAlgorithm;
    },
    get renewBefore() {
      return flags.renewBefore;
    },
    get manage() {
      return !flags.disableCertManagerController;
    },
    read: () => ({
      ca: manager.lister('secret-ca').get(`${namespace}/${secrets.ca}`),
      tls: manager.lister('secret-tls').get(`${namespace}/${secrets.pair}`),
    }),
    onBundle,
    isPublished: bundle => Object.values(configurationResources).every(resource => carryBundle(manager.lister(resource).objects(), bundle)),
  });

  const metricsSecrets = metricsSecretNames(flags);
  const metricsTls = createMetricsTls({
    ...{client, clock, log, flags, environment},
    read(which) {
      const name = metricsSecrets?.[which];
      return name === undefined ? undefined : manager.lister(metricsSecretKey[which]).get(`${namespace}/${name}`);
    },
  });

  /** Tried until it works, by the leader: without certificates nothing is served. */
  const renewals = createWorkQueue({
    clock,
    concurrency: 1,
    firstRetryMs: 500,
    maxRetryMs: 30_000,
    async run(key) {
      if (key === 'metrics') {
        if ((await metricsTls?.renew()) === 'later') renewals.addAfter(key, 1_000);
        return;
      }
      await beforeRenewal();
      if ((await tls.renew()) === 'later') renewals.addAfter(key, 1_000);
    },
    onError: (key, error, retryInMs) => log.error(`${key === 'metrics' ? 'certificates of /metrics' : key} could not be renewed`, {error: String(error), retryInMs}),
  });
  renewals.pause();

  function renewAll(): void {
    renewals.add('certificates');
    renewals.add('metrics');
  }

  return {
    ...{secrets, tls, metricsSecrets, metricsTls, renewAll},
    /** What webhook entries have to name; `undefined`: there is no certificate yet. */
    target(): OwnTarget | undefined {
      const caBundle = tls.certificate?.ca;
      return caBundle === undefined ? undefined : {service, caBundle};
    },
    onSecret() {
      tls.refresh();
      renewals.add('certificates');
    },
    onMetricsSecret() {
      metricsTls?.refresh();
      renewals.add('metrics');
    },
    setLeading(now: boolean) {
      renewAll();
      if (now) renewals.resume();
      else renewals.pause();
    },
    stop: () => renewals.stop(),
  };
}
