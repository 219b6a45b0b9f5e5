import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {fieldManager} from './compare.js';
import {conflictsWith, mergedInto, mergePatched} from './merge-fields.js';
import {Refused} from './work-errors.js';

export interface ApplyOptions {
  /** Takes over fields that others set. */
  readonly force: boolean;
}

export interface DownstreamClient {
  /** Server-side apply; without the right to `patch`, a create or an update that comes to the same. */
  apply(ref: ObjectRef, object: JsonObject, options: ApplyOptions): Promise<JsonObject>;
  /** A merge patch; without the right to `patch`, an update. */
  merge(ref: ObjectRef, patch: JsonObject): Promise<JsonObject>;
}

/** How long it is taken for granted that `patch` is refused. */
const refusedMs = 60_000;
const mostConflicts = 5;

/**
 * Generated objects are written by `patch`. Roles that were made for a create-and-update writer have no such right: there the
 * same is written by `create` and `update`, with the resource version as guard.
 */
export function createDownstreamClient({client, clock, log}: {readonly client: KubeClient; readonly clock: Clock; readonly log: Logger}): DownstreamClient {
  /** Until when, by resource and namespace. */
  const refused = new Map<string, number>();
  const placeOf = ({group, resource, namespace = ''}: ObjectRef) => `${group}/${resource} ${namespace}`;

  async function orElse(ref: ObjectRef, write: () => Promise<JsonObject>, instead: () => Promise<JsonObject>): Promise<JsonObject> {
    const place = placeOf(ref);
    if (clock.monotonic() < (refused.get(place) ?? 0)) return instead();
    try {
      return await write();
    } catch (error) {
      if (!isPatchRefused(error)) throw error;
      const isNew = !refused.has(place);
      refused.set(place, clock.monotonic() + refusedMs);
      if (isNew) log.warn(`background: no right to patch ${ref.resource}; they are created and updated instead`, {namespace: ref.namespace ?? ''});
      return instead();
    }
  }

  async function read(ref: ObjectRef): Promise<JsonObject | undefined> {
    try {
      return await client.get(ref);
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Again when somebody else wrote in between. */
  async function updated(ref: ObjectRef, change: (live: JsonObject | undefined) => JsonObject): Promise<JsonObject> {
    for (let tries = 1; ; tries += 1) {
      const live = await read(ref);
      const next = change(live);
      try {
        return live === undefined ? await client.create(ref, next, {fieldManager}) : await client.update(ref, next, {fieldManager});
      } catch (error) {
        if (!hasStatus(error, 409) || tries === mostConflicts) throw error;
      }
    }
  }

  return {
    apply: (ref, object, {force}) =>
      orElse(
        ref,
        () => client.patch(ref, object, {type: 'apply', force, fieldManager}),
        () =>
          updated(ref, live => {
            if (live === undefined) return object;
            const conflict = force ? undefined : conflictsWith(live, object);
            if (conflict !== undefined) throw new Refused('ForeignObject', `${ref.resource} ${ref.name} has fields of another manager, which are not taken over: ${conflict}`);
            return mergedInto(live, object);
          }),
      ),
    merge: (ref, patch) =>
      orElse(
        ref,
        () => client.patch(ref, patch, {type: 'merge', fieldManager}),
        () =>
          updated(ref, live => {
            if (live === undefined) throw new KubeError({status: 404, reason: 'NotFound', message: `${ref.resource} ${ref.name} not found`});
            const next = mergePatched(live, patch);
            const metadata = own(next, 'metadata');
            return {...next, metadata: {...(isObject(metadata) ? metadata : {}), resourceVersion: ownPath(live, 'metadata', 'resourceVersion') ?? null}};
          }),
      ),
  };
}

/** The right to patch is missing, not one that the change needs beside (`create`, for an apply that makes something). */
function isPatchRefused(error: unknown): boolean {
  return error instanceof KubeError && error.status === 403 && /cannot patch resource/.test(error.message);
}
