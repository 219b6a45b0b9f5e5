import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {createReflector} from '../../adapters/kube/reflector.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {replicaLabel, stateAnnotation} from './replica-lease.js';
import {decodeReplicaState, type ReportedState} from './replica-state.js';

export interface LiveReplica {
  readonly identity: string;
  /** undefined when the Lease carries nothing readable. */
  readonly state: ReportedState | undefined;
}

export interface LiveReplicasOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A Lease changed, came, went or ran out. */
  readonly onChange?: () => void;
  readonly random?: () => number;
}

export interface LiveReplicas {
  readonly synced: Promise<void>;
  /** Replicas whose Lease has changed within its duration on the own clock, by identity. */
  list(): readonly LiveReplica[];
  start(): void;
  /** Deletes Leases that ran out long ago; for the leader. */
  cleanUp(): Promise<void>;
  stop(): Promise<void>;
}

interface Seen {
  readonly replica: LiveReplica;
  readonly name: string;
  readonly resourceVersion: string;
  readonly durationMs: number;
  readonly at: number;
  cancelExpiry(): void;
}

const silentMs = 15_000;
const collection = {group: 'coordination.k8s.io', version: 'v1', resource: 'leases'} as const;
/** A Lease is deleted only after this many of its durations, so that a slow replica finds its own again. */
const cleanUpAfter = 5;

/** Watches the replicas' own Leases. */
export function createLiveReplicas(options: LiveReplicasOptions): LiveReplicas {
  const {client, namespace, clock, log, onChange, random} = options;
  const seen = new Map<string, Seen>();
  const reflector = createReflector({
    client,
    collection: {...collection, namespace},
    clock,
    log,
    labelSelector: `${replicaLabel}=true`,
    // Every replica renews within seconds, this one too.
    idleMs: silentMs,
    random,
    onChange(key, object) {
      seen.get(key)?.cancelExpiry();
      if (object === undefined) seen.delete(key);
      else seen.set(key, observe(object));
      onChange?.();
    },
  });

  function observe(object: JsonObject): Seen {
    const holder = ownPath(object, 'spec', 'holderIdentity');
    const seconds = ownPath(object, 'spec', 'leaseDurationSeconds');
    const text = ownPath(object, 'metadata', 'annotations', stateAnnotation);
    const durationMs = typeof seconds === 'number' ? seconds * 1000 : 12_000;
    return {
      replica: {
        identity: typeof holder === 'string' ? holder : '',
        state: typeof text === 'string' ? decodeReplicaState(text) : undefined,
      },
      name: String(ownPath(object, 'metadata', 'name')),
      resourceVersion: String(ownPath(object, 'metadata', 'resourceVersion')),
      durationMs,
      at: clock.monotonic(),
      cancelExpiry: clock.schedule(durationMs + 1, () => onChange?.()),
    };
  }

  return {
    synced: reflector.synced,
    list() {
      const now = clock.monotonic();
      return [...seen.values()]
        .filter(({at, durationMs}) => now - at <= durationMs)
        .map(({replica}) => replica)
        .sort((a, b) => (a.identity < b.identity ? -1 : 1));
    },
    start: () => reflector.start(),
    async cleanUp() {
      const now = clock.monotonic();
      for (const {name, resourceVersion, durationMs, at} of [...seen.values()]) {
        if (now - at <= durationMs * cleanUpAfter) continue;
        try {
          // The precondition spares a Lease that was renewed just now.
          await client.delete({...collection, namespace, name}, {resourceVersion});
        } catch (error) {
          if (!hasStatus(error, 404) && !hasStatus(error, 409)) {
            log.warn('a Lease of a gone replica could not be deleted', {lease: name, error: String(error)});
          }
        }
      }
    },
    async stop() {
      for (const {cancelExpiry} of seen.values()) cancelExpiry();
      await reflector.stop();
    },
  };
}
