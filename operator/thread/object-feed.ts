import type {Reflector} from '../../adapters/kube/reflector.js';
import type {JsonObject} from '../../engine/json/types.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {ObjectChanges} from './calls.js';

export interface ObjectFeedOptions {
  /** Of kinds that are mirrored here. */
  readonly reflectorOf: (kind: string) => Reflector;
  readonly kinds: readonly string[];
  readonly send: (changes: ObjectChanges) => void;
}

/**
 * Sends on what is mirrored of some kinds: what there is, then each change. Those of one turn of the loop go together. The function
 * that is returned ends it.
 */
export function feedObjects({reflectorOf, kinds, send}: ObjectFeedOptions): () => void {
  const ends: Array<() => void> = [];
  let changes: Array<readonly [string, string, string | undefined]> = [];
  let complete: Array<readonly [string, string]> = [];
  let ended = false;

  function later(): void {
    if (changes.length + complete.length > 0) return;
    queueMicrotask(() => {
      if (!ended) send({changes, complete});
      [changes, complete] = [[], []];
    });
  }

  function add(kind: string, key: string, object: JsonObject | undefined): void {
    later();
    changes.push([kind, key, object && stringifyJson(object)]);
  }

  for (const kind of kinds) {
    const reflector = reflectorOf(kind);
    const {store, synced, subscribe} = reflector;
    for (const key of store.keys()) add(kind, key, store.get(key));
    ends.push(subscribe((key, object) => add(kind, key, object)));
    void synced.then(() => {
      if (ended) return;
      later();
      complete.push([kind, reflector.resourceVersion]);
    });
  }
  return () => {
    ended = true;
    for (const end of ends) end();
  };
}
