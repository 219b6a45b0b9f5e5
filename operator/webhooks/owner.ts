import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';

/**
 * What our webhook configurations belong to: the installation's ClusterRole, else its namespace. Both go with the
 * installation, and the garbage collector takes the configurations along when no replica is left to do it.
 */
export function ownerReference({role, namespace}: {readonly role: JsonObject | undefined; readonly namespace: JsonObject | undefined}): JsonObject | undefined {
  return reference(role, 'rbac.authorization.k8s.io/v1', 'ClusterRole') ?? reference(namespace, 'v1', 'Namespace');
}

/** What is on its way out owns nothing new. */
export function isLeaving(object: JsonObject | undefined): boolean {
  return ownPath(object, 'metadata', 'deletionTimestamp') !== undefined;
}

function reference(object: JsonObject | undefined, apiVersion: string, kind: string): JsonObject | undefined {
  const name = textOf(ownPath(object, 'metadata', 'name'));
  const uid = textOf(ownPath(object, 'metadata', 'uid'));
  return name === '' || uid === '' || isLeaving(object) ? undefined : {apiVersion, kind, name, uid};
}
