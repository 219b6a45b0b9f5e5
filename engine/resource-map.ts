import type {GroupVersionKind, GroupVersionResource} from './types.js';

export interface KindInfo extends GroupVersionKind {
  readonly resource: string;
  readonly namespaced: boolean;
  /** Subresource names without the parent, e.g. `status`, `scale`. */
  readonly subResources: readonly string[];
}

/**
 * Which kinds exist. Answers from memory only: the cluster's discovery as last read, or the built-in table offline.
 */
export interface ResourceMap {
  /** The parent kind of a resource, e.g. (`apps`,`v1`,`deployments`) → Deployment. */
  kindOf(resource: GroupVersionResource): KindInfo | undefined;
  /** All kinds for a kind name, preferred group/version first. */
  find(kind: string): readonly KindInfo[];
  /** Every kind known. */
  all(): readonly KindInfo[];
}

/** The resource of a kind in a group and version (`apps/v1`); `undefined` when it is not known. */
export function resourceOfKind(map: ResourceMap, apiVersion: string, kind: string): GroupVersionResource | undefined {
  const info = map.find(kind).find(known => apiVersionOf(known) === apiVersion);
  return info && {group: info.group, version: info.version, resource: info.resource};
}

/** `v1`, `apps/v1`. */
export function apiVersionOf({group, version}: Pick<GroupVersionKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
