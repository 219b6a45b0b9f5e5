import {sleep, systemClock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {OperatorEnvironment} from '../config/environment.js';
import {managedByLabel} from '../webhooks/render-configuration.js';

const callMs = 3_000;
const pollMs = 250;
/** Without EndpointSlices to look at: about what a Service needs to hear of an unready Pod. */
const blindWaitMs = 3_000;

/** Our Deployment; `undefined` when it does not exist; `'unknown'` when that cannot be found out. */
export async function ownDeployment(
  client: KubeClient,
  environment: OperatorEnvironment,
  log: Logger,
): Promise<JsonObject | undefined | 'unknown'> {
  const {namespace, deployment} = environment;
  try {
    return await client.get({group: 'apps', version: 'v1', resource: 'deployments', namespace, name: deployment}, {timeoutMs: callMs});
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    log.warn('the own Deployment cannot be read; webhooks stay as they are', {error: String(error)});
    return 'unknown';
  }
}

/** Only when nobody will be left to answer: the Deployment is absent, being deleted, or scaled to nothing. */
export function isGoingDown(deployment: JsonObject | undefined | 'unknown'): boolean {
  if (deployment === 'unknown') return false;
  if (deployment === undefined) return true;
  return ownPath(deployment, 'metadata', 'deletionTimestamp') !== undefined || ownPath(deployment, 'spec', 'replicas') === 0;
}

/** Deletes every configuration of ours, so that no Fail entry outlives the last replica. */
export async function relaxWebhooks(client: KubeClient, log: Logger): Promise<void> {
  for (const resource of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    try {
      await client.request({
        method: 'DELETE',
        path: `/apis/admissionregistration.k8s.io/v1/${resource}`,
        query: {labelSelector: `${managedByLabel}=kyverno`},
        timeoutMs: callMs,
        unthrottled: true,
      });
      log.info(`removed our ${resource}: no replica is left to answer`);
    } catch (error) {
      log.error(`our ${resource} could not be removed`, {error: String(error)});
    }
  }
}

/** Resolves when no EndpointSlice of our Service names this Pod as ready any more. */
export async function endpointGone(client: KubeClient, environment: OperatorEnvironment, log: Logger): Promise<void> {
  const {namespace, serviceName, podName} = environment;
  const slices = {group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', namespace};
  for (;;) {
    let items: readonly JsonObject[];
    try {
      items = (await client.list(slices, {labelSelector: `kubernetes.io/service-name=${serviceName}`, timeoutMs: callMs, unthrottled: true})).items;
    } catch (error) {
      log.warn('EndpointSlices cannot be read while draining', {error: String(error)});
      items = [];
    }
    if (items.length === 0) return sleep(systemClock, blindWaitMs);
    if (!items.some(slice => namesPod(slice, podName))) return;
    await sleep(systemClock, pollMs);
  }
}

function namesPod(slice: JsonObject, podName: string): boolean {
  const endpoints = own(slice, 'endpoints');
  return Array.isArray(endpoints) && endpoints.some((endpoint: Json) => isObject(endpoint) && ownPath(endpoint, 'targetRef', 'name') === podName && ownPath(endpoint, 'conditions', 'ready') === true);
}
