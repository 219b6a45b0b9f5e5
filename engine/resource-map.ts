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
