// Generated from scripts/crd by `npm run generate`; edit there.
import type {Condition, LabelSelector, ObjectMeta, RegistryCredentials} from './common.generated.js';

/** Requests for some resources. */
export interface ResourceRule {
  /** API groups; empty text for the core group, * for all. */
  apiGroups?: string[];
  /** API versions, * for all. */
  apiVersions?: string[];
  /** Plural names, with /subresource if wanted; * and *\/* for all. */
  resources?: string[];
  /** Names of objects; empty = all. */
  resourceNames?: string[];
  /** CREATE, UPDATE, DELETE, CONNECT, * for all. */
  operations?: string[];
  /** Only objects with or without a namespace; * when unset. One of Cluster, Namespaced, *. */
  scope?: 'Cluster' | 'Namespaced' | '*' | (string & {});
}

/** Which requests are meant. */
export interface MatchConstraints {
  /** Requests that are meant; one entry is enough. */
  resourceRules?: ResourceRule[];
  /** Requests that are left out; looked at first. */
  excludeResourceRules?: ResourceRule[];
  /** Labels of the namespace that the object is in. */
  namespaceSelector?: LabelSelector;
  /** Labels of the object before or after the request. */
  objectSelector?: LabelSelector;
  /** Whether requests through other versions of the resource are meant too. One of Exact, Equivalent. */
  matchPolicy?: 'Exact' | 'Equivalent' | (string & {});
}

/** A CEL expression that is told from others by its name. */
export interface DistinctExpression {
  /** Name. */
  name: string;
  /** CEL. */
  expression?: string;
}

/** An expression that must be true. */
export interface Validation {
  /** CEL that gives a bool. */
  expression?: string;
  /** Said on failure. */
  message?: string;
  /** CEL that gives the text said on failure. */
  messageExpression?: string;
  /** Reason code; only of use in a generated ValidatingAdmissionPolicy. */
  reason?: string;
}

/** A note. */
export interface AuditAnnotation {
  /** Key. */
  key?: string;
  /** CEL that gives a string. */
  valueExpression?: string;
}

/** How the API server asks for this policy. */
export interface CelWebhookConfiguration {
  /** How long the API server waits, 1 to 30 seconds. */
  timeoutSeconds?: number;
}

/** Judge requests; on when unset. */
export interface Toggle {
  /** On or off. */
  enabled?: boolean;
}

/** When and on what the policy works. */
export interface ValidatingEvaluation {
  /** What kind of data is judged; Kubernetes when unset. One of Kubernetes, JSON. */
  mode?: 'Kubernetes' | 'JSON' | (string & {});
  /** Judge requests; on when unset. */
  admission?: Toggle;
  /** Judge existing objects; on when unset. */
  background?: Toggle;
}

/** Rules for the controllers of Pods. */
export interface PodControllersAutogen {
  /** Controllers: deployments, daemonsets, statefulsets, replicasets, jobs, cronjobs. All when unset, none when empty. */
  controllers?: string[];
}

/** What is derived from the policy. */
export interface ValidatingAutogen {
  /** Rules for the controllers of Pods. */
  podControllers?: PodControllersAutogen;
  /** Make a native ValidatingAdmissionPolicy; off when unset. */
  validatingAdmissionPolicy?: Toggle;
}

/** What the policy asks for. */
export interface ValidatingPolicySpec {
  /** Which requests are meant. */
  matchConstraints?: MatchConstraints;
  /** CEL that must all be true for the request to be looked at. */
  matchConditions?: DistinctExpression[];
  /** Named CEL, usable as variables.NAME further down; worked out when first used. */
  variables?: DistinctExpression[];
  /** CEL that must all be true. */
  validations?: Validation[];
  /** Notes that become properties of report results. */
  auditAnnotations?: AuditAnnotation[];
  /** What a failure does: Deny refuses, Warn tells the requester, Audit only reports. Deny when unset. */
  validationActions?: ('Deny' | 'Audit' | 'Warn' | (string & {}))[];
  /** What an error of the policy does to a request; Fail when unset. One of Fail, Ignore. */
  failurePolicy?: 'Fail' | 'Ignore' | (string & {});
  /** How the API server asks for this policy. */
  webhookConfiguration?: CelWebhookConfiguration;
  /** When and on what the policy works. */
  evaluation?: ValidatingEvaluation;
  /** What is derived from the policy. */
  autogen?: ValidatingAutogen;
}

/** State in the older place. */
export interface ConditionStatus {
  /** True when all conditions are. */
  ready?: boolean;
  /** One line for people. */
  message?: string;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
}

/** What the operator made of the policy. */
export interface CelGeneratedPolicyStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** State in the older place. */
  conditionStatus?: ConditionStatus;
  /** Forms derived for Pod controllers, under configs. */
  autogen?: {configs?: Record<string, unknown>};
  /** Whether the API server judges by a native policy made of this one. */
  generated?: boolean;
}

/** A partial object to merge in. */
export interface ApplyConfiguration {
  /** CEL that gives an Object{}. */
  expression?: string;
}

/** A JSON patch. */
export interface CelJsonPatch {
  /** CEL that gives a list of JSONPatch{}. */
  expression?: string;
}

/** One change. */
export interface Mutation {
  /** Which of the two forms is used. One of ApplyConfiguration, JSONPatch. */
  patchType?: 'ApplyConfiguration' | 'JSONPatch' | (string & {});
  /** A partial object to merge in. */
  applyConfiguration?: ApplyConfiguration;
  /** A JSON patch. */
  jsonPatch?: CelJsonPatch;
}

/** Which existing objects are changed. */
export interface TargetMatchConstraints {
  /** Requests that are meant; one entry is enough. */
  resourceRules?: ResourceRule[];
  /** Requests that are left out; looked at first. */
  excludeResourceRules?: ResourceRule[];
  /** Labels of the namespace that the object is in. */
  namespaceSelector?: LabelSelector;
  /** Labels of the object before or after the request. */
  objectSelector?: LabelSelector;
  /** Whether requests through other versions of the resource are meant too. One of Exact, Equivalent. */
  matchPolicy?: 'Exact' | 'Equivalent' | (string & {});
  /** CEL that gives the objects. */
  expression?: string;
}

/** When and on what the policy works. */
export interface MutatingEvaluation {
  /** What kind of data is judged; Kubernetes when unset. One of Kubernetes, JSON. */
  mode?: 'Kubernetes' | 'JSON' | (string & {});
  /** Judge requests; on when unset. */
  admission?: Toggle;
  /** Judge existing objects; on when unset. */
  background?: Toggle;
  /** Change existing objects; off when unset. */
  mutateExisting?: Toggle;
  /** Leave out requests that the background work itself makes; true when unset. */
  skipBackgroundRequests?: boolean;
  /** Merge as server-side apply does; lists may be replaced whole. */
  useServerSideApply?: boolean;
}

/** What is derived from the policy. */
export interface MutatingAutogen {
  /** Rules for the controllers of Pods. */
  podControllers?: PodControllersAutogen;
  /** Make a native MutatingAdmissionPolicy; off when unset. */
  mutatingAdmissionPolicy?: Toggle;
}

/** What the policy changes. */
export interface MutatingPolicySpec {
  /** Which requests are meant. */
  matchConstraints?: MatchConstraints;
  /** CEL that must all be true for the request to be looked at. */
  matchConditions?: DistinctExpression[];
  /** Named CEL, usable as variables.NAME further down; worked out when first used. */
  variables?: DistinctExpression[];
  /** Changes, each made on the result of the one before. */
  mutations?: Mutation[];
  /** Which existing objects are changed. */
  targetMatchConstraints?: TargetMatchConstraints;
  /** CEL that must all be true for an existing object to be changed. */
  targetMatchConditions?: DistinctExpression[];
  /** Notes that become properties of report results. */
  auditAnnotations?: AuditAnnotation[];
  /** What an error of the policy does to a request; Fail when unset. One of Fail, Ignore. */
  failurePolicy?: 'Fail' | 'Ignore' | (string & {});
  /** Whether a native policy made of this one runs again after other changes. One of Never, IfNeeded. */
  reinvocationPolicy?: 'Never' | 'IfNeeded' | (string & {});
  /** How the API server asks for this policy. */
  webhookConfiguration?: CelWebhookConfiguration;
  /** When and on what the policy works. */
  evaluation?: MutatingEvaluation;
  /** What is derived from the policy. */
  autogen?: MutatingAutogen;
}

/** Objects as YAML. */
export interface GenerationTemplate {
  /** One or more YAML documents. */
  value?: string;
  /** Whether (( … )) holds CEL; none when unset. One of none, cel. */
  interpolate?: 'none' | 'cel' | (string & {});
}

/** Objects to make; exactly one of expression and template. */
export interface Generation {
  /** CEL that makes objects and gives a bool. */
  expression?: string;
  /** Objects as YAML. */
  template?: GenerationTemplate;
}

/** When the policy works. */
export interface GeneratingEvaluation {
  /** Act on requests; on when unset. */
  admission?: Toggle;
  /** Act on objects that existed before the policy; off when unset. */
  generateExisting?: Toggle;
  /** Keep the made objects in step; off when unset. */
  synchronize?: Toggle;
  /** Leave the made objects when the policy is deleted; off when unset. */
  orphanDownstreamOnPolicyDelete?: Toggle;
  /** Leave out requests that the background work itself makes; true when unset. */
  skipBackgroundRequests?: boolean;
}

/** What the policy makes. */
export interface GeneratingPolicySpec {
  /** Which requests are meant. */
  matchConstraints?: MatchConstraints;
  /** CEL that must all be true for the request to be looked at. */
  matchConditions?: DistinctExpression[];
  /** Named CEL, usable as variables.NAME further down; worked out when first used. */
  variables?: DistinctExpression[];
  /** What is made. */
  generate?: Generation[];
  /** Notes that become properties of report results. */
  auditAnnotations?: AuditAnnotation[];
  /** How the API server asks for this policy. */
  webhookConfiguration?: CelWebhookConfiguration;
  /** Make and update objects by server-side apply. */
  useServerSideApply?: boolean;
  /** When the policy works. */
  evaluation?: GeneratingEvaluation;
}

/** What the operator made of the policy. */
export interface CelPolicyStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** State in the older place. */
  conditionStatus?: ConditionStatus;
}

/** A named CEL expression. */
export interface NamedExpression {
  /** Name. */
  name?: string;
  /** CEL. */
  expression?: string;
}

/** Some images; exactly one of glob and expression. */
export interface ImageMatch {
  /** Glob over the full reference. */
  glob?: string;
  /** CEL over ref that gives a bool. */
  expression?: string;
}

/** By a key. */
export interface CosignKey {
  /** PEM public key. */
  data?: string;
  /** Address of a key management service. */
  kms?: string;
  /** Hash, sha256 when unset. One of sha224, sha256, sha384, sha512. */
  hashAlgorithm?: 'sha224' | 'sha256' | 'sha384' | 'sha512' | (string & {});
  /** CEL that gives the key. */
  expression?: string;
}

/** An identity. */
export interface CosignIdentity {
  /** Issuer. */
  issuer?: string;
  /** Issuer, as a regular expression. */
  issuerRegExp?: string;
  /** Identity. */
  subject?: string;
  /** Identity, as a regular expression. */
  subjectRegExp?: string;
  /** Identity, as CEL that gives a regular expression. */
  subjectExpression?: string;
}

/** By an identity. */
export interface CosignKeyless {
  /** Who may have signed; one is enough. */
  identities?: CosignIdentity[];
  /** PEM root certificates. */
  roots?: string;
  /** Extensions that the certificate must have. */
  additionalExtensions?: Record<string, string>;
}

/** A text, or CEL that gives one. */
export interface TextOrExpression {
  /** The text. */
  value?: string;
  /** CEL that gives the text. */
  expression?: string;
}

/** By a certificate. */
export interface CosignCertificate {
  /** PEM certificate. */
  cert?: TextOrExpression;
  /** PEM chain of the certificate. */
  certChain?: TextOrExpression;
}

/** A Secret. */
export interface LocalSecret {
  /** Name. */
  name?: string;
}

/** Where the signatures are. */
export interface CosignSource {
  /** Repository. */
  repository?: string;
  /** Pull secrets. */
  PullSecrets?: LocalSecret[];
  /** Prefix of the tags. */
  tagPrefix?: string;
}

/** Logs to look into. */
export interface CosignLogs {
  /** Address of the transparency log. */
  url?: string;
  /** PEM public key of the transparency log. */
  rekorPubKey?: string;
  /** PEM public key of the certificate log. */
  ctLogPubKey?: string;
  /** PEM chain of the time stamp authority. */
  tsaCertChain?: string;
  /** Do not look into the transparency log. */
  insecureIgnoreTlog?: boolean;
  /** Do not ask for a signed certificate timestamp. */
  insecureIgnoreSCT?: boolean;
}

/** First root of trust. */
export interface CosignTufRoot {
  /** Path or address. */
  path?: string;
  /** The root, base64. */
  data?: string;
}

/** Where trusted keys come from. */
export interface CosignTuf {
  /** Address of the TUF repository. */
  mirror?: string;
  /** First root of trust. */
  root?: CosignTufRoot;
}

/** Signed with cosign. */
export interface CosignAttestor {
  /** By a key. */
  key?: CosignKey;
  /** By an identity. */
  keyless?: CosignKeyless;
  /** By a certificate. */
  certificate?: CosignCertificate;
  /** Where the signatures are. */
  source?: CosignSource;
  /** Logs to look into. */
  ctlog?: CosignLogs;
  /** Where trusted keys come from. */
  tuf?: CosignTuf;
  /** Trusted root as JSON; goes before tuf. */
  trustedRoot?: TextOrExpression;
  /** Annotations that the signature must carry. */
  annotations?: Record<string, string>;
}

/** Signed with notation. */
export interface NotaryAttestor {
  /** PEM certificates to trust. */
  certs?: TextOrExpression;
  /** PEM certificates of time stamp authorities. */
  tsaCerts?: TextOrExpression;
}

/** One who may sign; exactly one of cosign and notary. */
export interface ImageAttestor {
  /** Name. */
  name?: string;
  /** Signed with cosign. */
  cosign?: CosignAttestor;
  /** Signed with notation. */
  notary?: NotaryAttestor;
}

/** Type of a statement. */
export interface StatementType {
  /** Type. */
  type?: string;
}

/** A kind of statement; exactly one of intoto and referrer. */
export interface ImageAttestation {
  /** Name. */
  name?: string;
  /** In-toto statement, by predicate type. */
  intoto?: StatementType;
  /** OCI referrer, by artifact type. */
  referrer?: StatementType;
}

/** What is asked of every image that is meant. */
export interface ImageValidationConfiguration {
  /** Replace tags by digests; true when unset. */
  mutateDigest?: boolean;
  /** Ask for a digest; true when unset. */
  verifyDigest?: boolean;
  /** Ask for a verified image; true when unset. */
  required?: boolean;
}

/** When and on what the policy works. */
export interface ImageEvaluation {
  /** What kind of data is judged; Kubernetes when unset. One of Kubernetes, JSON. */
  mode?: 'Kubernetes' | 'JSON' | (string & {});
  /** Judge requests; on when unset. */
  admission?: Toggle;
  /** Judge existing objects; on when unset. */
  background?: Toggle;
}

/** What is derived from the policy. */
export interface ImageAutogen {
  /** Rules for the controllers of Pods. */
  podControllers?: PodControllersAutogen;
}

/** Which images must be signed by whom. */
export interface ImageValidatingPolicySpec {
  /** Which requests are meant. */
  matchConstraints?: MatchConstraints;
  /** CEL that must all be true for the request to be looked at. */
  matchConditions?: NamedExpression[];
  /** Images that are meant; all when empty. */
  matchImageReferences?: ImageMatch[];
  /** CEL that gives images of the object, for use as images.NAME. */
  images?: NamedExpression[];
  /** Who may sign, for use as attestors.NAME. */
  attestors?: ImageAttestor[];
  /** Statements about images, for use as attestations.NAME. */
  attestations?: ImageAttestation[];
  /** Named CEL, usable as variables.NAME further down; worked out when first used. */
  variables?: NamedExpression[];
  /** CEL that must all be true. */
  validations?: Validation[];
  /** Notes that become properties of report results. */
  auditAnnotations?: AuditAnnotation[];
  /** What a failure does: Deny refuses, Warn tells the requester, Audit only reports. Deny when unset. */
  validationActions?: ('Deny' | 'Audit' | 'Warn' | (string & {}))[];
  /** What is asked of every image that is meant. */
  validationConfigurations?: ImageValidationConfiguration;
  /** How to log in to image registries. */
  credentials?: RegistryCredentials;
  /** What an error of the policy does to a request; Fail when unset. One of Fail, Ignore. */
  failurePolicy?: 'Fail' | 'Ignore' | (string & {});
  /** How the API server asks for this policy. */
  webhookConfiguration?: CelWebhookConfiguration;
  /** When and on what the policy works. */
  evaluation?: ImageEvaluation;
  /** What is derived from the policy. */
  autogen?: ImageAutogen;
}

/** What the operator made of the policy. */
export interface CelAutogenPolicyStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** State in the older place. */
  conditionStatus?: ConditionStatus;
  /** Forms derived for Pod controllers, under configs. */
  autogen?: {configs?: Record<string, unknown>};
}

/** What is deleted when. */
export interface DeletingPolicySpec {
  /** Cron expression, in UTC. */
  schedule?: string;
  /** Which requests are meant. */
  matchConstraints?: MatchConstraints;
  /** CEL that must all be true for an object to be deleted. */
  conditions?: DistinctExpression[];
  /** Named CEL, usable as variables.NAME further down; worked out when first used. */
  variables?: DistinctExpression[];
  /** What happens to objects that the deleted one owns. One of Foreground, Background, Orphan. */
  deletionPropagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | (string & {});
}

/** What the operator made of the policy. */
export interface DeletingPolicyStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** State in the older place. */
  conditionStatus?: ConditionStatus;
  /** When it last ran. */
  lastExecutionTime?: string;
}

/** A policy. */
export interface PolicyReference {
  /** Name. */
  name?: string;
  /** Kind, for instance ValidatingPolicy. */
  kind?: string;
}

/** Who is freed from which policies. */
export interface CelPolicyExceptionSpec {
  /** Policies that do not apply. */
  policyRefs?: PolicyReference[];
  /** CEL that must all be true for the request to be looked at. */
  matchConditions?: DistinctExpression[];
  /** Images that stay allowed, for use as exceptions.allowedImages. */
  images?: string[];
  /** Values that stay allowed, for use as exceptions.allowedValues. */
  allowedValues?: string[];
  /** Result in reports; skip when unset. One of skip, pass. */
  reportResult?: 'skip' | 'pass' | (string & {});
  /** Moment from which it no longer holds, RFC 3339. */
  expiresAt?: string;
  /** Facts for people and tools. */
  properties?: Record<string, string>;
  /** Which product the exception is for. */
  evaluationMode?: string;
}

/** Checks objects with CEL. */
export interface ValidatingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1' | 'policies.kyverno.io/v1alpha1';
  kind: 'ValidatingPolicy';
  metadata: ObjectMeta;
  /** What the policy asks for. */
  spec: ValidatingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelGeneratedPolicyStatus;
}

/** Checks objects with CEL. Meets only objects of its own namespace. */
export interface NamespacedValidatingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1';
  kind: 'NamespacedValidatingPolicy';
  metadata: ObjectMeta;
  /** What the policy asks for. */
  spec: ValidatingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelGeneratedPolicyStatus;
}

/** Changes objects with CEL. */
export interface MutatingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1' | 'policies.kyverno.io/v1alpha1';
  kind: 'MutatingPolicy';
  metadata: ObjectMeta;
  /** What the policy changes. */
  spec: MutatingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelGeneratedPolicyStatus;
}

/** Changes objects with CEL. Meets only objects of its own namespace. */
export interface NamespacedMutatingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1';
  kind: 'NamespacedMutatingPolicy';
  metadata: ObjectMeta;
  /** What the policy changes. */
  spec: MutatingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelGeneratedPolicyStatus;
}

/** Makes other objects with CEL. */
export interface GeneratingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1' | 'policies.kyverno.io/v1alpha1';
  kind: 'GeneratingPolicy';
  metadata: ObjectMeta;
  /** What the policy makes. */
  spec: GeneratingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelPolicyStatus;
}

/** Makes other objects with CEL. Meets only objects of its own namespace. */
export interface NamespacedGeneratingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1';
  kind: 'NamespacedGeneratingPolicy';
  metadata: ObjectMeta;
  /** What the policy makes. */
  spec: GeneratingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelPolicyStatus;
}

/** Checks signatures of images with CEL. */
export interface ImageValidatingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1' | 'policies.kyverno.io/v1alpha1';
  kind: 'ImageValidatingPolicy';
  metadata: ObjectMeta;
  /** Which images must be signed by whom. */
  spec: ImageValidatingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelAutogenPolicyStatus;
}

/** Checks signatures of images with CEL. Meets only objects of its own namespace. */
export interface NamespacedImageValidatingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1';
  kind: 'NamespacedImageValidatingPolicy';
  metadata: ObjectMeta;
  /** Which images must be signed by whom. */
  spec: ImageValidatingPolicySpec;
  /** What the operator made of the policy. */
  status?: CelAutogenPolicyStatus;
}

/** Deletes objects on a schedule, chosen with CEL. */
export interface DeletingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1' | 'policies.kyverno.io/v1alpha1';
  kind: 'DeletingPolicy';
  metadata: ObjectMeta;
  /** What is deleted when. */
  spec: DeletingPolicySpec;
  /** What the operator made of the policy. */
  status?: DeletingPolicyStatus;
}

/** Deletes objects on a schedule, chosen with CEL. Meets only objects of its own namespace. */
export interface NamespacedDeletingPolicy {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1';
  kind: 'NamespacedDeletingPolicy';
  metadata: ObjectMeta;
  /** What is deleted when. */
  spec: DeletingPolicySpec;
  /** What the operator made of the policy. */
  status?: DeletingPolicyStatus;
}

/** Frees some objects from some CEL policies. */
export interface CelPolicyException {
  apiVersion: 'policies.kyverno.io/v1' | 'policies.kyverno.io/v1beta1' | 'policies.kyverno.io/v1alpha1';
  kind: 'PolicyException';
  metadata: ObjectMeta;
  /** Who is freed from which policies. */
  spec: CelPolicyExceptionSpec;
}
