import type {Clock} from '../../adapters/clock.js';
import {createReflector, type Reflector} from '../../adapters/kube/reflector.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import {resourceId} from '../update-requests/trigger-kinds.js';
import type {NamedObject} from '../update-requests/trigger.js';
import {type Relation, relationAnnotation, relationOf} from './relation.js';

/** What is kept of an object: where and which it is, and whether we made it. */
export interface WatchedObject {
  readonly object: NamedObject;
  readonly resourceVersion: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly relation: Relation | undefined;
}

export interface KindWatchesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** `undefined` as `now`: it is gone; `before` is what was last heard of it. */
  readonly onObject: (kind: KindInfo, change: {readonly now: WatchedObject | undefined; readonly before: NamedObject}) => void;
  readonly onSynced: (kind: KindInfo) => void;
}

export interface WantedWatch {
  readonly kind: KindInfo;
  /** All objects, or only those that bear our label. */
  readonly all: boolean;
}

export interface KindWatches {
  /** Starts what is missing and stops what is not listed. */
  want(watches: ReadonlyMap<string, WantedWatch>): void;
  has(kind: KindInfo): boolean;
  /** Of a kind that is watched whole. */
  objects(kind: KindInfo): Iterable<WatchedObject>;
  stop(): Promise<void>;
}

interface Running {
  readonly wanted: WantedWatch;
  readonly reflector: Reflector;
}

const ourLabel = 'app.kubernetes.io/managed-by=kyverno';

/** One watch per kind, whoever needs it. Of an object nothing stays but its names. */
export function createKindWatches({client, clock, log, onObject, onSynced}: KindWatchesOptions): KindWatches {
  const running = new Map<string, Running>();
  let stopped = false;

  function start(wanted: WantedWatch): Running {
    const {kind, all} = wanted;
    const apiVersion = apiVersionOf(kind);
    const reflector = createReflector({
      client,
      collection: {group: kind.group, version: kind.version, resource: kind.resource},
      clock,
      log,
      optional: true,
      ...(!all && {labelSelector: ourLabel}),
      project: namesOnly,
      onChange(key, object) {
        if (stopped || running.get(resourceId(kind))?.reflector !== reflector) return;
        const slash = key.indexOf('/');
        const before: NamedObject = {apiVersion, kind: kind.kind, namespace: slash === -1 ? '' : key.slice(0, slash), name: key.slice(slash + 1), uid: ''};
        onObject(kind, {now: object && watched(object, kind), before});
      },
    });
    void reflector.synced.then(() => {
      if (!stopped && running.get(resourceId(kind))?.reflector === reflector) onSynced(kind);
    });
    return {wanted, reflector};
  }

  return {
    want(watches) {
      if (stopped) return;
      for (const [id, {wanted, reflector}] of running) {
        const next = watches.get(id);
        if (next !== undefined && next.all === wanted.all && next.kind.version === wanted.kind.version) continue;
        running.delete(id);
        void reflector.stop();
      }
      for (const [id, wanted] of watches) {
        if (running.has(id)) continue;
        const entry = start(wanted);
        running.set(id, entry);
        entry.reflector.start();
      }
    },
    has: kind => running.has(resourceId(kind)),
    *objects(kind) {
      const entry = running.get(resourceId(kind));
      if (entry?.wanted.all !== true) return;
      for (const object of entry.reflector.store.objects()) yield watched(object, kind);
    },
    async stop() {
      stopped = true;
      await Promise.all([...running.values()].map(({reflector}) => reflector.stop()));
      running.clear();
    },
  };
}

function namesOnly(object: JsonObject): JsonObject {
  const pick = (field: string) => ownPath(object, 'metadata', field) ?? null;
  const relation = ownPath(object, 'metadata', 'annotations', relationAnnotation);
  return {
    metadata: {
      name: pick('name'),
      namespace: pick('namespace'),
      uid: pick('uid'),
      resourceVersion: pick('resourceVersion'),
      creationTimestamp: pick('creationTimestamp'),
      ...(typeof relation === 'string' && {annotations: {[relationAnnotation]: relation}}),
    },
  };
}

function watched(object: JsonObject, kind: KindInfo): WatchedObject {
  const text = (field: string) => textOf(ownPath(object, 'metadata', field));
  return {
    object: {apiVersion: apiVersionOf(kind), kind: kind.kind, namespace: text('namespace'), name: text('name'), uid: text('uid')},
    resourceVersion: text('resourceVersion'),
    created: Date.parse(text('creationTimestamp')),
    relation: relationOf(object),
  };
}
