/** An object as it is sent to the API server. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What an installation differs in. The plain manifest takes the defaults; chart and bundle put their own words in. */
export interface InstallSettings {
  readonly namespace: string;
  /** Of Deployment, ServiceAccount, roles and ConfigMap; the Service is `<name>-svc`. */
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly resources: Resources;
}

export interface Resources {
  readonly requests: {readonly cpu: string; readonly memory: string};
  readonly limits: {readonly cpu: string; readonly memory: string};
}
