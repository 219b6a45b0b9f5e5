import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {timestamp} from '../status/conditions.js';

export interface DeploymentConditionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly deployment: string;
}

const type = 'PeerActive';
const callMs = 5_000;

/** Says on our own Deployment what holds us back, where `kubectl describe` and `kubectl wait` find it. */
export async function writePeerCondition({client, clock, log, namespace, deployment}: DeploymentConditionOptions, message: string | undefined): Promise<void> {
  const ref = {group: 'apps', version: 'v1', resource: 'deployments', namespace, name: deployment};
  const call = {timeoutMs: callMs, unthrottled: true};
  try {
    const live = await client.get(ref, call);
    const listed = ownPath(live, 'status', 'conditions');
    const conditions = Array.isArray(listed) ? listed.filter(isObject) : [];
    const known = conditions.find(condition => own(condition, 'type') === type);
    if (message === undefined ? known === undefined || own(known, 'status') === 'False' : own(known ?? {}, 'message') === message && own(known ?? {}, 'status') === 'True') return;
    const now = timestamp(clock.now());
    const condition: JsonObject = {
      type,
      status: message === undefined ? 'False' : 'True',
      reason: message === undefined ? 'Alone' : 'PeerRuns',
      message: message ?? 'no other Kyverno runs in this cluster',
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    await client.patch(ref, {status: {conditions: [condition]}}, {...call, type: 'strategic', subresource: 'status', fieldManager: 'kyverno'});
  } catch (error) {
    // It is told by log, Event and metric as well; an installation without the right, or without a Deployment, goes without.
    if (!hasStatus(error, 404)) log.warn('the own Deployment has no condition PeerActive', {error: String(error)});
  }
}
