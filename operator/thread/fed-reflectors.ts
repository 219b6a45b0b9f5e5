import {createObjectStore, type Indexer} from '../../adapters/kube/object-store.js';
import type {ChangeHandler, Reflector} from '../../adapters/kube/reflector.js';
import {createReflectorListeners} from '../../adapters/kube/reflector-listeners.js';
import type {Log} from '../../adapters/log.js';
import {parseJson} from '../../engine/json/parse.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {Registration} from '../manager/manager.js';
import type {ObjectChanges} from './calls.js';

export interface FedReflectors {
  /** What stands in for a list and watch of its own. */
  create(registration: Pick<Registration, 'key' | 'indexers'>, onChange: ChangeHandler): Reflector;
  take(changes: ObjectChanges): void;
}

interface Fed {
  readonly reflector: Reflector;
  put(key: string, object: JsonObject | undefined): void;
  complete(version: string): void;
}

/** Mirrors that another thread keeps and passes on, so that both judge by the same objects and the API server is watched once. */
export function createFedReflectors(log: Log): FedReflectors {
  const fed = new Map<string, Fed>();
  return {
    create({key, indexers}, onChange) {
      const one = createFed({kind: key, indexers, onChange, log});
      fed.set(key, one);
      return one.reflector;
    },
    take({changes, complete}) {
      for (const [kind, key, text] of changes) fed.get(kind)?.put(key, text === undefined ? undefined : (parseJson(text) as JsonObject));
      for (const [kind, version] of complete) fed.get(kind)?.complete(version);
    },
  };
}

interface FedOptions {
  readonly kind: string;
  readonly indexers: Readonly<Record<string, Indexer>> | undefined;
  readonly onChange: ChangeHandler;
  readonly log: Log;
}

function createFed({kind, indexers, onChange, log}: FedOptions): Fed {
  const store = createObjectStore(indexers);
  const {changed, progressed, subscribe, onProgress} = createReflectorListeners({kind, log, onChange});
  let markSynced: () => void = () => undefined;
  const synced = new Promise<void>(resolve => {
    markSynced = resolve;
  });
  let hasSynced = false;
  let resourceVersion = '';

  return {
    reflector: {
      store,
      synced,
      get hasSynced() {
        return hasSynced;
      },
      get resourceVersion() {
        return resourceVersion;
      },
      lastError: undefined,
      subscribe,
      onProgress,
      start() {},
      async stop() {},
    },
    put(key, object) {
      const old = store.get(key);
      if (object === undefined) store.remove(key);
      else store.put(key, object);
      changed(key, object, old);
    },
    complete(version) {
      resourceVersion = version;
      hasSynced = true;
      markSynced();
      progressed(version);
    },
  };
}
