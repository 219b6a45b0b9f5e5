import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import {deepEqual} from '../../engine/json/equal.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';

export type StatusOutcome = 'written' | 'unchanged' | 'gone';

/** The status that `object` should have; `undefined` = leave it. Pure: it runs again after a conflict. */
export type ComputeStatus = (object: JsonObject) => JsonObject | undefined;

export interface WriteStatusOptions {
  /** The object as a cache has it: spares the first read, and any request when its status is right. */
  readonly cached?: JsonObject | undefined;
  /** 5 when absent. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the status subresource and nothing else. Equal = no request; a conflict = read again and compute again.
 * Rejects with the last conflict when all attempts lost, and with any other failure.
 */
export async function writeStatus(
  client: KubeClient,
  ref: ObjectRef,
  compute: ComputeStatus,
  {cached, attempts = 5, signal}: WriteStatusOptions = {},
): Promise<StatusOutcome> {
  let object = cached;
  for (let attempt = 1; ; attempt += 1) {
    try {
      object ??= await client.get(ref, {signal});
      const status = compute(object);
      const current = own(object, 'status');
      if (status === undefined || deepEqual(status, current ?? {})) return 'unchanged';
      await client.update(ref, bodyOf(object, status), {subresource: 'status', signal});
      return 'written';
    } catch (error) {
      if (hasStatus(error, 404)) return 'gone';
      if (!hasStatus(error, 409) || attempt >= attempts) throw error;
      object = undefined;
    }
  }
}

/** A status PUT takes nothing but the status; metadata tells which object and version it is for. */
function bodyOf(object: JsonObject, status: JsonObject): JsonObject {
  const metadata: JsonObject = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
    const value = ownPath(object, 'metadata', field);
    if (value !== undefined) metadata[field] = value;
  }
  return {apiVersion: own(object, 'apiVersion') ?? '', kind: own(object, 'kind') ?? '', metadata, status};
}
