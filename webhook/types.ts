import type {Clock} from '../adapters/clock.js';
import type {Logger} from '../adapters/log/logger.js';
import type {CelEngine} from '../engine/cel-policies/run/create-cel-engine.js';
import type {MaybePromise} from '../engine/context-loader.js';
import type {Diagnostic} from '../engine/diagnostic.js';
import type {JsonObject} from '../engine/json/types.js';
import type {ResourceMap} from '../engine/resource-map.js';
import type {
  AdmissionUser,
  Engine,
  EngineRequest,
  FailurePolicy,
  GroupVersionKind,
  GroupVersionResource,
  Operation,
  PolicyResult,
} from '../engine/types.js';
import type {Metrics} from './metrics/metrics.js';
import type {AdmissionRoute} from './routes.js';
import type {TraceSink} from '../adapters/tracing/types.js';

/** One decoded `AdmissionReview.request`, before roles and the top-level kind are known. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource: string;
  readonly name: string;
  readonly namespace: string;
  readonly operation: Operation;
  readonly user: RequestUser;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly dryRun: boolean;
  /** The request as it came in. */
  readonly raw: JsonObject;
}

export interface RequestUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What goes back to the API server. `patch` is the text of an RFC 6902 list. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly message?: string;
  readonly warnings?: readonly string[];
  readonly patch?: string;
  /** Why the request could not be judged; for the log, never sent as such. */
  readonly error?: string;
}

/** Roles of a requester, from cached bindings. A throw is an error of the request, judged by its failure policy. */
export interface RoleLookup {
  rolesOf(
    user: {readonly username: string; readonly groups: readonly string[]},
    namespace: string,
  ): {readonly roles: readonly string[]; readonly clusterRoles: readonly string[]};
}

export interface FilteredResource {
  readonly group: string;
  readonly version: string;
  /** Of the top-level resource. */
  readonly kind: string;
  readonly subResource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Requests nobody wants judged: user exclusions and resource filters of the configuration. */
export interface RequestFilters {
  excludesUser(user: AdmissionUser): boolean;
  excludesResource(resource: FilteredResource): boolean;
  /** True when the request would change an object that only the operator itself may change. */
  protects?(request: EngineRequest): boolean;
}

/** Judges policy, exception, global context and clean-up objects as they are written. */
export interface PolicyReview {
  review(request: AdmissionRequest): MaybePromise<PolicyReviewResult>;
}

export interface PolicyReviewResult {
  readonly allowed: boolean;
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly string[];
}

/** Lets a path that names a policy tell a policy that does not match from one that does not exist. */
export interface PolicyNames {
  /** `key` is `name` or `namespace/name`. */
  has(key: string): boolean;
}

/** The policies written in CEL. */
export interface CelServing {
  readonly engine: Pick<CelEngine, 'validate' | 'mutate' | 'pinImages'>;
  /** What an error of ours means for these policies (`namespace` is the request's): Ignore when all of them say so. */
  failurePolicyOf(kind: string, names: readonly string[], namespace: string): FailurePolicy;
  /** The request is the operator's own background work. */
  isBackground(request: EngineRequest): boolean;
}

/** What one admission came to; made after the answer was sent, never for a dry run. */
export interface AuditRecord {
  readonly webhook: 'validate' | 'mutate';
  readonly request: EngineRequest;
  /** Milliseconds since the epoch, when the request came in. */
  readonly time: number;
  readonly allowed: boolean;
  /** The refusal's text when not allowed. */
  readonly message?: string;
  /** Verdicts of policies judged within the request and, when allowed, of audit policies judged after it. */
  readonly results: readonly PolicyResult[];
}

/** Where records go: Events and log, later reports. May hang or fail without harm to any request. */
export interface AuditSink {
  /** False: records are not wanted now, and none is made. Absent: always wanted. */
  takes?(): boolean;
  submit(record: AuditRecord, signal: AbortSignal): MaybePromise<void>;
}

/**
 * Told of what was let in, before the answer leaves: for work of which only the request is evidence. The answer waits
 * until `deadline` (milliseconds on the clock's scale) and leaves all the same when that passes or the work fails.
 */
export interface AdmissionObserver {
  /** Quick and without I/O: may this request matter? */
  concerns(request: EngineRequest, route: AdmissionRoute): boolean;
  admitted(request: EngineRequest, route: AdmissionRoute, deadline: number): Promise<void>;
}

export interface ServingCertificate {
  /** PKCS#8 PEM. */
  readonly key: string;
  /** Leaf PEM, followed by intermediates if any. */
  readonly cert: string;
  /** The published CA bundle, PEM. */
  readonly ca: string;
}

export interface CertificateSource {
  current(): ServingCertificate;
  /** Calls back on every change; the returned function ends that. */
  subscribe(listener: (certificate: ServingCertificate) => void): () => void;
}

export interface ReadinessReport {
  readonly ready: boolean;
  /** One line each; empty when ready. */
  readonly reasons: readonly string[];
}

export interface AdmissionLimits {
  /** Bytes of one request body; beyond: 413. */
  readonly maxBodyBytes: number;
  /** Requests judged at one time; beyond: 429, so that the webhook's failure policy decides. */
  readonly maxInFlight: number;
  /** Bytes of all bodies held at one time; beyond: 429. */
  readonly maxInFlightBytes: number;
  /** When the request carries no `timeout`, milliseconds. */
  readonly defaultTimeoutMs: number;
  /** The answer leaves at least this long before the caller's timeout. */
  readonly answerReserveMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Above the 90 s for which the API server keeps an idle connection. */
  readonly keepAliveTimeoutMs: number;
  readonly auditCapacity: number;
  /** Bytes on the wire of the requests that wait for audit work; beyond: dropped and counted. */
  readonly auditBytes: number;
  readonly auditWorkers: number;
  /** Own budget of one audit job, milliseconds. */
  readonly auditTimeoutMs: number;
}

export interface AdmissionServerOptions {
  readonly engine: Engine;
  readonly resources: () => ResourceMap;
  readonly roles: RoleLookup;
  readonly filters: () => RequestFilters;
  readonly policyReview: PolicyReview;
  /** Absent: a named policy that is missing is taken for one that does not match. */
  readonly policies?: PolicyNames;
  /** Absent: policies written in CEL are not served. */
  readonly cel?: CelServing;
  readonly audit: AuditSink;
  readonly observer?: AdmissionObserver;
  readonly certificates: CertificateSource;
  readonly readiness: () => ReadinessReport;
  /**
   * False until everything that judges is loaded: no review is answered before, so that failure policies decide what a
   * half-filled cache must not. Absent: always true.
   */
  readonly complete?: () => boolean;
  readonly metrics: Metrics;
  /** Told of each answer to a review. */
  readonly onAnswer?: (() => void) | undefined;
  /** Absent: nothing is traced. */
  readonly traces?: TraceSink | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: Partial<AdmissionLimits>;
  /** Log requests and answers at verbosity 4, data of Secrets left out. */
  readonly dumpPayload?: boolean;
  /** Log patches at verbosity 2. */
  readonly dumpPatches?: boolean;
}

export interface DrainOptions {
  /** Resolves when no client can find this endpoint any more. */
  readonly endpointGone?: () => Promise<void>;
  /** Longest wait for `endpointGone`, milliseconds; default 10,000. */
  readonly maxWaitMs?: number;
  /** How long a connection has to stay silent after that before it is closed, milliseconds; default 1,000. */
  readonly silentMs?: number;
  /** Longest wait for requests in flight, milliseconds; default 15,000. */
  readonly finishMs?: number;
}

export interface AdmissionServer {
  /** Port 0 picks a free one. Rejects when the address is taken. */
  listen(port: number, host?: string): Promise<void>;
  /** Unready → endpoint gone → `Connection: close` → silent sockets closed → requests finished → closed. */
  drain(options?: DrainOptions): Promise<void>;
  /** Ends at once: no new connections, idle ones closed, audit work dropped (and counted). */
  close(): Promise<void>;
  address(): {readonly host: string; readonly port: number} | undefined;
}
