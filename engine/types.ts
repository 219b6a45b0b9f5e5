import type {ContextLoader} from './context-loader.js';
import type {Json, JsonObject} from './json/types.js';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Who asks. Absent altogether in background scans and in the CLI without user info. */
export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** `namespace:name`, sorted. */
  readonly roles: readonly string[];
  /** Sorted. */
  readonly clusterRoles: readonly string[];
}

/** One thing to judge: an admission request, or an object in a background scan or the CLI in the same shape. */
export interface EngineRequest {
  readonly uid: string;
  /** Of the top-level resource: `deployments/scale` has the Deployment's kind here. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subResource: string;
  /** Empty for cluster-scoped objects. For a Namespace object: as the API server sends it. */
  readonly namespace: string;
  readonly name: string;
  readonly operation: Operation;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly user: AdmissionUser | undefined;
  readonly dryRun: boolean;
  /** The whole AdmissionRequest for `{{ request.… }}`; the engine adds roles, clusterRoles and the current object. */
  readonly raw: JsonObject;
}

/** `warn` is no outcome of a classic rule; unscored policies get it in reports, CEL policies by their action. */
export type RuleStatus = 'pass' | 'fail' | 'warn' | 'error' | 'skip';
export type RuleType = 'Validation' | 'Mutation' | 'Generation' | 'ImageVerify';
export type FailureAction = 'Enforce' | 'Audit';
export type FailurePolicy = 'Fail' | 'Ignore';

export interface PolicyRef {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped policies. */
  readonly namespace: string;
  readonly name: string;
  /** `name` or `namespace/name`. */
  readonly key: string;
}

export interface RuleResult {
  /** Autogen name where the rule was derived; empty for policies whose parts have no names. */
  readonly rule: string;
  readonly type: RuleType;
  readonly status: RuleStatus;
  readonly message: string;
  /** What a failure of this rule does, for this request's namespace. */
  readonly action: FailureAction;
  /** The same of CEL policies, which may ask for several; `action` is Enforce when `Deny` is among them. */
  readonly actions?: ReadonlyArray<'Deny' | 'Audit' | 'Warn'>;
  /** The requester is to hear of it, though it stops nothing. */
  readonly warns?: true;
  /** `namespace/name` of the exceptions that made it skip. */
  readonly exceptions?: readonly string[];
  readonly properties?: Readonly<Record<string, string>>;
  /** For mutation of existing objects and generation: what came out, one per target. */
  readonly targets?: readonly JsonObject[];
}

/** All results of one policy for one request, in rule order. */
export interface PolicyResult {
  readonly policy: PolicyRef;
  readonly failurePolicy: FailurePolicy;
  readonly emitWarning: boolean;
  /** From the policy's annotations, for reports. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly background: boolean;
  /** Who judged, in reports: `KyvernoValidatingPolicy`; `kyverno` when absent. */
  readonly source?: string;
  readonly rules: readonly RuleResult[];
  /** Nanoseconds spent, for metrics. */
  readonly duration?: number;
}

/** Is told how a run goes on, step by step; times are the listener's own. Must not throw. */
export interface RunTrace {
  /** The policies of the moment are taken. */
  loaded(): void;
  /** So many policies may concern the request. */
  matched(policies: number): void;
  /** A policy begins to be evaluated; the returned function is called when that ends, without a result when it has none. */
  policy(ref: PolicyRef): (result?: PolicyResult) => void;
}

export interface ValidateOptions {
  /** Which rules take part: those that can block, those that only warn or report, or all (CLI, scans). */
  readonly bucket: 'enforce' | 'audit' | 'audit-warn' | 'all';
  /** Keep only policies of this failure policy; `undefined` for all. */
  readonly failurePolicy?: FailurePolicy;
  /** Exactly these policies, by key, in their order; used by paths that name policies. */
  readonly only?: readonly string[];
  /** What a rule error leads to, whatever the policies say; `undefined` = each policy's own failure policy. */
  readonly errors?: FailurePolicy;
  readonly trace?: RunTrace;
  /** Of background checks: registries may be asked; else only what is known of images counts. */
  readonly fetchImages?: boolean;
  /** Milliseconds on the loader's `now()` scale. */
  readonly deadline: number;
}

export interface MutateOptions {
  readonly failurePolicy?: FailurePolicy;
  readonly only?: readonly string[];
  /** Of generation: only these rules, by name. */
  readonly rules?: readonly string[];
  /** Of generation: only tell which rules the request triggers; nothing is made. */
  readonly selectOnly?: boolean;
  readonly errors?: FailurePolicy;
  /** Of mutation. */
  readonly trace?: RunTrace;
  readonly deadline: number;
}

export interface MutateResponse {
  readonly results: readonly PolicyResult[];
  /** The object after all patches; the same reference as in the request when nothing changed. */
  readonly object: JsonObject | undefined;
  /** RFC 6902 operations from the request's object to `object`; empty when nothing changed. */
  readonly patch: readonly JsonPatchOperation[];
  /** Set when a rule error under failure policy Fail ended the run. */
  readonly denied?: string;
}

export interface ValidateResponse {
  readonly results: readonly PolicyResult[];
}

export interface GenerateResponse {
  readonly results: readonly PolicyResult[];
}

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** Raised by operations whose issue has not been built yet. */
export class NotImplementedError extends Error {
  override readonly name = 'NotImplementedError';
}

/**
 * The engine: policies + request → verdicts and patches. Pure but for `contextLoader`, its one door to the outside.
 * Never throws for a policy's or an object's sake: a rule that cannot be judged answers `error`.
 */
export interface Engine {
  validate(request: EngineRequest, options: ValidateOptions): Promise<ValidateResponse> | ValidateResponse;
  mutate(request: EngineRequest, options: MutateOptions): Promise<MutateResponse> | MutateResponse;
  generate(request: EngineRequest, options: MutateOptions): Promise<GenerateResponse> | GenerateResponse;
  verifyAndPatchImages(request: EngineRequest, options: MutateOptions): Promise<MutateResponse> | MutateResponse;
  applyBackgroundChecks(request: EngineRequest, options: ValidateOptions): Promise<ValidateResponse> | ValidateResponse;
  contextLoader(): ContextLoader;
}
