import type {Clock} from '../../adapters/clock.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {LiveReplica} from '../leases/live-replicas.js';
import {replicaReadiness} from '../leases/readiness.js';
import {createWorkQueue, type WorkQueue} from '../manager/work-queue.js';
import type {Readiness} from '../status/classic-status.js';
import {timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';

export interface StatusControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly source: StatusSource;
  readonly lister: (key: string) => ObjectReader;
  readonly ref: (key: string, objectKey: string) => ObjectRef;
  readonly replicas: () => readonly LiveReplica[];
  /** Of the policy that the webhook configurations in force were made for: another one of its name has another uid. */
  readonly registered: (key: string) => PolicyVersion | undefined;
  /** Why the API server refused the policy's match conditions. */
  readonly refusedConditions: (key: string) => string | undefined;
}

/** A policy as a cache holds it. */
export interface StatusState {
  readonly uid: string;
  readonly generation: number;
  readonly status: 'served' | 'refused';
}

/** A family of policies: how they are found, and what their status looks like. */
export interface StatusSource {
  /** Where the manager mirrors the kind. */
  resourceOf(kind: string): string;
  state(kind: string, key: string): StatusState | undefined;
  all(): Iterable<{readonly kind: string; readonly key: string}>;
  /** Under which replicas and webhook configurations know it; another one for each policy. */
  idOf(kind: string, key: string): string;
  /** `undefined`: none of this family. */
  byId(id: string): {readonly kind: string; readonly key: string} | undefined;
  /** Whether requests have to be intercepted for it. */
  isIntercepted(kind: string, key: string): boolean;
  /** `undefined` = leave it as it is. */
  statusOf(kind: string, key: string, input: {readonly object: JsonObject; readonly readiness: Readiness; readonly now: string}): JsonObject | undefined;
  /** Whether the stored status calls the present generation Ready. */
  saysReady(object: JsonObject): boolean;
}

/** One wording of one policy: a policy that is made anew under its old name starts at generation 1 again. */
export interface PolicyVersion {
  readonly uid: string;
  readonly generation: number;
}

export interface StatusController {
  /** Status of the policy is worked out (again). */
  enqueue(kind: string, key: string): void;
  /** All policies that are not Ready, and those a replica refuses. */
  enqueuePending(): void;
  setLeading(leading: boolean): void;
  stop(): Promise<void>;
}

interface ReadinessInput {
  /** As queued: `kind:key`. */
  readonly item: string;
  readonly kind: string;
  readonly key: string;
  readonly id: string;
  readonly object: JsonObject;
  readonly state: StatusState;
}

/** Ready = compiled, intercepted and served by every live replica. Written by the leader only. */
export function createStatusController(options: StatusControllerOptions): StatusController {
  const {client, clock, log, source, lister} = options;
  /** Version at which the present generation was first seen: replicas have to have got that far. */
  const firstSeen = new Map<string, PolicyVersion & {readonly resourceVersion: string}>();
  const ready = new Map<string, PolicyVersion>();
  const pending = new Set<string>();

  const queue: WorkQueue = createWorkQueue({
    clock,
    concurrency: 8,
    // An API server that was away for long is not kept waiting for once it is back.
    maxRetryMs: 10_000,
    run: reconcile,
    onError: (key, error) => log.error(`status of policy ${key} could not be written`, {error: String(error)}),
  });
  queue.pause();

  async function reconcile(item: string): Promise<void> {
    const {kind, key} = splitItem(item);
    const resource = source.resourceOf(kind);
    const object = lister(resource).get(key);
    const state = source.state(kind, key);
    if (object === undefined || state === undefined) {
      firstSeen.delete(item);
      ready.delete(item);
      pending.delete(item);
      return;
    }
    // One of the two is behind the other; the handler that brings them together queues the policy again.
    if (uidOf(object) !== state.uid) return;
    const input = {item, kind, key, id: source.idOf(kind, key), object, state};
    const version = versionOf(object);
    const readiness = readinessOf(input);
    if (readiness.ready && state.status === 'served') {
      if (!isSame(ready.get(item), version)) log.v(1, `policy ${key} is Ready`, {kind, generation: version.generation});
      ready.set(item, version);
      pending.delete(item);
    } else {
      ready.delete(item);
      pending.add(item);
    }
    if (isLeft(input, readiness)) return;
    const now = timestamp(clock.now());
    await writeStatus(
      client,
      options.ref(resource, key),
      live => {
        // A newer version is on its way to us; its status follows it.
        if (uidOf(live) !== state.uid || generationOf(live) !== state.generation) return undefined;
        return source.statusOf(kind, key, {object: live, readiness, now});
      },
      {cached: object},
    );
  }

  function readinessOf({item, kind, key, id, object, state}: ReadinessInput): Readiness {
    if (state.status === 'refused') return {ready: false, reason: 'Failed', message: 'the policy is not served'};
    const version = versionOf(object);
    const told = replicaReadiness(options.replicas(), {kind, key: id, resourceVersion: firstSeenAt(item, object)});
    if (!told.ready && told.reason === 'Failed') return told;
    // A replica that comes up later is not behind: it takes requests only once it has caught up.
    if (isSame(ready.get(item), version)) return {ready: true};
    if (source.isIntercepted(kind, key) && !isSame(options.registered(id), version)) {
      return {ready: false, reason: 'Pending', message: 'the webhook configurations do not cover it yet'};
    }
    // So says the leader before us, whose replicas we may not know yet.
    return source.saysReady(object) ? {ready: true} : told;
  }

  /**
   * A leader that is new has not looked at the webhook configurations yet. What the one before found to be Ready is not
   * taken back meanwhile: who waits for the condition must not see it come and go with every change of leader.
   */
  function isLeft({kind, key, id, object}: ReadinessInput, readiness: Readiness): boolean {
    return (
      !readiness.ready &&
      readiness.reason === 'Pending' &&
      source.saysReady(object) &&
      source.isIntercepted(kind, key) &&
      options.registered(id) === undefined &&
      options.refusedConditions(id) === undefined
    );
  }

  function firstSeenAt(item: string, object: JsonObject): string {
    const known = firstSeen.get(item);
    const version = versionOf(object);
    if (known !== undefined && isSame(known, version)) return known.resourceVersion;
    const resourceVersion = String(ownPath(object, 'metadata', 'resourceVersion') ?? '');
    firstSeen.set(item, {...version, resourceVersion});
    return resourceVersion;
  }

  return {
    enqueue(kind, key) {
      const item = `${kind}:${key}`;
      const object = lister(source.resourceOf(kind)).get(key);
      if (object !== undefined) firstSeenAt(item, object);
      queue.add(item);
    },
    enqueuePending() {
      for (const item of pending) queue.add(item);
      for (const replica of options.replicas()) {
        for (const id of Object.keys(replica.state?.refused ?? {})) {
          const found = source.byId(id);
          if (found !== undefined) queue.add(`${found.kind}:${found.key}`);
        }
      }
    },
    setLeading(leading) {
      if (!leading) {
        queue.pause();
        ready.clear();
        return;
      }
      for (const {kind, key} of source.all()) queue.add(`${kind}:${key}`);
      queue.resume();
    },
    stop: () => queue.stop(),
  };
}

function splitItem(item: string): {kind: string; key: string} {
  const colon = item.indexOf(':');
  return {kind: item.slice(0, colon), key: item.slice(colon + 1)};
}

function generationOf(object: JsonObject): number {
  const generation = ownPath(object, 'metadata', 'generation');
  return typeof generation === 'number' ? generation : 0;
}

function uidOf(object: JsonObject): string {
  return String(ownPath(object, 'metadata', 'uid') ?? '');
}

function versionOf(object: JsonObject): PolicyVersion {
  return {uid: uidOf(object), generation: generationOf(object)};
}

function isSame(a: PolicyVersion | undefined, b: PolicyVersion): boolean {
  return a !== undefined && a.uid === b.uid && a.generation === b.generation;
}
