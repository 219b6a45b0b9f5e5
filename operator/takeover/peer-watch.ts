import {Gauge, type Registry} from 'prom-client';
import type {Clock} from '../../adapters/clock.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {Log} from '../../adapters/log.js';
import {runningPeers} from './peer-deployments.js';

export interface PeerWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  /** Of the peer's Deployments in our namespace. */
  readonly deployments: () => ObjectReader;
  readonly ownDeployment: string;
  /** Identities of our replicas that live. */
  readonly replicas: () => readonly string[];
  /** Milliseconds that a Lease lasts. */
  readonly leaseMs: number;
  readonly onChange: () => void;
}

/** Whether another installation of the same API works on the cluster beside us. */
export interface PeerWatch {
  /** Whether nothing may be written: its controllers run. */
  readonly isActive: boolean;
  /** What is wrong and what to do; `undefined` when we are alone. */
  readonly message: string | undefined;
  /** Deployments of the peer have changed. */
  touch(): void;
  /** A Lease that we stand for is held by `identity`; empty when by nobody. */
  held(lease: string, identity: string): void;
  stop(): void;
}

/** Longer than it takes to see that a holder is gone, and our own replicas to have been heard of. */
const leasesWaited = 3;

export function createPeerWatch({clock, log, registry, deployments, ownDeployment, replicas, leaseMs, onChange}: PeerWatchOptions): PeerWatch {
  const holders = new Map<string, {readonly identity: string; readonly since: number}>();
  const cancels = new Set<() => void>();
  let running: readonly string[] = [];
  let foreign: readonly string[] = [];
  let told: string | undefined;

  new Gauge({
    name: 'kyverno_peer_active',
    help: 'Whether another installation of the same API runs beside this one (1), which writes nothing then',
    registers: [registry],
    collect() {
      this.set(running.length > 0 || foreign.length > 0 ? 1 : 0);
    },
  });

  function message(): string | undefined {
    const parts = [
      ...(running.length === 0 ? [] : [`Deployment ${running.join(', ')} has ready replicas`]),
      ...foreign.map(lease => `Lease ${lease} is held by ${holders.get(lease)?.identity ?? ''}, which is no replica of this installation`),
    ];
    if (parts.length === 0) return undefined;
    return `another Kyverno runs in this cluster: ${parts.join('; ')}. Nothing is written until it is gone: scale its Deployments to zero`;
  }

  function look(): void {
    const before = message();
    const now = clock.monotonic();
    const own = new Set(replicas());
    running = runningPeers(deployments(), ownDeployment);
    foreign = [...holders].flatMap(([lease, {identity, since}]) => (!own.has(identity) && now - since >= leasesWaited * leaseMs ? [lease] : [])).sort();
    const after = message();
    if (after !== undefined && after !== told) log.error(after);
    if (after === undefined && told !== undefined) log.info('no other Kyverno runs in this cluster any more');
    told = after;
    if (before !== after) onChange();
  }

  return {
    get isActive() {
      return running.length > 0;
    },
    get message() {
      return message();
    },
    touch: look,
    held(lease, identity) {
      if (identity === '') holders.delete(lease);
      else holders.set(lease, {identity, since: clock.monotonic()});
      const cancel = clock.schedule(leasesWaited * leaseMs + 1, () => {
        cancels.delete(cancel);
        look();
      });
      cancels.add(cancel);
      look();
    },
    stop() {
      for (const cancel of cancels) cancel();
    },
  };
}
