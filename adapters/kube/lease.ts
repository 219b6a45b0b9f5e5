import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type Clock, sleep} from '../clock.js';
import type {Log} from '../log.js';
import {hasStatus} from './kube-error.js';
import type {KubeClient, ObjectRef} from './types.js';

export interface LeaseElectionOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique among the candidates, e.g. the Pod's name. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStartedLeading: () => void;
  readonly onStoppedLeading: () => void;
  /** Another holder was seen; empty when there is none. */
  readonly onNewLeader?: (identity: string) => void;
  /** Milliseconds; 2 s, 12 s and 10 s when absent. */
  readonly retryMs?: number;
  readonly leaseMs?: number;
  readonly renewDeadlineMs?: number;
  readonly random?: () => number;
}

export interface LeaseElection {
  readonly isLeader: boolean;
  /** Holder as last seen; empty when unknown or nobody. */
  readonly leader: string;
  start(): void;
  /** Steps down, gives the Lease back and resolves. */
  stop(): Promise<void>;
}

const releaseMs = 3_000;

interface Observation {
  readonly holder: string;
  readonly leaseMs: number;
  readonly transitions: number;
  readonly acquireTime: string;
  readonly object: JsonObject;
}

/**
 * Election by a `coordination.k8s.io/v1` Lease, as client-go does it: another holder counts as gone when the Lease has
 * not changed for its duration on the own clock (clocks of others are never compared). A leader that cannot renew within
 * the deadline steps down and goes on as a candidate.
 */
export function createLeaseElection(options: LeaseElectionOptions): LeaseElection {
  const {client, namespace, name, identity, clock, log, random = Math.random} = options;
  const {retryMs = 2_000, leaseMs = 12_000, renewDeadlineMs = 10_000} = options;
  const ref: ObjectRef = {group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace, name};
  const stopped = new AbortController();
  let seen: Observation | undefined;
  let seenAt = 0;
  let leading = false;
  let announced = '';
  let running: Promise<void> | undefined;

  function observe(object: JsonObject): void {
    const version = ownPath(object, 'metadata', 'resourceVersion');
    if (seen && ownPath(seen.object, 'metadata', 'resourceVersion') === version) return;
    seen = observationOf(object, leaseMs);
    seenAt = clock.monotonic();
    if (seen.holder !== announced) {
      announced = seen.holder;
      options.onNewLeader?.(announced);
    }
  }

  /** True when this candidate holds the Lease afterwards. */
  async function tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const call = {signal, timeoutMs: renewDeadlineMs / 2, unthrottled: true};
    const now = microTime(clock.now());
    try {
      observe(await client.get(ref, call));
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
      const spec = leaseSpec({holder: identity, leaseMs, acquireTime: now, renewTime: now, transitions: 0});
      observe(
        await client.create(
          ref,
          {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {name, namespace}, spec},
          call,
        ),
      );
      return true;
    }
    const current = seen;
    if (current === undefined) return false;
    const mine = current.holder === identity;
    if (!mine && current.holder !== '' && clock.monotonic() - seenAt < current.leaseMs) return false;
    const spec = leaseSpec({
      holder: identity,
      leaseMs,
      acquireTime: mine ? current.acquireTime : now,
      renewTime: now,
      transitions: mine ? current.transitions : current.transitions + 1,
    });
    observe(await client.update(ref, {...current.object, spec}, call));
    return true;
  }

  async function attempt(signal: AbortSignal): Promise<boolean> {
    try {
      return await tryAcquireOrRenew(signal);
    } catch (error) {
      // A conflict or a rival's create is how losing looks.
      if (!hasStatus(error, 409))
        log.warn('the Lease could not be read or written', {lease: name, error: String(error)});
      return false;
    }
  }

  /** False when `task` has not answered within `milliseconds`, or at `stop`; its signal is aborted then. */
  async function within(milliseconds: number, task: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    const controller = new AbortController();
    const timer = new AbortController();
    const abort = () => controller.abort();
    stopped.signal.addEventListener('abort', abort, {once: true});
    const expired = sleep(clock, milliseconds, timer.signal).then(() => false);
    try {
      return await Promise.race([task(controller.signal), expired]);
    } finally {
      stopped.signal.removeEventListener('abort', abort);
      timer.abort();
      controller.abort();
    }
  }

  /** Renews until the deadline passes without a success, or the Lease is seen in other hands. */
  async function lead(): Promise<void> {
    let renewedAt = clock.monotonic();
    const deadline = () => renewedAt + renewDeadlineMs;
    while (!stopped.signal.aborted) {
      await sleep(clock, Math.min(retryMs, deadline() - clock.monotonic()), stopped.signal);
      if (stopped.signal.aborted) return;
      const left = deadline() - clock.monotonic();
      if (left <= 0) return;
      const startedAt = clock.monotonic();
      // The deadline also ends a renewal that hangs.
      if (await within(left, attempt)) renewedAt = startedAt;
      else if (seen !== undefined && seen.holder !== identity) return;
    }
  }

  /** A renewal that was ended on its way may have arrived: the Lease is then another version, and still ours. */
  async function release(): Promise<void> {
    if (seen?.holder !== identity) return;
    const call = {timeoutMs: releaseMs, unthrottled: true};
    try {
      try {
        await client.update(ref, {...seen.object, spec: released(seen)}, call);
      } catch (error) {
        if (!hasStatus(error, 409)) throw error;
        const live = observationOf(await client.get(ref, call), leaseMs);
        if (live.holder === identity) await client.update(ref, {...live.object, spec: released(live)}, call);
      }
    } catch (error) {
      log.warn('the Lease could not be given back', {lease: name, error: String(error)});
    }
  }

  function released({transitions}: Observation): JsonObject {
    const now = microTime(clock.now());
    return leaseSpec({holder: '', leaseMs: 1_000, acquireTime: now, renewTime: now, transitions});
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      if (!(await within(renewDeadlineMs, attempt))) {
        await sleep(clock, retryMs * (1 + 0.2 * random()), stopped.signal);
        continue;
      }
      if (stopped.signal.aborted) break;
      leading = true;
      log.info('started leading', {lease: name, identity});
      guard(options.onStartedLeading);
      await lead();
      leading = false;
      log.info('stopped leading', {lease: name, identity});
      guard(options.onStoppedLeading);
    }
    await release();
  }

  function guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      log.error('a leadership callback failed', {lease: name, error: String(error)});
    }
  }

  return {
    get isLeader() {
      return leading;
    },
    get leader() {
      return seen?.holder ?? '';
    },
    start() {
      running ??= run();
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

function observationOf(object: JsonObject, defaultMs: number): Observation {
  const holder = ownPath(object, 'spec', 'holderIdentity');
  const seconds = ownPath(object, 'spec', 'leaseDurationSeconds');
  const transitions = ownPath(object, 'spec', 'leaseTransitions');
  const acquireTime = ownPath(object, 'spec', 'acquireTime');
  return {
    holder: typeof holder === 'string' ? holder : '',
    leaseMs: typeof seconds === 'number' ? seconds * 1000 : defaultMs,
    transitions: typeof transitions === 'number' ? transitions : 0,
    acquireTime: typeof acquireTime === 'string' ? acquireTime : '',
    object,
  };
}

interface LeaseFields {
  readonly holder: string;
  readonly leaseMs: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

function leaseSpec({holder, leaseMs, acquireTime, renewTime, transitions}: LeaseFields): JsonObject {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.max(1, Math.round(leaseMs / 1000)),
    acquireTime: acquireTime || renewTime,
    renewTime,
    leaseTransitions: transitions,
  };
}

/** The API's MicroTime text. */
export function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
