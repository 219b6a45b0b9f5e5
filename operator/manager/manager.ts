import type {Clock} from '../../adapters/clock.js';
import {type Indexer, type ObjectReader, splitKey} from '../../adapters/kube/object-store.js';
import {type ChangeHandler, createReflector, type Reflector, type ReflectorMetrics} from '../../adapters/kube/reflector.js';
import type {GroupVersionResource, KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import type {JsonObject} from '../../engine/json/types.js';
import {createWorkQueue, type WorkQueue} from './work-queue.js';

export interface ManagerMetrics extends ReflectorMetrics {
  /** A key was run, whatever came of it. */
  reconciled?(kind: string): void;
  /** It failed and runs again; `tries` counts failures in a row. */
  requeued?(kind: string, tries: number): void;
  /** It failed for good. */
  dropped?(kind: string): void;
}

export interface ManagerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
  readonly metrics?: ManagerMetrics;
  /** Kinds whose objects come from elsewhere than a list and watch of their own; `undefined`: from these. */
  readonly reflectorFor?: ((registration: Registration, onChange: ChangeHandler) => Reflector | undefined) | undefined;
}

export interface Registration extends GroupVersionResource {
  /** Name under which the kind is known to `lister`, `enqueue`, logs and metrics. */
  readonly key: string;
  readonly namespaced: boolean;
  /** Only objects of this namespace. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly project?: ((object: JsonObject) => JsonObject) | undefined;
  readonly indexers?: Readonly<Record<string, Indexer>> | undefined;
  /** A kind that the server does not know counts as empty. */
  readonly optional?: boolean | undefined;
  /** Level-triggered: gets the object's key and looks at what is. Absent for kinds that are only read. */
  readonly reconcile?: ((key: string) => Promise<void> | void) | undefined;
  /** 1 when absent. */
  readonly concurrency?: number | undefined;
  /** Runs only while this replica leads; all keys run again when leadership begins. */
  readonly leaderOnly?: boolean | undefined;
  /** Which leadership `leaderOnly` is about; the operator's own when absent. */
  readonly duty?: string | undefined;
}

export interface Manager {
  /** Before or after `start`; a key can be registered once. */
  register(registration: Registration): void;
  /** Address of an object of a registered kind, from its key. */
  ref(key: string, objectKey: string): ObjectRef;
  lister(key: string): ObjectReader;
  reflector(key: string): Reflector;
  /** Has a key of a kind run again, e.g. because something it depends on has changed. */
  enqueue(key: string, objectKey: string): void;
  enqueueAfter(key: string, objectKey: string, delayMs: number): void;
  enqueueAll(key: string): void;
  start(): void;
  /** Resolves when every kind registered so far has its first list. */
  whenSynced(): Promise<void>;
  /** Resolves when every object of the first lists has been reconciled once, leader-only kinds left out. */
  whenReconciled(): Promise<void>;
  readonly hasSynced: boolean;
  /** Kinds whose first list has not been reconciled yet, leader-only kinds left out. */
  unreconciled(): readonly string[];
  /** `duty`: a leadership of its own, for the kinds that name it. */
  setLeading(leading: boolean, duty?: string): void;
  /**
   * Version up to which every change of the kind has been reconciled at least once (kinds without a handler: is in the
   * store); empty before the first list has been.
   */
  reconciledVersion(key: string): string;
  /** Called when `reconciledVersion` of a kind has moved. */
  onReconciled(handler: (key: string, resourceVersion: string) => void): () => void;
  /** Ends streams, lets running handlers end, starts no more. */
  stop(): Promise<void>;
}

interface Kind {
  readonly registration: Registration;
  readonly reflector: Reflector;
  readonly queue: WorkQueue | undefined;
  /** Its objects come from elsewhere, where runs are counted. */
  readonly isFed: boolean;
  /** Keys whose last change has not been run through yet, each with the number of that change. */
  readonly unprocessed: Map<string, number>;
  /** undefined until everything of the first list has been reconciled. */
  version: string | undefined;
}

/** What failed while the API server was away is mended soon after it is back. */
const maxRetryMs = 15_000;

const ownDuty = 'admission';

/** Reflector → keyed queue → handler, for each registered kind. */
export function createManager({client, clock, log, random, metrics, reflectorFor}: ManagerOptions): Manager {
  const kinds = new Map<string, Kind>();
  const reconciledHandlers = new Set<(key: string, resourceVersion: string) => void>();
  let started = false;
  const led = new Set<string>();
  let stopped = false;

  function kindOf(key: string): Kind {
    const kind = kinds.get(key);
    if (kind === undefined) throw new Error(`no kind registered as ${key}`);
    return kind;
  }

  function progress(kind: Kind): void {
    const {resourceVersion} = kind.reflector;
    if (!kind.reflector.hasSynced || kind.unprocessed.size > 0 || kind.version === resourceVersion) return;
    kind.version = resourceVersion;
    for (const handler of reconciledHandlers) handler(kind.registration.key, resourceVersion);
  }

  function createQueue(registration: Registration, current: () => Kind): WorkQueue | undefined {
    const {key: name, reconcile} = registration;
    if (reconcile === undefined) return undefined;
    return createWorkQueue({
      clock,
      concurrency: registration.concurrency ?? 1,
      maxRetryMs,
      ...(random && {random}),
      async run(key) {
        const {unprocessed} = current();
        const change = unprocessed.get(key);
        if (!current().isFed) metrics?.reconciled?.(name);
        try {
          await reconcile(key);
        } finally {
          // A change during the run needs another one.
          if (unprocessed.get(key) === change) unprocessed.delete(key);
        }
      },
      onError(key, error, retryInMs, tries) {
        if (retryInMs === undefined) metrics?.dropped?.(name);
        else metrics?.requeued?.(name, tries);
        const fields = {kind: name, key, error: describe(error)};
        if (retryInMs === undefined) log.error('reconcile failed for good', fields);
        else log.error('reconcile failed', {...fields, retryInMs: Math.round(retryInMs)});
      },
      onDone: () => progress(current()),
    });
  }

  function register(registration: Registration): void {
    const {key, group, version, resource, namespace, labelSelector, fieldSelector, project, indexers, optional} =
      registration;
    if (kinds.has(key)) throw new Error(`a kind is registered as ${key} already`);
    if (stopped) throw new Error('the manager has stopped');
    const current = () => kindOf(key);
    const queue = createQueue(registration, current);
    const unprocessed = new Map<string, number>();
    let changes = 0;
    const onChange = (objectKey: string) => {
      if (queue === undefined) return;
      changes += 1;
      unprocessed.set(objectKey, changes);
      queue.add(objectKey);
    };
    const fed = reflectorFor?.(registration, onChange);
    const reflector = fed ?? createReflector({
      client,
      collection: {group, version, resource, namespace},
      clock,
      log,
      labelSelector,
      fieldSelector,
      project,
      indexers,
      optional,
      metrics,
      random,
      onChange,
    });
    const kind: Kind = {registration, reflector, queue, isFed: fed !== undefined, unprocessed, version: undefined};
    reflector.onProgress(() => progress(kind));
    // No key runs on half a store.
    queue?.pause();
    void reflector.synced.then(() => {
      if (!registration.leaderOnly || led.has(registration.duty ?? ownDuty)) queue?.resume();
      progress(kind);
    });
    kinds.set(key, kind);
    if (started) reflector.start();
  }

  function unreconciled(): string[] {
    return [...kinds].filter(([, kind]) => !kind.registration.leaderOnly && kind.version === undefined).map(([key]) => key);
  }

  return {
    register,
    unreconciled,
    ref(key, objectKey) {
      const {group, version, resource, namespaced} = kindOf(key).registration;
      const {namespace, name} = splitKey(objectKey);
      if ((namespace !== '') !== namespaced) throw new Error(`${objectKey} is no key of ${key}`);
      return {group, version, resource, namespace, name};
    },
    lister: key => kindOf(key).reflector.store,
    reflector: key => kindOf(key).reflector,
    enqueue: (key, objectKey) => kindOf(key).queue?.add(objectKey),
    enqueueAfter: (key, objectKey, delayMs) => kindOf(key).queue?.addAfter(objectKey, delayMs),
    enqueueAll(key) {
      const {queue, reflector} = kindOf(key);
      for (const objectKey of reflector.store.keys()) queue?.add(objectKey);
    },
    start() {
      started = true;
      for (const {reflector} of kinds.values()) reflector.start();
    },
    async whenSynced() {
      await Promise.all([...kinds.values()].map(({reflector}) => reflector.synced));
    },
    async whenReconciled() {
      await Promise.all(
        [...kinds.values()].filter(kind => !kind.registration.leaderOnly).map(kind => kind.reflector.synced),
      );
      const open = () => unreconciled().length > 0;
      if (!open()) return;
      await new Promise<void>(resolve => {
        const handler = () => {
          if (open()) return;
          reconciledHandlers.delete(handler);
          resolve();
        };
        reconciledHandlers.add(handler);
      });
    },
    get hasSynced() {
      return [...kinds.values()].every(({reflector}) => reflector.hasSynced);
    },
    setLeading(now, duty = ownDuty) {
      if (now === led.has(duty)) return;
      if (now) led.add(duty);
      else led.delete(duty);
      for (const {registration, reflector, queue} of kinds.values()) {
        if (!registration.leaderOnly || queue === undefined || (registration.duty ?? ownDuty) !== duty) continue;
        if (!now) {
          queue.pause();
          continue;
        }
        // What happened under the leader before may be half done.
        for (const key of reflector.store.keys()) queue.add(key);
        if (reflector.hasSynced) queue.resume();
      }
    },
    reconciledVersion: key => kindOf(key).version ?? '',
    onReconciled(handler) {
      reconciledHandlers.add(handler);
      return () => reconciledHandlers.delete(handler);
    },
    async stop() {
      stopped = true;
      await Promise.all([...kinds.values()].flatMap(({reflector, queue}) => [reflector.stop(), queue?.stop()]));
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
