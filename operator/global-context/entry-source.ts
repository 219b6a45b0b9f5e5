import type {Clock} from '../../adapters/clock.js';
import {createReflector} from '../../adapters/kube/reflector.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {ContextLoader} from '../../engine/context-loader.js';
import type {EntrySource, GlobalContextEntry} from '../../engine/global-context/load-entry.js';
import {type ProjectOptions, type Projected, projectAll} from '../../engine/global-context/project.js';
import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';
import type {EntryStore} from './entry-store.js';

export interface EntrySourceOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly loader: ContextLoader;
  readonly project: () => ProjectOptions;
  readonly store: EntryStore;
  /** Milliseconds for one call. */
  readonly callTimeoutMs: number;
  /** A value came, or could not be had. */
  readonly onOutcome: (name: string, outcome: {readonly at: number; readonly error?: string}) => void;
}

/** What keeps one entry's value; `stop` ends it and takes the value away. */
export interface RunningSource {
  stop(): Promise<void>;
}

export function startSource(entry: GlobalContextEntry, options: EntrySourceOptions): RunningSource {
  const {source} = entry;
  return source.type === 'resource' ? watchObjects(entry, source, options) : pollCall(entry, source, options);
}

type Of<T extends EntrySource['type']> = Extract<EntrySource, {type: T}>;

/** The list and its projections are made when they are asked for, once per change. */
function watchObjects(entry: GlobalContextEntry, source: Of<'resource'>, options: EntrySourceOptions): RunningSource {
  const {client, clock, log, store, project} = options;
  const {group, version, resource, namespace} = source;
  const {name} = entry;
  const reflector = createReflector({
    client,
    collection: {group, version, resource, ...(namespace !== '' && {namespace})},
    clock,
    log,
    project: withoutManagedFields,
  });
  let list: Json[] | undefined;
  let projected: Map<string, Projected> | undefined;
  const value = () => (list ??= [...reflector.store.objects()]);
  const projections = () => (projected ??= projectAll(value(), entry.projections, project()));
  store.put(name, {error: 'its objects are not listed yet'});
  const unsubscribe = reflector.subscribe(() => {
    list = undefined;
    projected = undefined;
  });
  let stopped = false;
  void reflector.synced.then(() => {
    if (stopped) return;
    store.put(name, {value, projections});
    options.onOutcome(name, {at: clock.now()});
  });
  const watchdog = setInterval(() => {
    if (!reflector.hasSynced && reflector.lastError !== undefined) {
      store.put(name, {error: `its objects cannot be listed: ${reflector.lastError}`});
      options.onOutcome(name, {at: clock.now(), error: reflector.lastError});
    }
  }, 1_000);
  watchdog.unref();
  reflector.start();
  return {
    async stop() {
      stopped = true;
      clearInterval(watchdog);
      unsubscribe();
      await reflector.stop();
      store.drop(name);
    },
  };
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const {managedFields: _dropped, ...rest} = metadata;
  return {...object, metadata: rest};
}

const firstRetryMs = 250;

/** Asks again every interval; a failed one tries a few times more at once, then answers with its error until the next. */
function pollCall(entry: GlobalContextEntry, source: Of<'call'>, options: EntrySourceOptions): RunningSource {
  const {clock, loader, store, project} = options;
  const {name} = entry;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  store.put(name, {error: 'its first call is under way'});

  async function call(): Promise<void> {
    let error = '';
    for (let attempt = 0; attempt <= source.retries && !stopped; attempt += 1) {
      if (attempt > 0) await pause(Math.min(5_000, firstRetryMs * 2 ** (attempt - 1)));
      try {
        const value = await loader.apiCall(source.request, {deadline: clock.now() + options.callTimeoutMs});
        if (stopped) return;
        const projected = projectAll(value, entry.projections, project());
        store.put(name, {value: () => value, projections: () => projected});
        options.onOutcome(name, {at: clock.now()});
        return;
      } catch (thrown) {
        error = thrown instanceof Error ? thrown.message : String(thrown);
      }
    }
    if (stopped) return;
    store.put(name, {error});
    options.onOutcome(name, {at: clock.now(), error});
  }

  function pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      setTimeout(resolve, ms).unref();
    });
  }

  async function loop(): Promise<void> {
    await call();
    if (stopped) return;
    timer = setTimeout(() => void loop(), source.refreshMs);
    timer.unref();
  }
  const running = loop();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      store.drop(name);
      await Promise.race([running, pause(100)]);
    },
  };
}
