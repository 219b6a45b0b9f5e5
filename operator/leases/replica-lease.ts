import {type Clock, sleep} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {microTime} from '../../adapters/kube/lease.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import type {JsonObject} from '../../engine/json/types.js';
import {encodeReplicaState, type ReplicaState} from './replica-state.js';

/** Marks the Leases that replicas keep for themselves. */
export const replicaLabel = 'kyverno.io/replica';
export const stateAnnotation = 'kyverno.io/replica-state';

export interface ReplicaLeaseOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Unique among replicas, e.g. the Pod's name; the Lease is `kyverno-replica-<identity>`. */
  readonly identity: string;
  readonly state: () => ReplicaState;
  readonly clock: Clock;
  readonly log: Log;
  /** So that the Lease goes with its Pod. */
  readonly owner?: {readonly name: string; readonly uid: string} | undefined;
  /** Milliseconds between renewals without news; 4 s when absent. A replica counts as gone after three of them. */
  readonly renewMs?: number | undefined;
  /** Least milliseconds between two renewals with news; 200 when absent. */
  readonly settleMs?: number | undefined;
}

export interface ReplicaLease {
  start(): void;
  /** The state has changed: renews soon. */
  touch(): void;
  /** Ends renewals and deletes the Lease. */
  stop(): Promise<void>;
}

/** This replica's own Lease, renewed with what `state` says. Failures are logged and tried again, for ever. */
export function createReplicaLease(options: ReplicaLeaseOptions): ReplicaLease {
  const {client, namespace, identity, state, clock, log, owner, renewMs = 4_000, settleMs = 200} = options;
  const ref = replicaLeaseRef(namespace, identity);
  const stopped = new AbortController();
  let wake = new AbortController();
  let touched = false;
  let running: Promise<void> | undefined;

  function content(): JsonObject {
    return {
      metadata: {
        labels: {[replicaLabel]: 'true'},
        annotations: {[stateAnnotation]: encodeReplicaState(state())},
        ...(owner && {ownerReferences: [{apiVersion: 'v1', kind: 'Pod', name: owner.name, uid: owner.uid}]}),
      },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.max(1, Math.ceil((renewMs * 3) / 1000)),
        renewTime: microTime(clock.now()),
      },
    };
  }

  async function renew(): Promise<void> {
    const call = {timeoutMs: renewMs, signal: stopped.signal, unthrottled: true};
    try {
      const wanted = content();
      try {
        await client.patch(ref, wanted, {...call, type: 'merge'});
      } catch (error) {
        if (!hasStatus(error, 404)) throw error;
        const metadata = {...(wanted['metadata'] as JsonObject), name: ref.name, namespace};
        await client.create(ref, {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...wanted, metadata}, call);
      }
    } catch (error) {
      if (!stopped.signal.aborted)
        log.warn('the replica Lease could not be renewed', {lease: ref.name, error: String(error)});
    }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      touched = false;
      await renew();
      await sleep(clock, settleMs, stopped.signal);
      if (touched || stopped.signal.aborted) continue;
      wake = new AbortController();
      await sleep(clock, Math.max(0, renewMs - settleMs), wake.signal);
    }
  }

  return {
    start() {
      running ??= run();
    },
    touch() {
      touched = true;
      wake.abort();
    },
    async stop() {
      stopped.abort();
      wake.abort();
      await running;
      try {
        await client.delete(ref, {timeoutMs: 3_000, unthrottled: true});
      } catch (error) {
        if (!hasStatus(error, 404))
          log.warn('the replica Lease could not be deleted', {lease: ref.name, error: String(error)});
      }
    },
  };
}

export function replicaLeaseRef(namespace: string, identity: string): ObjectRef {
  return {
    group: 'coordination.k8s.io',
    version: 'v1',
    resource: 'leases',
    namespace,
    name: `kyverno-replica-${identity}`,
  };
}
