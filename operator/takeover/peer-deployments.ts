import type {ObjectReader} from '../../adapters/kube/object-store.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';

const components = ['admission-controller', 'background-controller', 'cleanup-controller', 'reports-controller'] as const;

/** Deployments of the peer's controllers, by the labels that its chart gives them. */
export const peerSelector = `app.kubernetes.io/part-of=kyverno,app.kubernetes.io/component in (${components.join(',')})`;

/** Names of those that have a ready replica now. */
export function runningPeers(deployments: ObjectReader, ownName: string): readonly string[] {
  return [...deployments.objects()]
    .filter(deployment => nameOf(deployment) !== ownName && ready(deployment) > 0)
    .map(nameOf)
    .sort();
}

/** All that is looked at: Deployments change with each of their Pods. */
export function peerOnly(deployment: JsonObject): JsonObject {
  const metadata: JsonObject = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion', 'labels']) {
    const value = ownPath(deployment, 'metadata', field);
    if (value !== undefined) metadata[field] = value;
  }
  return {metadata, status: {readyReplicas: ready(deployment)}};
}

function ready(deployment: JsonObject): number {
  const replicas = ownPath(deployment, 'status', 'readyReplicas');
  return typeof replicas === 'number' ? replicas : 0;
}

function nameOf(deployment: JsonObject): string {
  return textOf(ownPath(deployment, 'metadata', 'name'));
}
