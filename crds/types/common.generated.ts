// Generated from scripts/crd by `npm run generate`; edit there.
/** Metadata as far as policies and tools look at it. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
  }[];
}

/** One requirement on one label. */
export interface LabelRequirement {
  /** Label key. */
  key?: string;
  /** How key and values relate. One of In, NotIn, Exists, DoesNotExist. */
  operator?: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | (string & {});
  /** Values for In and NotIn. */
  values?: string[];
}

/** A label selector; all parts must hold. */
export interface LabelSelector {
  /** Labels by key and value. */
  matchLabels?: Record<string, string>;
  /** Label requirements. */
  matchExpressions?: LabelRequirement[];
}

/** How to log in to image registries. */
export interface RegistryCredentials {
  /** Allow registries without a trusted certificate. */
  allowInsecureRegistry?: boolean;
  /** Credential helpers: default, amazon, azure, google, github. */
  providers?: string[];
  /** Pull secrets, as name or namespace/name. */
  secrets?: string[];
}

/** One aspect of the state, as Kubernetes reports it. */
export interface Condition {
  /** Aspect, for instance Ready. */
  type: string;
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown';
  /** One word for programs. */
  reason?: string;
  /** One line for people. */
  message?: string;
  /** Generation of the object that was judged. */
  observedGeneration?: number;
  /** When status last changed. */
  lastTransitionTime?: string;
}
