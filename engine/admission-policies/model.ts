import type {
  AuditAnnotation,
  MatchConstraints,
  Mutation,
  NamedExpression,
  Validation,
  ValidationAction,
} from '../cel-policies/model.js';
import type {JsonObject} from '../json/types.js';
import type {LabelSelector} from '../policy/model.js';
import type {FailurePolicy, PolicyRef} from '../types.js';

/** Kubernetes' own admission policies in one canonical shape, whatever version they were written in. */
export type AdmissionPolicy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

interface Base {
  readonly ref: PolicyRef;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** `params` is of this kind; `undefined` = there is no `params`. */
  readonly paramKind: ParamKind | undefined;
  readonly matchConstraints: MatchConstraints | undefined;
  readonly matchConditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly failurePolicy: FailurePolicy;
  readonly raw: JsonObject;
}

export interface ValidatingAdmissionPolicy extends Base {
  readonly type: 'validating';
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly AuditAnnotation[];
}

export interface MutatingAdmissionPolicy extends Base {
  readonly type: 'mutating';
  readonly mutations: readonly Mutation[];
  readonly reinvocationPolicy: 'Never' | 'IfNeeded';
}

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ParamRef {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** Instead of a name; empty = every object of the kind. */
  readonly selector: LabelSelector | undefined;
  readonly parameterNotFoundAction: 'Allow' | 'Deny';
}

export interface AdmissionBinding {
  readonly type: AdmissionPolicy['type'];
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: ParamRef | undefined;
  /** `undefined` = whatever the policy selects. */
  readonly matchResources: MatchConstraints | undefined;
  /** Only of validating ones. */
  readonly validationActions: readonly ValidationAction[];
  readonly raw: JsonObject;
}
