import type {KubernetesObject} from '@kubernetes/client-node';
import type {ObjectRef} from '../../adapters/kube/types.js';
import type {JsonObject} from '../../engine/json/types.js';
import {type ResourceEvent, ResourceEventType, type ResourceMeta, ResourceMetaImpl} from './framework.js';

/**
 * Turns "this key has changed, the object is now …" into the framework's events. A change that `onEvent` failed on is
 * told again with the object as it is by then.
 */
export function resourceEvents(
  plural: string,
  onEvent: (event: ResourceEvent) => Promise<void>,
): (key: string, object: JsonObject | undefined) => Promise<void> {
  const told = new Map<string, JsonObject>();
  return async (key, object) => {
    const before = told.get(key);
    const subject = object ?? before;
    if (subject === undefined) return;
    const {Added, Modified, Deleted} = ResourceEventType;
    const type: ResourceEventType = object === undefined ? Deleted : before === undefined ? Added : Modified;
    const kubernetesObject: KubernetesObject = subject;
    const meta = ResourceMetaImpl.createWithPlural(plural, kubernetesObject);
    await onEvent({meta, type, object: kubernetesObject});
    if (object === undefined) told.delete(key);
    else told.set(key, object);
  };
}

/** Address of the object that an event was about. */
export function refOfMeta({id, apiVersion, namespace, name}: ResourceMeta): ObjectRef {
  const slash = apiVersion.indexOf('/');
  const dot = id.indexOf('.');
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    resource: dot < 0 ? id : id.slice(0, dot),
    namespace,
    name,
  };
}
