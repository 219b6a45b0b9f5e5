import type {KubeConfig} from '@kubernetes/client-node';
import {sleep, systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {ObjectRef} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {JsonObject} from '../../engine/json/types.js';

export const configurationApi = {group: 'operator.kyverno-ts.io', version: 'v1alpha1', resource: 'kyvernoconfigurations'} as const;
/** There is one, by this name; the API server refuses others. */
export const configurationName = 'default';
export const configurationRef: ObjectRef = {...configurationApi, name: configurationName};

export interface StartConfigurationOptions {
  readonly kubeConfig: KubeConfig;
  readonly log: Logger;
  /** Ends the tries. */
  readonly stopped: Promise<void>;
}

/**
 * The KyvernoConfiguration before anything is wired, for settings that hold from the start. Waits for an API server that
 * is away; `undefined` when there is none, when its kind is not installed, or when we may not read it.
 */
export async function readStartConfiguration({kubeConfig, log, stopped}: StartConfigurationOptions): Promise<JsonObject | undefined> {
  const client = createKubeClient({kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log});
  const over = stopped.then(() => 'stopped' as const);
  try {
    for (let delay = 500; ; delay = Math.min(delay * 2, 10_000)) {
      try {
        return await client.get(configurationRef);
      } catch (error) {
        if (hasStatus(error, 404)) return undefined;
        if (hasStatus(error, 403)) {
          log.warn('the KyvernoConfiguration may not be read and counts as absent', {error: String(error)});
          return undefined;
        }
        log.warn('the API server cannot be read yet', {error: String(error), retryInMs: delay});
        if ((await Promise.race([over, sleep(systemClock, delay)])) === 'stopped') return undefined;
      }
    }
  } finally {
    client.close();
  }
}
