import type {Clock} from '../../adapters/clock.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {statusRules} from '../../engine/autogen/status-rules.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {PolicyCache, PolicyState} from '../../engine/snapshot/policy-cache.js';
import type {LiveReplica} from '../leases/live-replicas.js';
import {replicaReadiness} from '../leases/readiness.js';
import {createWorkQueue, type WorkQueue} from '../manager/work-queue.js';
import {classicStatus, type Readiness} from '../status/classic-status.js';
import {type Condition, timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';
import type {PolicyWebhookNote} from '../webhooks/types.js';
import {type ClassicKind, policyResources} from './policy-handlers.js';

export interface StatusControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: PolicyCache;
  readonly lister: (key: string) => ObjectReader;
  readonly ref: (key: string, objectKey: string) => ObjectRef;
  readonly replicas: () => readonly LiveReplica[];
  /** Of the policy that the webhook configurations in force were made for: another one of its name has another uid. */
  readonly registered: (key: string) => PolicyVersion | undefined;
  /** Why the API server refused the policy's match conditions. */
  readonly refusedConditions: (key: string) => string | undefined;
  readonly notes: (key: string) => readonly PolicyWebhookNote[];
}

/** One wording of one policy: a policy that is made anew under its old name starts at generation 1 again. */
export interface PolicyVersion {
  readonly uid: string;
  readonly generation: number;
}

export interface StatusController {
  /** Status of the policy is worked out (again). */
  enqueue(kind: ClassicKind, key: string): void;
  /** All policies that are not Ready, and those a replica refuses. */
  enqueuePending(): void;
  setLeading(leading: boolean): void;
  stop(): Promise<void>;
}

interface ReadinessInput {
  /** As queued: `kind:key`. */
  readonly item: string;
  readonly kind: ClassicKind;
  readonly object: JsonObject;
  readonly state: PolicyState;
}

/** Ready = compiled, intercepted and served by every live replica. Written by the leader only. */
export function createStatusController(options: StatusControllerOptions): StatusController {
  const {client, clock, log, cache, lister} = options;
  /** Version at which the present generation was first seen: replicas have to have got that far. */
  const firstSeen = new Map<string, PolicyVersion & {readonly resourceVersion: string}>();
  const ready = new Map<string, PolicyVersion>();
  const pending = new Set<string>();

  const queue: WorkQueue = createWorkQueue({
    clock,
    concurrency: 8,
    run: reconcile,
    onError: (key, error) => log.error(`status of policy ${key} could not be written`, {error: String(error)}),
  });
  queue.pause();

  async function reconcile(item: string): Promise<void> {
    const {kind, key} = splitItem(item);
    const resource = policyResources[kind];
    const object = lister(resource).get(key);
    const state = cache.policy(key);
    if (object === undefined || state === undefined) {
      firstSeen.delete(item);
      ready.delete(item);
      pending.delete(item);
      return;
    }
    // One of the two is behind the other; the handler that brings them together queues the policy again.
    if (uidOf(object) !== state.uid) return;
    const input = {item, kind, object, state};
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
    await writeStatus(client, options.ref(resource, key), live => statusOf(live, state, readiness), {cached: object});
  }

  function statusOf(live: JsonObject, state: PolicyState, readiness: Readiness): JsonObject | undefined {
    // A newer version is on its way to us; its status follows it.
    if (uidOf(live) !== state.uid || generationOf(live) !== state.generation) return undefined;
    const trial = options.refusedConditions(state.key);
    const refused = state.status === 'refused' ? state.problems.map(formatDiagnostic) : trial === undefined ? [] : [trial];
    const policy = state.status === 'served' ? state.policy.source : undefined;
    return classicStatus({
      generation: state.generation,
      policy,
      refused,
      autogenRules: policy === undefined ? [] : statusRules(policy),
      readiness,
      conditions: options.notes(state.key).map(noteCondition),
      existing: own(live, 'status'),
      now: timestamp(clock.now()),
    });
  }

  function readinessOf({item, kind, object, state}: ReadinessInput): Readiness {
    if (state.status === 'refused') return {ready: false, reason: 'Failed', message: 'the policy is not served'};
    const version = versionOf(object);
    const told = replicaReadiness(options.replicas(), {kind, key: state.key, resourceVersion: firstSeenAt(item, object)});
    if (!told.ready && told.reason === 'Failed') return told;
    // A replica that comes up later is not behind: it takes requests only once it has caught up.
    if (isSame(ready.get(item), version)) return {ready: true};
    if (!isSame(options.registered(state.key), version)) {
      return {ready: false, reason: 'Pending', message: 'the webhook configurations do not cover it yet'};
    }
    // So says the leader before us, whose replicas we may not know yet.
    return saysReady(object) ? {ready: true} : told;
  }

  /**
   * A leader that is new has not looked at the webhook configurations yet. What the one before found to be Ready is not
   * taken back meanwhile: who waits for the condition must not see it come and go with every change of leader.
   */
  function isLeft({object, state}: ReadinessInput, readiness: Readiness): boolean {
    return (
      !readiness.ready &&
      readiness.reason === 'Pending' &&
      saysReady(object) &&
      options.registered(state.key) === undefined &&
      options.refusedConditions(state.key) === undefined
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
      const object = lister(policyResources[kind]).get(key);
      if (object !== undefined) firstSeenAt(item, object);
      queue.add(item);
    },
    enqueuePending() {
      for (const item of pending) queue.add(item);
      for (const replica of options.replicas()) {
        for (const key of Object.keys(replica.state?.refused ?? {})) {
          queue.add(`${key.includes('/') ? 'Policy' : 'ClusterPolicy'}:${key}`);
        }
      }
    },
    setLeading(leading) {
      if (!leading) {
        queue.pause();
        ready.clear();
        return;
      }
      for (const state of cache.policies()) queue.add(`${state.key.includes('/') ? 'Policy' : 'ClusterPolicy'}:${state.key}`);
      queue.resume();
    },
    stop: () => queue.stop(),
  };
}

function splitItem(item: string): {kind: ClassicKind; key: string} {
  const colon = item.indexOf(':');
  return {kind: item.slice(0, colon) as ClassicKind, key: item.slice(colon + 1)};
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

/** Whether the stored status calls the present generation Ready. */
function saysReady(object: JsonObject): boolean {
  const conditions = ownPath(object, 'status', 'conditions');
  const ready = (Array.isArray(conditions) ? conditions : []).find(condition => ownPath(condition, 'type') === 'Ready');
  return ownPath(ready, 'status') === 'True' && ownPath(ready, 'observedGeneration') === generationOf(object);
}

function noteCondition(note: PolicyWebhookNote): Condition {
  switch (note.reason) {
    case 'bootstrap':
      return {type: 'BootstrapKindsIgnored', status: 'True', reason: 'BootstrapKinds', message: note.message};
    case 'unresolved':
      return {type: 'KindsResolved', status: 'False', reason: 'UnknownKinds', message: note.message};
    case 'timeout':
      return {type: 'TimeoutCapped', status: 'True', reason: 'TimeoutCapped', message: note.message};
  }
}
