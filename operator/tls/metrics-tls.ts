import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import type {JsonObject} from '../../engine/json/types.js';
import {metricsSecretNames, type OperatorEnvironment} from '../config/environment.js';
import type {Flags} from '../config/flags.js';
import {followPair} from './followed-pair.js';
import type {ServedSecrets} from './served-secrets.js';
import {createTlsController} from './tls-controller.js';

export interface MetricsTlsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly flags: Flags;
  readonly environment: OperatorEnvironment;
  /** A Secret of our namespace as the cache has it. */
  readonly read: (which: 'ca' | 'pair') => JsonObject | undefined;
}

/** What `/metrics` is served with; undefined = plain HTTP. Its certificates are its own: scrapers get no key that admission trusts. */
export function createMetricsTls({client, clock, log, flags, environment, read}: MetricsTlsOptions): ServedSecrets | undefined {
  const names = metricsSecretNames(flags);
  if (names === undefined) {
    if (flags.metricsCASecretName !== '' && flags.metricsTLSSecretName === '') log.warn('--metricsCASecretName without --metricsTLSSecretName: /metrics is served by HTTP');
    return undefined;
  }
  const {ca, pair} = names;
  if (ca === undefined) return followPair({log, read: () => read('pair'), secret: `${environment.namespace}/${pair}`});
  return createTlsController({
    client,
    clock,
    log,
    namespace: environment.namespace,
    caSecret: ca,
    tlsSecret: pair,
    service: `${environment.serviceName}-metrics`,
    get serverIP() {
      return flags.metricsServerIP;
    },
    get algorithm() {
      return flags.metricsKeyAlgorithm;
    },
    get renewBefore() {
      return flags.metricsRenewBefore;
    },
    get manage() {
      return !flags.disableCertManagerController;
    },
    read: () => ({ca: read('ca'), tls: read('pair')}),
    // Scrapers read the CA's Secret themselves.
    onBundle: () => {},
    isPublished: () => true,
  });
}
