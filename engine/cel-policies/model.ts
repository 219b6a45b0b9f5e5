import type {ImageParts} from '../cel-image/model.js';
import type {JsonObject} from '../json/types.js';
import type {LabelSelector} from '../policy/model.js';
import type {FailurePolicy, PolicyRef} from '../types.js';

/**
 * Policies of `policies.kyverno.io` in one canonical shape, whatever version they were written in: defaults are filled
 * in, wrong parts are gone (and told). Made by `loadCelPolicy`; what users wrote stays in `raw`.
 *
 * Places in messages follow from the position: `spec.validations[0].expression`.
 */
export type CelPolicy = ValidatingPolicy | MutatingPolicy | GeneratingPolicy | DeletingPolicy | ImageValidatingPolicy;

export type ValidatingPolicy = PolicyModel<'validating', ValidatingSpec>;
export type MutatingPolicy = PolicyModel<'mutating', MutatingSpec>;
export type GeneratingPolicy = PolicyModel<'generating', GeneratingSpec>;
export type DeletingPolicy = PolicyModel<'deleting', DeletingSpec>;
export type ImageValidatingPolicy = PolicyModel<'imageValidating', ImageValidatingSpec>;

export type CelPolicyType = CelPolicy['type'];

interface PolicyModel<T extends string, S> {
  readonly type: T;
  /** `kind` tells the Namespaced twins apart; `namespace` is empty for cluster-scoped ones. */
  readonly ref: PolicyRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: S;
  /** The object as it was submitted. */
  readonly raw: JsonObject;
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

export interface Validation {
  readonly expression: string;
  readonly message: string | undefined;
  readonly messageExpression: string | undefined;
  /** Only of meaning to the API server. */
  readonly reason: string | undefined;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

export interface MatchConstraints {
  readonly resourceRules: readonly ResourceRule[];
  readonly excludeResourceRules: readonly ResourceRule[];
  /** `undefined` or empty = every one. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  readonly matchPolicy: 'Exact' | 'Equivalent' | undefined;
}

export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  // `pods`, `pods/exec`, `*`; a star on either side of the slash.
  readonly resources: readonly string[];
  /** `*` among them = any. */
  readonly operations: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced' | '*';
  /** Empty = any. */
  readonly resourceNames: readonly string[];
}

export type ValidationAction = 'Deny' | 'Audit' | 'Warn';

interface CommonSpec {
  readonly matchConstraints: MatchConstraints | undefined;
  readonly matchConditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly auditAnnotations: readonly AuditAnnotation[];
  readonly failurePolicy: FailurePolicy;
  /** Seconds; `undefined` = the installation's default. */
  readonly timeoutSeconds: number | undefined;
  /** `JSON`: judges payloads, not admission requests. */
  readonly mode: string;
  readonly admission: boolean;
  readonly background: boolean;
  /** `undefined` = all that the policy can be extended to; empty = none. */
  readonly podControllers: readonly string[] | undefined;
}

export interface ValidatingSpec extends CommonSpec {
  readonly validations: readonly Validation[];
  /** At least one. */
  readonly validationActions: readonly ValidationAction[];
  readonly generateAdmissionPolicy: boolean;
}

export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration: string | undefined;
  readonly jsonPatch: string | undefined;
}

export interface MutatingSpec extends CommonSpec {
  readonly mutations: readonly Mutation[];
  /** Existing objects to change; `undefined` = the trigger. */
  readonly targetMatchConstraints: (MatchConstraints & {readonly expression: string | undefined}) | undefined;
  readonly targetMatchConditions: readonly NamedExpression[];
  readonly reinvocationPolicy: 'Never' | 'IfNeeded';
  readonly mutateExisting: boolean;
  readonly skipBackgroundRequests: boolean;
  readonly useServerSideApply: boolean;
  readonly generateAdmissionPolicy: boolean;
}

export interface Generation {
  readonly expression: string | undefined;
  readonly template: {readonly value: string; readonly interpolate: 'none' | 'cel'} | undefined;
}

export interface GeneratingSpec extends CommonSpec {
  readonly generate: readonly Generation[];
  readonly generateExisting: boolean;
  readonly synchronize: boolean;
  readonly orphanDownstreamOnPolicyDelete: boolean;
  readonly skipBackgroundRequests: boolean;
  readonly useServerSideApply: boolean;
}

export interface DeletingSpec {
  readonly matchConstraints: MatchConstraints | undefined;
  readonly conditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly schedule: string;
  readonly deletionPropagationPolicy: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

export interface ImageValidatingSpec extends CommonSpec, ImageParts {
  readonly validations: readonly Validation[];
  /** At least one. */
  readonly validationActions: readonly ValidationAction[];
  /** Where else images stand; each comes to a list of texts. */
  readonly images: readonly NamedExpression[];
}

/** A PolicyException of `policies.kyverno.io`. */
export interface CelException {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly policyRefs: ReadonlyArray<{readonly name: string; readonly kind: string}>;
  readonly matchConditions: readonly NamedExpression[];
  readonly images: readonly string[];
  readonly allowedValues: readonly string[];
  readonly reportResult: 'skip' | 'pass';
  /** Milliseconds since the epoch; from then on it frees nothing. */
  readonly expiresAt: number | undefined;
  /** Of the label `polex.kyverno.io/priority`; 0 when absent. */
  readonly priority: number;
  readonly raw: JsonObject;
}
