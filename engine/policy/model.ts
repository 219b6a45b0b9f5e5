import type {Diagnostic} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import type {FailureAction, FailurePolicy, Operation, PolicyRef} from '../types.js';

/**
 * A classic policy in one canonical shape: loose and deprecated forms are gone, defaults are filled in.
 * Made by `loadClassicPolicy`; what users wrote stays in `raw`. Shared by ClusterPolicy and Policy.
 */
export interface ClassicPolicy {
  readonly ref: PolicyRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: ClassicSpec;
  /** The object as it was submitted. */
  readonly raw: JsonObject;
}

export interface ClassicSpec {
  readonly applyRules: 'All' | 'One';
  readonly admission: boolean;
  readonly background: boolean;
  readonly emitWarning: boolean;
  readonly failurePolicy: FailurePolicy;
  /** Seconds 1–30; undefined = the installation's default. */
  readonly timeoutSeconds: number | undefined;
  readonly matchConditions: readonly MatchCondition[];
  /** Spec-wide action; rules may override. */
  readonly failureAction: FailureAction;
  readonly failureActionOverrides: readonly FailureActionOverride[];
  readonly useServerSideApply: boolean;
  readonly rules: readonly ClassicRule[];
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface FailureActionOverride {
  readonly action: FailureAction;
  readonly namespaces: readonly string[] | undefined;
  readonly namespaceSelector: LabelSelector | undefined;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: ReadonlyArray<{
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }>;
}

export interface ClassicRule {
  readonly name: string;
  /** `spec.rules[3]`, for diagnostics. */
  readonly path: string;
  readonly match: FilterGroup;
  readonly exclude: FilterGroup | undefined;
  readonly context: readonly ContextEntry[];
  /** As written (any/all object or list); undefined when absent. */
  readonly preconditions: Json | undefined;
  readonly reportProperties: Readonly<Record<string, string>>;
  readonly skipBackgroundRequests: boolean;
  readonly action: RuleAction;
  /** Kind → where its images stand; only with verifyImages. */
  readonly imageExtractors?: JsonObject;
  /** Only with `validate.cel`. */
  readonly celPreconditions?: readonly MatchCondition[];
}

/** `any`: one filter is enough; `all`: every filter. A direct `resources` block is `all` with one filter. */
export interface FilterGroup {
  readonly mode: 'any' | 'all';
  readonly filters: readonly ResourceFilter[];
}

export interface ResourceFilter {
  readonly kinds: readonly string[];
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly selector: LabelSelector | undefined;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly operations: readonly Operation[];
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
  readonly subjects: readonly Subject[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export type ContextEntry =
  | {
      readonly type: 'variable';
      readonly name: string;
      readonly value?: Json;
      readonly jmesPath?: string;
      readonly default?: Json;
    }
  | {
      readonly type: 'configMap';
      readonly name: string;
      readonly configMapName: string;
      readonly configMapNamespace: string;
    }
  | {
      readonly type: 'apiCall';
      readonly name: string;
      readonly urlPath?: string;
      readonly method: 'GET' | 'POST';
      readonly data: ReadonlyArray<{readonly key: string; readonly value: Json}>;
      readonly service?: {
        readonly url: string;
        readonly headers: ReadonlyArray<{readonly key: string; readonly value: string}>;
        readonly caBundle?: string;
      };
      readonly jmesPath?: string;
      readonly default?: Json;
    }
  | {readonly type: 'globalReference'; readonly name: string; readonly entry: string; readonly jmesPath?: string}
  | {
      readonly type: 'imageRegistry';
      readonly name: string;
      readonly reference: string;
      readonly jmesPath?: string;
      readonly raw: JsonObject;
    };

export type RuleAction = ValidateAction | MutateAction | GenerateAction | VerifyImagesAction | CleanupAction;

export interface ValidateAction {
  readonly type: 'validate';
  /** undefined = the policy's. */
  readonly failureAction: FailureAction | undefined;
  readonly failureActionOverrides: readonly FailureActionOverride[];
  readonly allowExistingViolations: boolean;
  readonly message: string | undefined;
  readonly check: ValidateCheck;
}

export type ValidateCheck =
  | {readonly type: 'pattern'; readonly pattern: Json}
  | {readonly type: 'anyPattern'; readonly patterns: readonly Json[]}
  | {readonly type: 'deny'; readonly conditions: Json | undefined}
  | {readonly type: 'foreach'; readonly entries: readonly ValidateForeach[]}
  /** Kept as written; podSecurity is read by its room, the others wait for their own issue. */
  | {readonly type: 'podSecurity' | 'cel' | 'manifests' | 'assert'; readonly raw: JsonObject};

export interface ValidateForeach {
  readonly list: string;
  readonly elementScope: boolean | undefined;
  readonly context: readonly ContextEntry[];
  readonly preconditions: Json | undefined;
  readonly check: Exclude<ValidateCheck, {readonly type: 'podSecurity' | 'cel' | 'manifests' | 'assert'}>;
}

export interface MutateAction {
  readonly type: 'mutate';
  readonly patch: MutatePatch;
  /** undefined = a standard mutate rule; present (even empty) = mutation of existing objects. */
  readonly targets: readonly JsonObject[] | undefined;
  readonly mutateExistingOnPolicyUpdate: boolean;
}

export type MutatePatch =
  | {readonly type: 'strategicMerge'; readonly patch: Json}
  /** The text as written, YAML or JSON. */
  | {readonly type: 'json6902'; readonly patch: string}
  | {readonly type: 'foreach'; readonly entries: readonly MutateForeach[]};

export interface MutateForeach {
  readonly list: string;
  readonly order: 'Ascending' | 'Descending' | undefined;
  readonly context: readonly ContextEntry[];
  readonly preconditions: Json | undefined;
  readonly patch: MutatePatch;
}

export interface GenerateAction {
  readonly type: 'generate';
  /** As normalised (apiVersion filled in, data wrapped); judged in its own issue. */
  readonly raw: JsonObject;
}

export interface VerifyImagesAction {
  readonly type: 'verifyImages';
  readonly raw: readonly JsonObject[];
}

/** The guide's rule-level `cleanup.removeResources`. */
export interface CleanupAction {
  readonly type: 'cleanup';
  readonly schedule: string | undefined;
  readonly removeResources: readonly JsonObject[];
}

/** Outcome of loading one policy object: a model only when there are no errors. */
export interface LoadResult<T> {
  readonly policy: T | undefined;
  /** Every fault, not just the first. */
  readonly errors: readonly Diagnostic[];
  /** Deprecated, loose (`compat: …`) or doubtful forms, each with what it was read as. */
  readonly warnings: readonly Diagnostic[];
}

/** A PolicyException of either shape, normalised. */
export interface ClassicException {
  readonly namespace: string;
  readonly name: string;
  readonly background: boolean;
  /** undefined only for the guide's shape without `match`: the object's place alone decides. */
  readonly match: FilterGroup | undefined;
  readonly conditions: Json | undefined;
  /** `policyName` `*` = any policy (guide decision 21). */
  readonly entries: ReadonlyArray<{readonly policyName: string; readonly ruleNames: readonly string[]}>;
  readonly podSecurity: readonly JsonObject[];
  readonly raw: JsonObject;
}
