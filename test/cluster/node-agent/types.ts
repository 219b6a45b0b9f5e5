/** The parts of a Pod that the node agent reads. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly automountServiceAccountToken?: boolean;
    readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
    readonly schedulingGates?: readonly unknown[];
    readonly initContainers?: readonly Container[];
    readonly containers: readonly Container[];
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext?: {readonly runAsUser?: number};
    readonly volumes?: readonly Volume[];
  };
  readonly status?: {readonly phase?: string};
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly securityContext?: {readonly runAsUser?: number; readonly readOnlyRootFilesystem?: boolean};
  readonly volumeMounts?: readonly {readonly name: string; readonly mountPath: string; readonly readOnly?: boolean}[];
  readonly ports?: readonly {readonly name?: string; readonly containerPort: number}[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: {readonly preStop?: Handler};
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: {readonly fieldPath: string};
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
    readonly resourceFieldRef?: unknown;
  };
}

export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: {readonly name: string; readonly optional?: boolean};
  readonly secretRef?: {readonly name: string; readonly optional?: boolean};
}

/** A ConfigMap or Secret as files; all its keys unless `items` says otherwise. */
export interface DataSource {
  readonly name: string;
  readonly optional?: boolean;
  readonly items?: readonly {readonly key: string; readonly path: string}[];
}

export interface ProjectedSource {
  readonly serviceAccountToken?: {readonly path: string; readonly expirationSeconds?: number; readonly audience?: string};
  readonly configMap?: DataSource;
  readonly secret?: DataSource;
  readonly downwardAPI?: {readonly items?: readonly {readonly path: string; readonly fieldRef?: {readonly fieldPath: string}}[]};
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly configMap?: DataSource;
  readonly secret?: Omit<DataSource, 'name'> & {readonly secretName: string};
  readonly projected?: {readonly sources: readonly ProjectedSource[]};
}

export interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface Handler {
  readonly httpGet?: HttpGet;
  readonly tcpSocket?: {readonly port: number | string; readonly host?: string};
  readonly exec?: {readonly command?: readonly string[]};
  readonly sleep?: {readonly seconds: number};
  readonly grpc?: unknown;
}

export interface HttpGet {
  readonly path?: string;
  readonly port: number | string;
  readonly scheme?: 'HTTP' | 'HTTPS';
  readonly httpHeaders?: readonly {readonly name: string; readonly value: string}[];
}

export interface Probe extends Handler {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

/** `state` of a container status. */
export type ContainerState =
  | {readonly waiting: {readonly reason: string; readonly message?: string}}
  | {readonly running: {readonly startedAt: string}}
  | {readonly terminated: Terminated};

export interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: 'Completed' | 'Error';
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** What a container is at one moment. */
export interface ContainerView {
  readonly name: string;
  readonly image: string;
  readonly state: ContainerState;
  readonly lastState: {readonly terminated?: Terminated};
  readonly restartCount: number;
  readonly started: boolean;
  readonly ready: boolean;
  /** Process number while it runs. */
  readonly pid: number | undefined;
  /** It ended and will not be started again. */
  readonly finished: boolean;
}
