import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';

const attempts = 5;

export function finalizersOf(object: object): readonly string[] {
  const finalizers = ownPath(object as JsonObject, 'metadata', 'finalizers');
  return Array.isArray(finalizers) ? finalizers.filter(name => typeof name === 'string') : [];
}

/**
 * Changes the list of finalizers as it is on the server, so that others' entries survive. No request when `edit` changes
 * nothing; a gone object is fine.
 */
export async function editFinalizers(
  client: KubeClient,
  ref: ObjectRef,
  edit: (finalizers: readonly string[]) => readonly string[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const object = await client.get(ref);
      const before = finalizersOf(object);
      const after = edit(before);
      if (after.length === before.length && after.every((name, index) => name === before[index])) return;
      const resourceVersion = ownPath(object, 'metadata', 'resourceVersion') ?? '';
      await client.patch(ref, {metadata: {resourceVersion, finalizers: [...after]}}, {type: 'merge'});
      return;
    } catch (error) {
      if (hasStatus(error, 404)) return;
      if (!hasStatus(error, 409) || attempt >= attempts) throw error;
    }
  }
}
