// Generated from scripts/crd by `npm run generate`; edit there.
import type {Condition, LabelSelector, ObjectMeta, RegistryCredentials} from './common.generated.js';

/** Which objects are meant; every part given must hold. */
export interface ResourceDescription {
  /** Kinds: Kind, version/Kind, group/version/Kind, each also with /subresource; * and ? are wildcards. */
  kinds?: string[];
  /** Name of the object, with wildcards. Older form of names. */
  name?: string;
  /** Names of the object, with wildcards. */
  names?: string[];
  /** Namespaces, with wildcards. */
  namespaces?: string[];
  /** Annotations; keys and values take wildcards. */
  annotations?: Record<string, string>;
  /** Labels of the object; matchLabels takes wildcards. */
  selector?: LabelSelector;
  /** Labels of the namespace that the object is in. */
  namespaceSelector?: LabelSelector;
  /** Requests: CREATE, UPDATE, DELETE, CONNECT. Empty = all. */
  operations?: string[];
  /** Loose form of selector.matchLabels. */
  labels?: Record<string, string>;
}

/** Which objects are meant; every part given must hold. */
export interface MatchResourceDescription {
  /** Kinds: Kind, version/Kind, group/version/Kind, each also with /subresource; * and ? are wildcards. */
  kinds?: string[];
  /** Name of the object, with wildcards. Older form of names. */
  name?: string;
  /** Names of the object, with wildcards. */
  names?: string[];
  /** Namespaces, with wildcards. */
  namespaces?: string[];
  /** Annotations; keys and values take wildcards. */
  annotations?: Record<string, string>;
  /** Labels of the object; matchLabels takes wildcards. */
  selector?: LabelSelector;
  /** Labels of the namespace that the object is in. */
  namespaceSelector?: LabelSelector;
  /** Requests: CREATE, UPDATE, DELETE, CONNECT. Empty = all. */
  operations?: string[];
  /** Loose form of selector.matchLabels. */
  labels?: Record<string, string>;
  /** Loose form of an exclude block of the rule; fields as in exclude.resources. */
  excludeResources?: ResourceDescription;
}

/** A user, group or service account. */
export interface Subject {
  /** User, Group or ServiceAccount. */
  kind?: string;
  /** Name, with wildcards. */
  name?: string;
  /** Namespace of a service account. */
  namespace?: string;
  /** API group of the subject; not looked at. */
  apiGroup?: string;
}

/** A filter; every part given must hold. */
export interface MatchFilter {
  /** Which objects are meant; every part given must hold. */
  resources?: MatchResourceDescription;
  /** Who asks; one entry is enough. */
  subjects?: Subject[];
  /** Roles of the requester, as namespace:name. */
  roles?: string[];
  /** Cluster roles of the requester. */
  clusterRoles?: string[];
  /** Loose form of resources.operations. */
  operations?: string[];
}

/** Which requests are meant: any, or all, or one filter written directly. */
export interface Match {
  /** One of these filters is enough. */
  any?: MatchFilter[];
  /** All of these filters must hold. */
  all?: MatchFilter[];
  /** Which objects are meant; every part given must hold. */
  resources?: MatchResourceDescription;
  /** Who asks; one entry is enough. */
  subjects?: Subject[];
  /** Roles of the requester, as namespace:name. */
  roles?: string[];
  /** Cluster roles of the requester. */
  clusterRoles?: string[];
  /** Loose form of resources.operations. */
  operations?: string[];
}

/** A filter; every part given must hold. */
export interface ExcludeFilter {
  /** Which objects are meant; every part given must hold. */
  resources?: ResourceDescription;
  /** Who asks; one entry is enough. */
  subjects?: Subject[];
  /** Roles of the requester, as namespace:name. */
  roles?: string[];
  /** Cluster roles of the requester. */
  clusterRoles?: string[];
  /** Loose form of resources.operations. */
  operations?: string[];
}

/** Which of the matched requests are left out: any, or all, or one filter written directly. */
export interface Exclude {
  /** One of these filters is enough. */
  any?: ExcludeFilter[];
  /** All of these filters must hold. */
  all?: ExcludeFilter[];
  /** Which objects are meant; every part given must hold. */
  resources?: ResourceDescription;
  /** Who asks; one entry is enough. */
  subjects?: Subject[];
  /** Roles of the requester, as namespace:name. */
  roles?: string[];
  /** Cluster roles of the requester. */
  clusterRoles?: string[];
  /** Loose form of resources.operations. */
  operations?: string[];
}

/** A value or an expression over other values. */
export interface ContextVariable {
  /** Value as is, may hold variables. */
  value?: unknown;
  /** JMESPath over the context, or over value when that is given. */
  jmesPath?: string;
  /** Value when the expression finds nothing. */
  default?: unknown;
}

/** Data of a ConfigMap. */
export interface ConfigMapReference {
  /** Name, may hold variables. */
  name?: string;
  /** Namespace, may hold variables. */
  namespace?: string;
}

/** One field of a request body. */
export interface RequestData {
  /** Name of the field. */
  key?: string;
  /** Value, may hold variables. */
  value?: unknown;
}

/** One HTTP header. */
export interface HttpHeader {
  /** Name of the header. */
  key?: string;
  /** Value, may hold variables. */
  value?: string;
}

/** An HTTP service outside of the API server. */
export interface ServiceCall {
  /** Address, may hold variables. */
  url?: string;
  /** Headers to send. */
  headers?: HttpHeader[];
  /** PEM certificates to trust. */
  caBundle?: string;
}

/** Answer of the API server or of a service. */
export interface ContextApiCall {
  /** Path at the API server, may hold variables. */
  urlPath?: string;
  /** HTTP method, GET when unset. One of GET, POST. */
  method?: 'GET' | 'POST' | (string & {});
  /** Fields of the body of a POST. */
  data?: RequestData[];
  /** An HTTP service outside of the API server. */
  service?: ServiceCall;
  /** JMESPath over the answer. */
  jmesPath?: string;
  /** Value when the call fails. */
  default?: unknown;
}

/** Manifest and configuration of an image. */
export interface ImageRegistryReference {
  /** Image, may hold variables. */
  reference?: string;
  /** JMESPath over the image data. */
  jmesPath?: string;
  /** How to log in to image registries. */
  imageRegistryCredentials?: RegistryCredentials;
}

/** Value of a GlobalContextEntry. */
export interface GlobalReference {
  /** Name of the entry. */
  name?: string;
  /** JMESPath over the value. */
  jmesPath?: string;
}

/** A named value; loaded when an expression first asks for it. */
export interface ContextEntry {
  /** Name under which expressions find the value. */
  name?: string;
  /** A value or an expression over other values. */
  variable?: ContextVariable;
  /** Data of a ConfigMap. */
  configMap?: ConfigMapReference;
  /** Answer of the API server or of a service. */
  apiCall?: ContextApiCall;
  /** Manifest and configuration of an image. */
  imageRegistry?: ImageRegistryReference;
  /** Value of a GlobalContextEntry. */
  globalReference?: GlobalReference;
}

/** Compares a key with a value. */
export interface PolicyCondition {
  /** Left side, usually a variable. */
  key?: unknown;
  /** How to compare. One of Equals, NotEquals, AnyIn, AllIn, AnyNotIn, AllNotIn, GreaterThan, GreaterThanOrEquals, LessThan, LessThanOrEquals, DurationGreaterThan, DurationGreaterThanOrEquals, DurationLessThan, DurationLessThanOrEquals, In, NotIn. */
  operator?: 'Equals' | 'NotEquals' | 'AnyIn' | 'AllIn' | 'AnyNotIn' | 'AllNotIn' | 'GreaterThan' | 'GreaterThanOrEquals' | 'LessThan' | 'LessThanOrEquals' | 'DurationGreaterThan' | 'DurationGreaterThanOrEquals' | 'DurationLessThan' | 'DurationLessThanOrEquals' | 'In' | 'NotIn' | (string & {});
  /** Right side. */
  value?: unknown;
  /** Said when this condition decides. */
  message?: string;
}

/** Conditions: any needs one true, all needs every one. */
export interface AnyAllConditions {
  /** One true condition is enough. */
  any?: PolicyCondition[];
  /** Every condition must be true. */
  all?: PolicyCondition[];
}

/** A named CEL condition. */
export interface MatchCondition {
  /** Name. */
  name?: string;
  /** CEL that gives a bool. */
  expression?: string;
}

/** An action for some namespaces. */
export interface FailureActionOverride {
  /** What a failure does, in any case: Enforce refuses, Audit only reports. One of Audit, Enforce. */
  action?: 'Audit' | 'Enforce' | (string & {});
  /** Namespaces, with wildcards. */
  namespaces?: string[];
  /** Labels of the namespaces. */
  namespaceSelector?: LabelSelector;
}

/** Refuses when the conditions are true; without conditions always. */
export interface Deny {
  /** Any/all object, or a list of which all must be true. */
  conditions?: AnyAllConditions | PolicyCondition[];
}

/** A list and what its elements must look like. */
export interface ValidateForeach {
  /** JMESPath that gives the list. */
  list?: string;
  /** Whether the pattern is for the element (the default for objects) or for the whole object. */
  elementScope?: boolean;
  /** Named values for expressions, in order. */
  context?: ContextEntry[];
  /** Which elements are looked at. */
  preconditions?: AnyAllConditions | PolicyCondition[];
  /** What the object must look like; maps may hold anchors such as (key) or =(key), strings operators and wildcards. */
  pattern?: unknown;
  /** Patterns; one match is enough. */
  anyPattern?: unknown[];
  /** Refuses when the conditions are true; without conditions always. */
  deny?: Deny;
  /** A list inside of the element. */
  foreach?: ValidateForeach[];
}

/** A control that is not asked for. */
export interface PodSecurityExclusion {
  /** Name of the control, for instance Capabilities. */
  controlName?: string;
  /** Images that are freed, with wildcards; unset = the Pod level. */
  images?: string[];
  /** Field that is freed; unset = the whole control. */
  restrictedField?: string;
  /** Values that are allowed in that field. */
  values?: string[];
}

/** The Pod Security Standards. */
export interface PodSecurity {
  /** How strict. One of privileged, baseline, restricted. */
  level?: 'privileged' | 'baseline' | 'restricted' | (string & {});
  /** Kubernetes version, for instance v1.30, or latest. */
  version?: string;
  /** Controls that are not asked for. */
  exclude?: PodSecurityExclusion[];
}

/** An expression that must be true. */
export interface CelValidation {
  /** CEL that gives a bool. */
  expression?: string;
  /** Said on failure. */
  message?: string;
  /** CEL that gives the text said on failure. */
  messageExpression?: string;
  /** Reason code of the refusal. */
  reason?: string;
}

/** A named expression. */
export interface CelVariable {
  /** Name. */
  name?: string;
  /** CEL. */
  expression?: string;
}

/** A note. */
export interface CelAuditAnnotation {
  /** Key. */
  key?: string;
  /** CEL that gives a string. */
  valueExpression?: string;
}

/** Kind of the parameter object. */
export interface ParamKind {
  /** API group and version. */
  apiVersion?: string;
  /** Kind. */
  kind?: string;
}

/** Which parameter objects. */
export interface ParamReference {
  /** Name. */
  name?: string;
  /** Namespace. */
  namespace?: string;
  /** Labels of the parameter objects. */
  selector?: LabelSelector;
  /** When none is found. One of Allow, Deny. */
  parameterNotFoundAction?: 'Allow' | 'Deny' | (string & {});
}

/** CEL expressions. */
export interface ClassicCel {
  /** Offer the rule as a ValidatingAdmissionPolicy. */
  generate?: boolean;
  /** Expressions that must all be true. */
  expressions?: CelValidation[];
  /** Named expressions, usable as variables.NAME further down. */
  variables?: CelVariable[];
  /** Notes for the audit log and reports. */
  auditAnnotations?: CelAuditAnnotation[];
  /** Kind of the parameter object. */
  paramKind?: ParamKind;
  /** Which parameter objects. */
  paramRef?: ParamReference;
}

/** Secret that holds the key. */
export interface SecretReference {
  /** Name. */
  name?: string;
  /** Namespace. */
  namespace?: string;
}

/** The transparency log. */
export interface Rekor {
  /** Address of the log. */
  url?: string;
  /** PEM public key of the log. */
  pubkey?: string;
  /** Do not look into the log. */
  ignoreTlog?: boolean;
}

/** The certificate log. */
export interface CtLog {
  /** Do not ask for a signed certificate timestamp. */
  ignoreSCT?: boolean;
  /** PEM public key of the log. */
  pubkey?: string;
  /** PEM chain of the time stamp authority. */
  tsaCertChain?: string;
}

/** Signed with a key. */
export interface KeyAttestor {
  /** PEM public keys, a variable, or k8s://namespace/secret. */
  publicKeys?: string;
  /** Secret that holds the key. */
  secret?: SecretReference;
  /** Address of a key management service. */
  kms?: string;
  /** Hash, sha256 when unset. One of sha224, sha256, sha384, sha512. */
  signatureAlgorithm?: 'sha224' | 'sha256' | 'sha384' | 'sha512' | (string & {});
  /** The transparency log. */
  rekor?: Rekor;
  /** The certificate log. */
  ctlog?: CtLog;
}

/** Signed with a certificate. */
export interface CertificateAttestor {
  /** PEM certificate. */
  cert?: string;
  /** PEM chain of the certificate. */
  certChain?: string;
  /** The transparency log. */
  rekor?: Rekor;
  /** The certificate log. */
  ctlog?: CtLog;
}

/** Signed by an identity. */
export interface KeylessAttestor {
  /** Issuer of the identity, with wildcards. */
  issuer?: string;
  /** Issuer of the identity, as a regular expression. */
  issuerRegExp?: string;
  /** Identity, with wildcards. */
  subject?: string;
  /** Identity, as a regular expression. */
  subjectRegExp?: string;
  /** PEM root certificates. */
  roots?: string;
  /** Extensions that the certificate must have. */
  additionalExtensions?: Record<string, string>;
  /** The transparency log. */
  rekor?: Rekor;
  /** The certificate log. */
  ctlog?: CtLog;
}

/** One who may sign; exactly one of keys, certificates, keyless, attestor. */
export interface Attestor {
  /** Signed with a key. */
  keys?: KeyAttestor;
  /** Signed with a certificate. */
  certificates?: CertificateAttestor;
  /** Signed by an identity. */
  keyless?: KeylessAttestor;
  /** A set inside this set. */
  attestor?: AttestorSet;
  /** Annotations that the signature must carry. */
  annotations?: Record<string, string>;
  /** Where the signatures are. */
  repository?: string;
  /** Hash, older place. */
  signatureAlgorithm?: string;
}

/** A set of signers. */
export interface AttestorSet {
  /** How many must have signed; all when unset. */
  count?: number;
  /** Who may sign. */
  entries?: Attestor[];
}

/** Which objects, with wildcards. */
export interface IgnoredObject {
  /** API group. */
  group?: string;
  /** API version. */
  version?: string;
  /** Kind. */
  kind?: string;
  /** Namespace. */
  namespace?: string;
  /** Name. */
  name?: string;
}

/** Fields of some objects. */
export interface IgnoredFields {
  /** Objects. */
  objects?: IgnoredObject[];
  /** Field paths. */
  fields?: string[];
}

/** Let the API server fill in defaults before comparing. */
export interface ManifestDryRun {
  /** Turns it on. */
  enable?: boolean;
  /** Namespace to try in. */
  namespace?: string;
}

/** The object must be signed. */
export interface Manifests {
  /** Sets of signers; every set must be satisfied. */
  attestors?: AttestorSet[];
  /** Prefix of the signature annotations. */
  annotationDomain?: string;
  /** Fields that may differ from what was signed. */
  ignoreFields?: IgnoredFields[];
  /** Let the API server fill in defaults before comparing. */
  dryRun?: ManifestDryRun;
  /** Where the signatures are. */
  repository?: string;
}

/** Checks the object. */
export interface Validate {
  /** What a failure does, in any case: Enforce refuses, Audit only reports. One of Audit, Enforce. */
  failureAction?: 'Audit' | 'Enforce' | (string & {});
  /** Other actions for some namespaces; the first that fits decides. */
  failureActionOverrides?: FailureActionOverride[];
  /** Let updates pass that leave an old violation as it was; true when unset. */
  allowExistingViolations?: boolean;
  /** Said on failure, may hold variables. */
  message?: string;
  /** What the object must look like; maps may hold anchors such as (key) or =(key), strings operators and wildcards. */
  pattern?: unknown;
  /** Patterns; one match is enough. */
  anyPattern?: unknown[];
  /** Refuses when the conditions are true; without conditions always. */
  deny?: Deny;
  /** Checks every element of a list. */
  foreach?: ValidateForeach[];
  /** The Pod Security Standards. */
  podSecurity?: PodSecurity;
  /** CEL expressions. */
  cel?: ClassicCel;
  /** The object must be signed. */
  manifests?: Manifests;
  /** Without effect; kept so that policies which have it still apply. */
  assert?: unknown;
}

/** A list and what is changed for its elements. */
export interface MutateForeach {
  /** JMESPath that gives the list. */
  list?: string;
  /** Order of the elements. One of Ascending, Descending. */
  order?: 'Ascending' | 'Descending' | (string & {});
  /** Named values for expressions, in order. */
  context?: ContextEntry[];
  /** Which elements are looked at. */
  preconditions?: AnyAllConditions | PolicyCondition[];
  /** Partial object to merge in; maps may hold anchors such as (key) or +(key). */
  patchStrategicMerge?: unknown;
  /** JSON patch, as YAML or JSON text. */
  patchesJson6902?: string;
  /** A list inside of the element. */
  foreach?: MutateForeach[];
}

/** Objects of the cluster that are changed instead of the requested one. */
export interface MutateTarget {
  /** API group and version. */
  apiVersion?: string;
  /** Kind. */
  kind?: string;
  /** Namespace, may hold variables. */
  namespace?: string;
  /** Name, with wildcards, may hold variables. */
  name?: string;
  /** UID. */
  uid?: string;
  /** Labels of the objects. */
  selector?: LabelSelector;
  /** Named values for expressions, in order. */
  context?: ContextEntry[];
  /** Which of the objects are changed. */
  preconditions?: AnyAllConditions | PolicyCondition[];
}

/** One operation of a JSON patch. */
export interface JsonPatchOperation {
  /** Operation: add, remove, replace, move, copy or test. */
  op?: string;
  /** JSON pointer. */
  path?: string;
  /** JSON pointer of the source. */
  from?: string;
  /** Value. */
  value?: unknown;
}

/** Changes the object. */
export interface Mutate {
  /** Partial object to merge in; maps may hold anchors such as (key) or +(key). */
  patchStrategicMerge?: unknown;
  /** JSON patch, as YAML or JSON text. */
  patchesJson6902?: string;
  /** Changes for every element of a list. */
  foreach?: MutateForeach[];
  /** Existing objects to change when the rule matches a request. */
  targets?: MutateTarget[];
  /** Change the targets also when the policy changes. */
  mutateExistingOnPolicyUpdate?: boolean;
  /** Older form of patchStrategicMerge. */
  overlay?: unknown;
  /** Older form of patchesJson6902. */
  patches?: JsonPatchOperation[];
}

/** Copy an existing object. */
export interface Clone {
  /** Namespace of the source. */
  namespace?: string;
  /** Name of the source. */
  name?: string;
}

/** Copy several existing objects. */
export interface CloneList {
  /** Namespace of the sources. */
  namespace?: string;
  /** Kinds of the sources, as version/Kind or group/version/Kind. */
  kinds?: string[];
  /** Labels of the sources. */
  selector?: LabelSelector;
}

/** A list and what is made for its elements. */
export interface GenerateForeach {
  /** JMESPath that gives the list. */
  list?: string;
  /** Named values for expressions, in order. */
  context?: ContextEntry[];
  /** Which elements are looked at. */
  preconditions?: AnyAllConditions | PolicyCondition[];
  /** API group and version of the new object; found by discovery when unset. */
  apiVersion?: string;
  /** Kind of the new object. */
  kind?: string;
  /** Namespace of the new object, may hold variables. */
  namespace?: string;
  /** Name of the new object, may hold variables. */
  name?: string;
  /** Not looked at. */
  uid?: string;
  /** The new object, may hold variables. */
  data?: unknown;
  /** Copy an existing object. */
  clone?: Clone;
  /** Copy several existing objects. */
  cloneList?: CloneList;
}

/** Makes other objects. */
export interface Generate {
  /** API group and version of the new object; found by discovery when unset. */
  apiVersion?: string;
  /** Kind of the new object. */
  kind?: string;
  /** Namespace of the new object, may hold variables. */
  namespace?: string;
  /** Name of the new object, may hold variables. */
  name?: string;
  /** Not looked at. */
  uid?: string;
  /** The new object, may hold variables. */
  data?: unknown;
  /** Copy an existing object. */
  clone?: Clone;
  /** Copy several existing objects. */
  cloneList?: CloneList;
  /** Keep the made objects in step with rule and source. */
  synchronize?: boolean;
  /** Make them also for objects that existed before the policy. */
  generateExisting?: boolean;
  /** Leave the made objects when the policy is deleted. */
  orphanDownstreamOnPolicyDelete?: boolean;
  /** Makes objects for every element of a list. */
  foreach?: GenerateForeach[];
}

/** A signed statement about the image. */
export interface Attestation {
  /** Name under which conditions find the statement. */
  name?: string;
  /** Type of the statement. */
  type?: string;
  /** Older name of type. */
  predicateType?: string;
  /** Sets of signers; every set must be satisfied. */
  attestors?: AttestorSet[];
  /** What the statement must say; every block must hold. */
  conditions?: AnyAllConditions[];
}

/** A last look at all statements. */
export interface ImageVerificationCheck {
  /** Said on failure. */
  message?: string;
  /** Refuses when the conditions are true; without conditions always. */
  deny?: Deny;
}

/** Which images must be signed by whom. */
export interface ImageVerification {
  /** What a failure does, in any case: Enforce refuses, Audit only reports. One of Audit, Enforce. */
  failureAction?: 'Audit' | 'Enforce' | (string & {});
  /** Kind of signature, Cosign when unset. One of Cosign, SigstoreBundle, Notary. */
  type?: 'Cosign' | 'SigstoreBundle' | 'Notary' | (string & {});
  /** Images, with wildcards. */
  imageReferences?: string[];
  /** Images that are left out, with wildcards. */
  skipImageReferences?: string[];
  /** Sets of signers; every set must be satisfied. */
  attestors?: AttestorSet[];
  /** Statements that must exist. */
  attestations?: Attestation[];
  /** Where the signatures are. */
  repository?: string;
  /** Look for OCI 1.1 referrers. */
  cosignOCI11?: boolean;
  /** Replace tags by digests; true when unset. */
  mutateDigest?: boolean;
  /** Ask for a digest; true when unset. */
  verifyDigest?: boolean;
  /** Ask for a verified image; true when unset. */
  required?: boolean;
  /** Reuse earlier results; true when unset. */
  useCache?: boolean;
  /** A last look at all statements. */
  validate?: ImageVerificationCheck;
  /** How to log in to image registries. */
  imageRegistryCredentials?: RegistryCredentials;
  /** Older form of imageReferences. */
  image?: string;
  /** Older form of an attestor with a key. */
  key?: string;
  /** Older form of the root certificates. */
  roots?: string;
  /** Older form of the identity. */
  subject?: string;
  /** Older form of the issuer. */
  issuer?: string;
  /** Older form of the annotations. */
  annotations?: Record<string, string>;
  /** Older form of the certificate extensions. */
  additionalExtensions?: Record<string, string>;
}

/** Place of images. */
export interface ImageExtractor {
  /** Path to the object that holds the image, /*\/ for all elements. */
  path?: string;
  /** Key of the image. */
  value?: string;
  /** Name under which expressions find it. */
  name?: string;
  /** Key that names the image. */
  key?: string;
  /** JMESPath over the found value. */
  jmesPath?: string;
}

/** Objects to delete; needs a kind and one of selector, names, namespaces. */
export interface RemoveResource {
  /** API group and version; found by discovery when unset. */
  apiVersion?: string;
  /** Kind. Of Job only finished ones. */
  kind?: string;
  /** Labels of the objects. */
  selector?: LabelSelector;
  /** Names, with wildcards. */
  names?: string[];
  /** Namespaces, with wildcards. */
  namespaces?: string[];
}

/** Deletes objects from time to time; never acts on requests. */
export interface CleanupRule {
  /** Cron expression; every five minutes when unset. */
  schedule?: string;
  /** What is deleted. */
  removeResources?: RemoveResource[];
}

/** One rule: whom it meets and exactly one of validate, mutate, generate, verifyImages, cleanup. */
export interface Rule {
  /** Name, unique in the policy, at most 63 characters. */
  name?: string;
  /** Which requests are meant: any, or all, or one filter written directly. */
  match?: Match;
  /** Which of the matched requests are left out: any, or all, or one filter written directly. */
  exclude?: Exclude;
  /** Named values for expressions, in order. */
  context?: ContextEntry[];
  /** What must be true for the rule to act. */
  preconditions?: AnyAllConditions | PolicyCondition[];
  /** The same in CEL, for validate.cel. */
  celPreconditions?: MatchCondition[];
  /** Checks the object. */
  validate?: Validate;
  /** Changes the object. */
  mutate?: Mutate;
  /** Makes other objects. */
  generate?: Generate;
  /** Checks signatures of images and pins digests. */
  verifyImages?: ImageVerification[];
  /** By kind: where images stand in objects of other kinds. */
  imageExtractors?: Record<string, ImageExtractor[]>;
  /** Properties for report results, may hold variables. */
  reportProperties?: Record<string, string>;
  /** Leave out requests that the background work itself makes; true when unset. */
  skipBackgroundRequests?: boolean;
  /** Deletes objects from time to time; never acts on requests. */
  cleanup?: CleanupRule;
  /** Loose name of validate; fields as there. */
  validation?: Validate;
  /** Loose name of mutate; fields as there. */
  mutation?: Mutate;
  /** Loose name of generate; fields as there. */
  generation?: Generate;
}

/** How the API server asks for this policy. */
export interface WebhookConfiguration {
  /** What an error of the policy does to a request; Fail when unset. One of Fail, Ignore. */
  failurePolicy?: 'Fail' | 'Ignore' | (string & {});
  /** How long the API server waits, 1 to 30 seconds. */
  timeoutSeconds?: number;
  /** CEL that must all be true for the request to be looked at. */
  matchConditions?: MatchCondition[];
}

/** What the policy asks for. */
export interface PolicySpec {
  /** Rules, judged in order. */
  rules?: Rule[];
  /** One stops after the first rule that acts; All when unset. One of All, One. */
  applyRules?: 'All' | 'One' | (string & {});
  /** Judge requests; true when unset. */
  admission?: boolean;
  /** Judge existing objects; true when unset. */
  background?: boolean;
  /** Show failures that do not refuse as warnings to the requester. */
  emitWarning?: boolean;
  /** How the API server asks for this policy. */
  webhookConfiguration?: WebhookConfiguration;
  /** Make and update generated objects by server-side apply. */
  useServerSideApply?: boolean;
  /** What a failure does, in any case: Enforce refuses, Audit only reports. One of Audit, Enforce. For rules that say nothing; Audit when unset. */
  validationFailureAction?: 'Audit' | 'Enforce' | (string & {});
  /** Other actions for some namespaces; the first that fits decides. */
  validationFailureActionOverrides?: FailureActionOverride[];
  /** Older place of webhookConfiguration.failurePolicy. What an error of the policy does to a request; Fail when unset. One of Fail, Ignore. */
  failurePolicy?: 'Fail' | 'Ignore' | (string & {});
  /** Older place of webhookConfiguration.timeoutSeconds. */
  webhookTimeoutSeconds?: number;
  /** Older place of the setting in mutate. */
  mutateExistingOnPolicyUpdate?: boolean;
  /** Older place of the setting in generate. */
  generateExisting?: boolean;
  /** Older name of generateExisting. */
  generateExistingOnPolicyUpdate?: boolean;
  /** Without effect. */
  schemaValidation?: boolean;
}

/** Number of rules as written, derived ones not counted. */
export interface RuleCount {
  /** Rules with validate. */
  validate?: number;
  /** Rules with mutate. */
  mutate?: number;
  /** Rules with generate. */
  generate?: number;
  /** Rules with verifyImages. */
  verifyimages?: number;
}

/** The ValidatingAdmissionPolicy made of this policy. */
export interface AdmissionPolicyStatus {
  /** Whether there is one. */
  generated?: boolean;
  /** Why there is none. */
  message?: string;
}

/** The last run of a clean-up in a rule. */
export interface RuleCleanupStatus {
  /** Name of the rule. */
  rule?: string;
  /** When it last ran. */
  lastExecutionTime?: string;
}

/** What the operator made of the policy. */
export interface PolicyStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** Whether the policy judges requests: spec.admission, or true when that is unset. */
  admission?: boolean;
  /** Whether the policy judges existing objects: spec.background, or true when that is unset. */
  background?: boolean;
  /** What an error does to a request, after all settings: Fail or Ignore. */
  failurePolicy?: string;
  /** Number of rules as written, derived ones not counted. */
  rulecount?: RuleCount;
  /** Rules derived for Pod controllers, under rules. */
  autogen?: {rules?: Rule[]};
  /** The ValidatingAdmissionPolicy made of this policy. */
  validatingadmissionpolicy?: AdmissionPolicyStatus;
  /** When clean-ups of rules ran last. */
  cleanup?: RuleCleanupStatus[];
  /** No longer written; see conditions. */
  ready?: boolean;
}

/** Rules of one policy. */
export interface ExceptionEntry {
  /** Policy, as name or namespace/name. */
  policyName?: string;
  /** Rules, with wildcards. */
  ruleNames?: string[];
}

/** A rule by name. */
export interface ExceptionRule {
  /** Rule. */
  name?: string;
  /** Policy that the rule is in. */
  policy?: string;
  /** Policy that the rule is in. */
  policyName?: string;
}

/** Who is freed from which rules. */
export interface PolicyExceptionSpec {
  /** Rules that do not apply. */
  exceptions?: ExceptionEntry[];
  /** Which objects are freed. */
  match?: Match;
  /** Which of them are not. */
  exclude?: Exclude;
  /** What must be true as well. */
  conditions?: AnyAllConditions | PolicyCondition[];
  /** Hold also for existing objects; true when unset. */
  background?: boolean;
  /** Controls that are not asked for. */
  podSecurity?: PodSecurityExclusion[];
  /** Loose form of exceptions: rules by name, in any policy unless one is named. */
  rules?: ExceptionRule[];
  /** Policy that rules are in, in the loose form. */
  policyName?: string;
  /** Policies that rules are in, in the loose form. */
  policies?: string[];
}

/** What is deleted when. */
export interface CleanupPolicySpec {
  /** Cron expression, in UTC. */
  schedule?: string;
  /** Which objects are deleted. */
  match?: Match;
  /** Which of them are kept. */
  exclude?: Exclude;
  /** Named values for expressions, in order. */
  context?: ContextEntry[];
  /** What must be true of an object; expressions find it as target. */
  conditions?: AnyAllConditions;
  /** What happens to objects that the deleted one owns. One of Foreground, Background, Orphan. */
  deletionPropagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | (string & {});
}

/** What the operator made of the policy. */
export interface CleanupPolicyStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** When it last ran. */
  lastExecutionTime?: string;
}

/** Names an object. */
export interface ResourceSpec {
  /** API group and version. */
  apiVersion?: string;
  /** Kind. */
  kind?: string;
  /** Namespace; empty for cluster-scoped kinds. */
  namespace?: string;
  /** Name. */
  name?: string;
  /** UID. */
  uid?: string;
}

/** A rule and the object that caused it. */
export interface RuleContext {
  /** Rule. */
  rule?: string;
  /** Object that caused the work. */
  trigger?: ResourceSpec;
  /** Delete the made objects instead. */
  deleteDownstream?: boolean;
  /** Keep the made objects in step. */
  synchronize?: boolean;
  /** Only learn which objects were made. */
  cacheRestore?: boolean;
}

/** The user, as the API server knows it. */
export interface UserInfo {
  /** Name. */
  username?: string;
  /** UID. */
  uid?: string;
  /** Groups. */
  groups?: string[];
  /** Further facts. */
  extra?: Record<string, string[]>;
}

/** Who asked. */
export interface RequestInfo {
  /** The user, as the API server knows it. */
  userInfo?: UserInfo;
  /** Roles, as namespace:name. */
  roles?: string[] | null;
  /** Cluster roles. */
  clusterRoles?: string[] | null;
  /** Whether the request was a dry run. */
  synchronize?: boolean;
}

/** What was asked. */
export interface AdmissionRequestInfo {
  /** CREATE, UPDATE, DELETE or CONNECT. */
  operation?: string;
  /** The AdmissionRequest. */
  admissionRequest?: Record<string, unknown>;
}

/** The request that caused the work. */
export interface UpdateRequestContext {
  /** Who asked. */
  userInfo?: RequestInfo;
  /** What was asked. */
  admissionRequestInfo?: AdmissionRequestInfo;
}

/** Work to be done in the background. */
export interface UpdateRequestSpec {
  /** Kind of work. One of mutate, generate, cel-generate, cel-mutate. */
  requestType?: 'mutate' | 'generate' | 'cel-generate' | 'cel-mutate' | (string & {});
  /** Policy, as name or namespace/name. */
  policy?: string;
  /** Rule. */
  rule?: string;
  /** Object that caused the work. */
  resource?: ResourceSpec;
  /** Rules and the objects that caused them. */
  ruleContext?: RuleContext[];
  /** The request that caused the work. */
  context?: UpdateRequestContext;
  /** Older place of the setting in ruleContext. */
  deleteDownstream?: boolean;
  /** Older place of the setting in ruleContext. */
  synchronize?: boolean;
}

/** How far the work is. */
export interface UpdateRequestStatus {
  /** State of the work. One of Pending, Completed, Failed, Skip. */
  state?: 'Pending' | 'Completed' | 'Failed' | 'Skip' | (string & {});
  /** Why it failed. */
  message?: string;
  /** Objects that were made. */
  generatedResources?: ResourceSpec[];
  /** How often it was tried again. */
  retryCount?: number;
  /** Replica that worked on it; no longer written. */
  handler?: string;
}

/** All objects of a kind, kept up to date. */
export interface KubernetesResource {
  /** API group; empty for the core group. */
  group?: string;
  /** API version. */
  version?: string;
  /** Plural name of the kind. */
  resource?: string;
  /** Only this namespace. */
  namespace?: string;
}

/** Answer of a call, asked for again and again. */
export interface GlobalApiCall {
  /** Path at the API server. */
  urlPath?: string;
  /** HTTP method, GET when unset. One of GET, POST. */
  method?: 'GET' | 'POST' | (string & {});
  /** Fields of the body of a POST. */
  data?: RequestData[];
  /** An HTTP service outside of the API server. */
  service?: ServiceCall;
  /** Time between calls, as a Go duration; 10m when unset. */
  refreshInterval?: string;
  /** Tries per call; 3 when unset. */
  retryLimit?: number;
}

/** A part of the value. */
export interface Projection {
  /** Name. */
  name?: string;
  /** JMESPath over the value. */
  jmesPath?: string;
}

/** Where the value comes from; exactly one of kubernetesResource and apiCall. */
export interface GlobalContextEntrySpec {
  /** All objects of a kind, kept up to date. */
  kubernetesResource?: KubernetesResource;
  /** Answer of a call, asked for again and again. */
  apiCall?: GlobalApiCall;
  /** Parts of the value under names of their own. */
  projections?: Projection[];
}

/** State of the value. */
export interface GlobalContextEntryStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** When the value was last fetched. */
  lastRefreshTime?: string;
  /** No longer written; see conditions. */
  ready?: boolean;
}

/** Rules for the whole cluster: what objects must look like, what is changed, made and checked. */
export interface ClusterPolicy {
  apiVersion: 'kyverno.io/v1' | 'kyverno.io/v2beta1';
  kind: 'ClusterPolicy';
  metadata: ObjectMeta;
  /** What the policy asks for. */
  spec: PolicySpec;
  /** What the operator made of the policy. */
  status?: PolicyStatus;
}

/** Rules for the namespace that the policy is in. */
export interface Policy {
  apiVersion: 'kyverno.io/v1' | 'kyverno.io/v2beta1';
  kind: 'Policy';
  metadata: ObjectMeta;
  /** What the policy asks for. */
  spec: PolicySpec;
  /** What the operator made of the policy. */
  status?: PolicyStatus;
}

/** Frees some objects from some rules. */
export interface PolicyException {
  apiVersion: 'kyverno.io/v2' | 'kyverno.io/v2beta1' | 'kyverno.io/v2alpha1' | 'kyverno.io/v1alpha1';
  kind: 'PolicyException';
  metadata: ObjectMeta;
  /** Who is freed from which rules. */
  spec: PolicyExceptionSpec;
}

/** Deletes objects of its own namespace on a schedule. */
export interface CleanupPolicy {
  apiVersion: 'kyverno.io/v2' | 'kyverno.io/v2beta1' | 'kyverno.io/v2alpha1';
  kind: 'CleanupPolicy';
  metadata: ObjectMeta;
  /** What is deleted when. */
  spec: CleanupPolicySpec;
  /** What the operator made of the policy. */
  status?: CleanupPolicyStatus;
}

/** Deletes objects of the whole cluster on a schedule. */
export interface ClusterCleanupPolicy {
  apiVersion: 'kyverno.io/v2' | 'kyverno.io/v2beta1' | 'kyverno.io/v2alpha1';
  kind: 'ClusterCleanupPolicy';
  metadata: ObjectMeta;
  /** What is deleted when. */
  spec: CleanupPolicySpec;
  /** What the operator made of the policy. */
  status?: CleanupPolicyStatus;
}

/** Work that a request left to be done in the background. Made by the operator, not by users. */
export interface UpdateRequest {
  apiVersion: 'kyverno.io/v2' | 'kyverno.io/v1beta1';
  kind: 'UpdateRequest';
  metadata: ObjectMeta;
  /** Work to be done in the background. */
  spec?: UpdateRequestSpec;
  /** How far the work is. */
  status?: UpdateRequestStatus;
}

/** A value that many policies share, fetched once. */
export interface GlobalContextEntry {
  apiVersion: 'kyverno.io/v2' | 'kyverno.io/v2beta1' | 'kyverno.io/v2alpha1';
  kind: 'GlobalContextEntry';
  metadata: ObjectMeta;
  /** Where the value comes from; exactly one of kubernetesResource and apiCall. */
  spec: GlobalContextEntrySpec;
  /** State of the value. */
  status?: GlobalContextEntryStatus;
}
