import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {newest} from '../webhooks/webhook-controller.js';
import {isCopyOf, nativeGroup, type NativeObject, renderObject, writeObject} from './native-objects.js';

export interface NativeWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mirrored: (object: Pick<NativeObject, 'resource' | 'version' | 'name'>) => JsonObject | undefined;
}

/** `waits`: somebody else keeps rewriting it; again in so many milliseconds. */
export type WriteOutcome = {readonly type: 'same' | 'written'} | {readonly type: 'waits'; readonly ms: number} | {readonly type: 'refused' | 'foreign'; readonly message: string} | {readonly type: 'forbidden'};

/** Repairs of one object within a minute before we stop answering each at once. */
const maxRepairs = 20;
const minuteMs = 60_000;
const restMs = 10_000;

/** Writes single objects, only where they differ. What is neither refused nor forbidden rejects, to be tried again. */
export function createNativeWriter({client, clock, log, mirrored}: NativeWriterOptions) {
  const written = new Map<string, JsonObject>();
  const repairs = new Map<string, number[]>();

  function idOf({resource, name}: Pick<NativeObject, 'resource' | 'name'>): string {
    return `${resource}/${name}`;
  }

  function liveOf(object: Pick<NativeObject, 'resource' | 'version' | 'name'>): JsonObject | undefined {
    return newest(mirrored(object), written.get(idOf(object)));
  }

  /** Of what changes from the object as we left it. */
  function restOf(id: string, live: JsonObject): number {
    const last = written.get(id);
    if (last === undefined || versionOf(last) === versionOf(live)) return 0;
    const now = clock.monotonic();
    const recent = (repairs.get(id) ?? []).filter(at => now - at < minuteMs);
    recent.push(now);
    repairs.set(id, recent);
    if (recent.length <= maxRepairs) return 0;
    log.warn(`${id} is being rewritten by somebody else; we write it every 10 s`, {repairs: recent.length});
    repairs.delete(id);
    return restMs;
  }

  async function put(object: NativeObject): Promise<WriteOutcome> {
    const live = liveOf(object);
    const next = renderObject(object, live);
    if (next === undefined) return {type: 'same'};
    if (live !== undefined) {
      if (!isCopyOf(live, object.owner)) return foreign(object);
      const ms = restOf(idOf(object), live);
      if (ms > 0) return {type: 'waits', ms};
    }
    try {
      written.set(idOf(object), await writeObject(client, object, next, live));
      return {type: 'written'};
    } catch (error) {
      if (hasStatus(error, 409) && live === undefined) return takeOver(object);
      return outcomeOf(error);
    }
  }

  /** The mirror has not heard of it yet; or it is somebody else's. */
  async function takeOver(object: NativeObject): Promise<WriteOutcome> {
    const live = await client.get({group: nativeGroup, version: object.version, resource: object.resource, name: object.name});
    if (!isCopyOf(live, object.owner)) return foreign(object);
    const next = renderObject(object, live);
    if (next === undefined) return {type: 'same'};
    try {
      written.set(idOf(object), await writeObject(client, object, next, live));
      return {type: 'written'};
    } catch (error) {
      return outcomeOf(error);
    }
  }

  return {
    put,
    async remove(object: Pick<NativeObject, 'resource' | 'version' | 'name'>, uid: string): Promise<void> {
      written.delete(idOf(object));
      try {
        await client.delete({group: nativeGroup, version: object.version, resource: object.resource, name: object.name}, {uid});
      } catch (error) {
        // Gone, or another one by now.
        if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
      }
    },
    forget: () => written.clear(),
  };
}

function foreign({kind, name}: NativeObject): WriteOutcome {
  return {type: 'foreign', message: `a ${kind} ${name} exists that was not generated from it.`};
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof KubeError) {
    if (error.status === 403) return {type: 'forbidden'};
    if (error.status === 400 || error.status === 422) return {type: 'refused', message: error.message};
  }
  throw error;
}

function versionOf(object: JsonObject): string {
  return textOf(ownPath(object, 'metadata', 'resourceVersion'));
}
