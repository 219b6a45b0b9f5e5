import {deepEqual} from '../../engine/json/equal.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type Clock, sleep} from '../clock.js';
import type {Log} from '../log.js';
import {createBackoff} from './backoff.js';
import {hasStatus, KubeError} from './kube-error.js';
import {createObjectStore, type Indexer, joinKey, type ObjectReader} from './object-store.js';
import {resourceKey} from './paths.js';
import {createReflectorListeners} from './reflector-listeners.js';
import type {CollectionRef, KubeClient, WatchEvent} from './types.js';

/** `object` undefined = gone; `old` undefined = new. */
export type ChangeHandler = (key: string, object: JsonObject | undefined, old: JsonObject | undefined) => void;

/** What a reflector counts. */
export interface ReflectorMetrics {
  listed?(kind: string, count: number): void;
  watchStarted?(kind: string): void;
  event?(kind: string, type: WatchEvent['type']): void;
  /** `expired`, `idle`, `cut` or `error`. */
  interrupted?(kind: string, cause: 'expired' | 'idle' | 'cut' | 'error'): void;
}

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly collection: CollectionRef;
  readonly clock: Clock;
  readonly log: Log;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** What to keep of an object; changes that it hides are not reported. */
  readonly project?: ((object: JsonObject) => JsonObject) | undefined;
  readonly indexers?: Readonly<Record<string, Indexer>> | undefined;
  readonly onChange?: ChangeHandler | undefined;
  /**
   * A collection that the server does not know counts as empty and complete; so does one that may not be read, until
   * the first list: what can go on without it goes on.
   */
  readonly optional?: boolean | undefined;
  readonly metrics?: ReflectorMetrics | undefined;
  readonly random?: (() => number) | undefined;
  readonly pageSize?: number | undefined;
  /** A stream without a byte for so long is dead; 75 s when absent (servers send bookmarks every minute). */
  readonly idleMs?: number | undefined;
  /** Seconds after which the server is asked to end a stream: a random value between the two; 300 to 600 when absent. */
  readonly watchSeconds?: readonly [number, number] | undefined;
  readonly retryMs?: {readonly first: number; readonly max: number} | undefined;
}

export interface Reflector {
  readonly store: ObjectReader;
  /** Settles once the first list is in the store; stays open while there is none. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** Up to which version the store is complete; empty before the first list. */
  readonly resourceVersion: string;
  /** Of the last failed list or watch, until one succeeds. */
  readonly lastError: string | undefined;
  subscribe(handler: ChangeHandler): () => void;
  /** Called whenever `resourceVersion` has moved. */
  onProgress(handler: (resourceVersion: string) => void): () => void;
  start(): void;
  /** Resolves when nothing of it runs any more. The store keeps what it has. */
  stop(): Promise<void>;
}

interface Identity {
  readonly uid: string;
  readonly version: string;
}

/**
 * Keeps a store equal to a collection of the API server: list, then watch from there; relist with comparison when the
 * server has forgotten the version; dead, cut and refused streams are replaced with jittered backoff, for ever. Never throws.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  const {
    client,
    collection,
    clock,
    log,
    labelSelector,
    fieldSelector,
    project,
    metrics,
    random = Math.random,
  } = options;
  const {pageSize = 500, idleMs = 75_000, watchSeconds = [300, 600], retryMs = {first: 500, max: 10_000}} = options;
  const kind = resourceKey(collection);
  const store = createObjectStore(options.indexers);
  const identities = new Map<string, Identity>();
  const {changed, progressed, subscribe, onProgress} = createReflectorListeners({kind, log, onChange: options.onChange});
  const stopped = new AbortController();
  const backoff = createBackoff({firstMs: retryMs.first, maxMs: retryMs.max, random});
  let markSynced: () => void = () => undefined;
  const synced = new Promise<void>(resolve => {
    markSynced = resolve;
  });
  let hasSynced = false;
  let resourceVersion = '';
  let unpaged = false;
  let lastError: string | undefined;
  let running: Promise<void> | undefined;

  function advance(version: string): void {
    if (version === '' || version === resourceVersion) return;
    resourceVersion = version;
    progressed(version);
  }

  function put({key, identity, object}: {key: string; identity: Identity; object: JsonObject}): void {
    const known = identities.get(key);
    identities.set(key, identity);
    if (known?.uid === identity.uid && known.version === identity.version) return;
    const old = store.get(key);
    // A new uid is another object, even when it looks the same.
    if (project && old !== undefined && known?.uid === identity.uid && deepEqual(old, object)) return;
    store.put(key, object);
    changed(key, object, old);
  }

  function remove(key: string): void {
    const old = store.get(key);
    identities.delete(key);
    if (old === undefined) return;
    store.remove(key);
    changed(key, undefined, old);
  }

  function keep(object: JsonObject): JsonObject {
    const stripped = withoutManagedFields(object);
    return project ? project(stripped) : stripped;
  }

  async function relist(): Promise<void> {
    const found = new Map<string, {readonly identity: Identity; readonly object: JsonObject}>();
    let version = '';
    let absent = false;
    let refusal: unknown;
    try {
      const result = await client.list(collection, {
        labelSelector,
        fieldSelector,
        limit: unpaged ? 0 : pageSize,
        signal: stopped.signal,
        onPage(items) {
          for (const item of items) {
            const key = keyOf(item);
            if (key !== undefined) found.set(key, {identity: identityOf(item), object: keep(item)});
          }
        },
      });
      version = result.resourceVersion;
    } catch (error) {
      // Pages that outlive the server's memory would expire for ever.
      if (isExpired(error)) unpaged = true;
      absent = options.optional === true && (hasStatus(error, 404) || (hasStatus(error, 403) && !hasSynced));
      if (!absent) throw error;
      refusal = error;
    }
    unpaged = false;
    for (const key of [...store.keys()]) if (!found.has(key)) remove(key);
    for (const [key, entry] of found) put({key, ...entry});
    metrics?.listed?.(kind, found.size);
    advance(version);
    if (!hasSynced) {
      hasSynced = true;
      markSynced();
    }
    if (refusal !== undefined) throw refusal;
  }

  /** Throws a KubeError when the stream has to be replaced for a reason. */
  async function watch(): Promise<void> {
    const [least, most] = watchSeconds;
    let failure: KubeError | undefined;
    const ended = new AbortController();
    const abort = () => ended.abort();
    stopped.signal.addEventListener('abort', abort, {once: true});
    metrics?.watchStarted?.(kind);
    try {
      await client.watch(collection, {
        resourceVersion,
        labelSelector,
        fieldSelector,
        timeoutSeconds: Math.round(least + (most - least) * random()),
        idleMs,
        signal: ended.signal,
        onEvent(event) {
          if (failure !== undefined || stopped.signal.aborted) return;
          metrics?.event?.(kind, event.type);
          failure = apply(event);
          if (failure !== undefined) ended.abort();
        },
      });
    } catch (error) {
      throw failure ?? error;
    } finally {
      stopped.signal.removeEventListener('abort', abort);
    }
    if (failure !== undefined) throw failure;
  }

  function apply(event: WatchEvent): KubeError | undefined {
    if (event.type === 'ERROR') return errorOf(event.object);
    lastError = undefined;
    backoff.reset();
    if (event.type !== 'BOOKMARK') {
      const key = keyOf(event.object);
      if (key === undefined)
        return new KubeError({status: 0, reason: 'Malformed', message: 'a watch event without a name'});
      if (event.type === 'DELETED') remove(key);
      else put({key, identity: identityOf(event.object), object: keep(event.object)});
    }
    advance(identityOf(event.object).version);
    return undefined;
  }

  async function run(): Promise<void> {
    let mustList = true;
    while (!stopped.signal.aborted) {
      const startedAt = clock.monotonic();
      try {
        if (mustList) await relist();
        mustList = false;
        lastError = undefined;
        await watch();
        // A server that ends streams at once must not be hammered.
        if (clock.monotonic() - startedAt < 1_000) await sleep(clock, backoff.next(), stopped.signal);
        else backoff.reset();
      } catch (error) {
        if (stopped.signal.aborted) return;
        const expired = isExpired(error);
        // Servers may have nothing to say of a quiet kind for longer than a dead stream is waited for.
        const silent = !mustList && causeOf(error) === 'idle';
        // Only a broken transport leaves the known version good to go on from.
        mustList ||= expired || !isInterruption(error);
        lastError = silent ? undefined : error instanceof Error ? error.message : String(error);
        metrics?.interrupted?.(kind, causeOf(error));
        if (expired) log.info('the server has forgotten the known version; listing again', {kind});
        else if (silent) log.debug('a silent watch is opened anew', {kind});
        else if (options.optional && hasStatus(error, 404)) log.debug('the kind is not served', {kind});
        else log.warn('list or watch failed; trying again', {kind, error: lastError});
        await sleep(clock, Math.max(backoff.next(), retryAfterOf(error)), stopped.signal);
      }
    }
  }

  return {
    store,
    synced,
    get hasSynced() {
      return hasSynced;
    },
    get resourceVersion() {
      return resourceVersion;
    },
    get lastError() {
      return lastError;
    },
    subscribe,
    onProgress,
    start() {
      running ??= run().catch(error => log.error('a reflector ended', {kind, error: String(error)}));
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

/** `namespace/name` or `name`; `undefined` for what is no object of the API. */
export function keyOf(object: JsonObject): string | undefined {
  const name = ownPath(object, 'metadata', 'name');
  const namespace = ownPath(object, 'metadata', 'namespace');
  if (typeof name !== 'string' || name === '') return undefined;
  return joinKey(typeof namespace === 'string' ? namespace : '', name);
}

function identityOf(object: JsonObject): Identity {
  const uid = ownPath(object, 'metadata', 'uid');
  const version = ownPath(object, 'metadata', 'resourceVersion');
  return {uid: typeof uid === 'string' ? uid : '', version: typeof version === 'string' ? version : ''};
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  if (isObject(metadata)) delete metadata['managedFields'];
  return object;
}

function errorOf(status: JsonObject): KubeError {
  const code = own(status, 'code');
  const reason = own(status, 'reason');
  const message = own(status, 'message');
  return new KubeError({
    status: typeof code === 'number' ? code : 0,
    reason: typeof reason === 'string' ? reason : 'Unknown',
    message: typeof message === 'string' ? message : 'the watch ended with an error',
  });
}

function isExpired(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}

/** A 504 of the server itself may mean that it does not have the known version (yet): only a list can tell. */
function isInterruption(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  if (error.status === 0) return ['Network', 'Timeout', 'Aborted'].includes(error.reason);
  return error.status === 429 || (error.status >= 500 && error.status !== 504);
}

function causeOf(error: unknown): 'expired' | 'idle' | 'cut' | 'error' {
  if (isExpired(error)) return 'expired';
  if (!(error instanceof KubeError)) return 'error';
  if (error.reason === 'Timeout') return 'idle';
  return error.reason === 'Network' ? 'cut' : 'error';
}

function retryAfterOf(error: unknown): number {
  return error instanceof KubeError ? (error.retryAfter ?? 0) : 0;
}
