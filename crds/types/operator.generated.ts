// Generated from scripts/crd by `npm run generate`; edit there.
import type {Condition, LabelSelector, ObjectMeta} from './common.generated.js';

/** A match condition of our webhooks. */
export interface WebhookMatchCondition {
  /** Name. */
  name?: string;
  /** CEL. */
  expression?: string;
}

/** How a metric is shown. */
export interface MetricExposure {
  /** False: not at all. */
  enabled?: boolean;
  /** Labels that are left out. */
  disabledLabelDimensions?: string[];
  /** Own upper bounds in seconds. */
  bucketBoundaries?: number[];
}

/** Settings; an absent key leaves ConfigMap, flag, environment or default in force. */
export interface KyvernoConfigurationSpec {
  /** Objects that no policy sees: [kind,namespace,name], wildcards allowed. */
  resourceFilters?: string[];
  /** Users whose requests are let through unseen; !name keeps one in. */
  excludeUsernames?: string[];
  /** The same by groups. */
  excludeGroups?: string[];
  /** The same by namespace:name of Roles. */
  excludeRoles?: string[];
  /** The same by ClusterRoles. */
  excludeClusterRoles?: string[];
  /** Selectors of the webhook configurations: what they leave out never reaches the operator. The operator's own namespace is always out. */
  webhooks?: {
    /** By labels of the namespace. */
    namespaceSelector?: LabelSelector;
    /** By labels of the object. */
    objectSelector?: LabelSelector;
  };
  /** Annotations put on the webhook configurations. */
  webhookAnnotations?: Record<string, string>;
  /** Labels put on the webhook configurations. */
  webhookLabels?: Record<string, string>;
  /** CEL that the API server evaluates before it asks; at most 62. */
  matchConditions?: WebhookMatchCondition[];
  /** Registry of images that name none, in variables, `image_normalize` and verifyImages rules; a host, perhaps with a path. */
  defaultRegistry?: string;
  /** Whether they are shown with that registry; off: as they are written, and Docker's registry is asked for them. */
  enableDefaultRegistryMutation?: boolean;
  /** Events for verdicts that passed. */
  generateSuccessEvents?: boolean;
  /** Actions of such Events; all when empty. */
  successEventActions?: string[];
  /** Outstanding generate requests before no more are made. */
  updateRequestThreshold?: number;
  /** Bytes that the context of one policy may take, as a quantity. */
  maxContextSize?: string;
  /** How metrics are counted and shown. */
  metrics?: {
    /** Namespaces that metrics tell apart; exclude wins, an empty include takes all. */
    namespaces?: {
      /** Only these. */
      include?: string[];
      /** Never these. */
      exclude?: string[];
    };
    /** Upper bounds of histograms in seconds. */
    bucketBoundaries?: number[];
    /** Per metric whether it is shown, labels that are left out, own bounds. */
    metricsExposure?: Record<string, MetricExposure>;
    /** Counters start anew at this interval; 0 = never. */
    metricsRefreshInterval?: string;
  };
  /** Form of log lines: text or json. Takes text or json. */
  loggingFormat?: string;
  /** How much is logged, 1 to 5; each step only adds lines: 3 tells every request, 4 every verdict of a rule. Takes a whole number from 1 to 5. */
  v?: number;
  /** Logs each request's objects at level 4, without the data of Secrets. */
  dumpPayload?: boolean;
  /** Logs each JSON patch that is answered. */
  dumpPatches?: boolean;
  /** Form of times in log lines. Takes default, iso8601, rfc3339, millis, nanos, epoch or rfc3339nano. No effect in this release. */
  loggingtsFormat?: string;
  /** Log lines without colours. No effect in this release. */
  disableLogColor?: boolean;
  /** Log level by source file. No effect in this release. */
  vmodule?: string;
  /** Log on standard error. No effect in this release. */
  logtostderr?: boolean;
  /** Log on standard error too. No effect in this release. */
  alsologtostderr?: boolean;
  /** Least severity on standard error. No effect in this release. */
  stderrthreshold?: string;
  /** Stack trace at a line of the source. No effect in this release. */
  log_backtrace_at?: string;
  /** Folder of log files. No effect in this release. */
  log_dir?: string;
  /** Log file. No effect in this release. */
  log_file?: string;
  /** Size of a log file in megabytes. Takes a whole number from 0. No effect in this release. */
  log_file_max_size?: number;
  /** Folder in the head of log lines. No effect in this release. */
  add_dir_header?: boolean;
  /** Each line in one log alone. No effect in this release. */
  one_output?: boolean;
  /** Log lines without a head. No effect in this release. */
  skip_headers?: boolean;
  /** Log files without a head. No effect in this release. */
  skip_log_headers?: boolean;
  /** Our requests to the API server, a second in the long run; 0 = no limit. Takes a number from 0 to 1000000000. */
  clientRateLimitQPS?: number;
  /** The same at once. Takes a whole number from 0. */
  clientRateLimitBurst?: number;
  /** Watch for CustomResourceDefinitions; always done. No effect in this release. */
  crdWatcher?: boolean;
  /** Time between two tries for a lease; it lasts six of them, a leader steps down after five. Takes a duration such as 90s or 1h30m, at least 100ms. */
  leaderElectionRetryPeriod?: string;
  /** Time between two lists of mirrored objects; mirrors are kept by watching. Takes a duration such as 90s or 1h30m. No effect in this release. */
  resyncPeriod?: string;
  /** Address on which admission listens; all when empty. */
  webhookServerHost?: string;
  /** Port on which admission listens. Takes a whole number from 0 to 65535. */
  webhookServerPort?: number;
  /** Port of the Service in webhook configurations. Takes a whole number from 1 to 65535. */
  servicePort?: number;
  /** Host:port at which the API server reaches us: webhook configurations carry a URL instead of the Service. */
  serverIP?: string;
  /** Seconds, 1 to 30; a policy may ask for more by spec.webhookConfiguration.timeoutSeconds. Takes a whole number from 1 to 30. */
  webhookTimeout?: number;
  /** Write webhook configurations from policies. */
  autoUpdateWebhooks?: boolean;
  /** Keep kinds that a cluster boots with out of webhooks; decided per policy here. No effect in this release. */
  excludeBootstrapResources?: boolean;
  /** Every policy counts as failurePolicy: Ignore. */
  forceFailurePolicyIgnore?: boolean;
  /** Refuses changes by others to objects labelled app.kubernetes.io/managed-by=kyverno. */
  protectManagedResources?: boolean;
  /** Audit work at a time. Takes a whole number from 1. */
  maxAuditWorkers?: number;
  /** Audit work that may wait before it is dropped and counted. Takes a whole number from 0. */
  maxAuditCapacity?: number;
  /** Time for the first webhook configurations; there is no limit. Takes a duration such as 90s or 1h30m. No effect in this release. */
  webhookRegistrationTimeout?: string;
  /** Remove webhook configurations by finalizers. No effect in this release. */
  autoDeleteWebhooks?: boolean;
  /** When clean-ups in rules run that name no time. */
  cleanupDefaultSchedule?: string;
  /** Address of a clean-up server; admission serves its paths. No effect in this release. */
  cleanupServerHost?: string;
  /** Port of a clean-up server; admission serves its paths. Takes a whole number from 0 to 65535. No effect in this release. */
  cleanupServerPort?: number;
  /** Secret of the CA; named after Service and namespace when empty. */
  caSecretName?: string;
  /** Secret of the serving pair; named after Service and namespace when empty. */
  tlsSecretName?: string;
  /** Certificates are brought by somebody else. */
  disableCertManagerController?: boolean;
  /** How long before its end a certificate is renewed. Takes a duration such as 90s or 1h30m. */
  renewBefore?: string;
  /** Keys of certificates: RSA, ECDSA or Ed25519. Takes RSA, ECDSA or Ed25519. */
  tlsKeyAlgorithm?: string;
  /** Whether exceptions count. */
  enablePolicyException?: boolean;
  /** Where exceptions must live to free objects anywhere; * for all. When empty an exception frees objects of its own namespace, and one in the operator's namespace frees all. */
  exceptionNamespace?: string;
  /** Longest service call of a policy; the request's own time bounds it too. Takes a duration such as 90s or 1h30m. */
  apiCallTimeout?: string;
  /** Bytes of an answer to apiCall, resource.* and http.*; 0 = unlimited. Takes a whole number from 0. */
  maxAPICallResponseLength?: number;
  /** What service calls and http.* may reach: host names, *.suffix, addresses, ranges. With https://host/path entries nothing but URLs below them is called. Takes a comma-separated list. */
  httpAllowlist?: string[];
  /** What they may not reach; it wins over the allow list. Takes a comma-separated list. */
  httpBlocklist?: string[];
  /** Lets policies of a namespace make service calls and use http.*. */
  allowHTTPInNamespacedPolicies?: boolean;
  /** Duties that a replica is a candidate for: admission, background, cleanup, reports; each has a Lease of its own. Takes a comma-separated list of admission, background, cleanup or reports. */
  roles?: string[];
  /** User that background work acts as: system:serviceaccount:NAMESPACE:NAME. */
  backgroundServiceAccountName?: string;
  /** User whose rights scans read objects with. */
  reportsServiceAccountName?: string;
  /** User that clean-ups act as. */
  cleanupServiceAccountName?: string;
  /** Mirror labelled ConfigMaps; always done. No effect in this release. */
  enableConfigMapCaching?: boolean;
  /** Load context when it is used; always done. No effect in this release. */
  enableDeferredLoading?: boolean;
  /** Global context entries kept at most; 0 = all. Takes a whole number from 0. */
  maxGlobalContextEntries?: number;
  /** Reasons of Events that are not written. Takes a comma-separated list. */
  omitEvents?: string[];
  /** Events that may wait; more are dropped and counted; 0 = none are written. Takes a whole number from 0. */
  maxQueuedEvents?: number;
  /** Address on which /metrics is served; all when empty. */
  metricsHost?: string;
  /** Port on which /metrics is served. Takes a whole number from 0 to 65535. */
  metricsPort?: number;
  /** No metrics server. */
  disableMetrics?: boolean;
  /** Requests that write Events, a second in the long run. Takes a number from 0 to 1000000000. */
  eventsRateLimitQPS?: number;
  /** The same at once. Takes a whole number from 0. */
  eventsRateLimitBurst?: number;
  /** Secret of the CA of /metrics; then both Secrets are made and renewed, else the pair is only read. */
  metricsCASecretName?: string;
  /** Secret of the serving pair of /metrics, which is served by HTTPS then. */
  metricsTLSSecretName?: string;
  /** Keys of the certificates of /metrics. Takes RSA, ECDSA or Ed25519. */
  metricsKeyAlgorithm?: string;
  /** How long before its end a certificate of /metrics is renewed. Takes a duration such as 90s or 1h30m. */
  metricsRenewBefore?: string;
  /** Host:port at which /metrics is reached beside its Service: goes into the certificate. */
  metricsServerIP?: string;
  /** How metrics leave: prometheus alone. Takes prometheus or grpc. No effect in this release. */
  otelConfig?: string;
  /** Collector that metrics would be sent to. No effect in this release. */
  otelCollector?: string;
  /** Secret that vouches for that collector. No effect in this release. */
  transportCreds?: string;
  /** Which observations carry exemplars. Takes always-off, always-on or trace-based. No effect in this release. */
  exemplarFilter?: string;
  /** Address of metrics of another framework. No effect in this release. */
  controllerRuntimeMetricsAddress?: string;
  /** Sends a trace of each admission request. */
  enableTracing?: boolean;
  /** Collector of traces: a host for OTLP by gRPC (by HTTP on port 4318), or an http:// or https:// URL. */
  tracingAddress?: string;
  /** Port of the collector of traces. Takes a whole number from 0 to 65535. */
  tracingPort?: number;
  /** Secret in our namespace whose ca.pem (or ca.crt, tls.crt) vouches for the collector; without it connections to bare hosts are not encrypted. */
  tracingCreds?: string;
  /** Serves CPU profiles and heap snapshots. */
  profile?: boolean;
  /** Port of profiles. Takes a whole number from 0 to 65535. */
  profilePort?: number;
  /** Address of profiles, loopback when empty; heap snapshots hold what the process knows, Secrets among it. */
  profileAddress?: string;
  /** Memory limit of another runtime. No effect in this release. */
  autoMemLimitEnabled?: boolean;
  /** Share of the memory limit of another runtime. Takes a number from 0 to 1. No effect in this release. */
  autoMemLimitRatio?: number;
  /** Rule types that reports tell of: validate, mutate, mutateExisting, generate, imageVerify. Takes a comma-separated list of validate, mutate, mutateExisting, generate or imageVerify. */
  enableReporting?: string[];
  /** Results that reports hold: pass, fail, error, warn, skip. Takes a comma-separated list of pass, fail, error, warn or skip. */
  allowedResults?: string[];
  /** Reports of what admissions found. */
  admissionReports?: boolean;
  /** Reports at all; without them scans tell by Events. */
  policyReports?: boolean;
  /** False: admissions and scans write EphemeralReports apart. */
  aggregateReports?: boolean;
  /** Reports written at one time. Takes a whole number from 1. */
  aggregationWorkers?: number;
  /** EphemeralReports of admissions at most. Takes a whole number from 0. */
  maxAdmissionReports?: number;
  /** EphemeralReports of scans at most. Takes a whole number from 0. */
  maxBackgroundReports?: number;
  /** Reports of openreports.io instead of PolicyReports. */
  openreportsEnabled?: boolean;
  /** Look for the kinds of reports at start; they are used when they are there. No effect in this release. */
  reportsCRDsSanityChecks?: boolean;
  /** Scans report on ValidatingAdmissionPolicies too: on copies of ours, and on those labelled reports.kyverno.io/enabled: "true". */
  validatingAdmissionPolicyReports?: boolean;
  /** The same of MutatingAdmissionPolicies. */
  mutatingAdmissionPolicyReports?: boolean;
  /** Scans of objects that are there. */
  backgroundScan?: boolean;
  /** How often all objects are looked at again; a new value counts from the next turn on. Takes a duration such as 90s or 1h30m. */
  backgroundScanInterval?: string;
  /** Kinds looked through at one time. Takes a whole number from 1. */
  backgroundScanWorkers?: number;
  /** Scans ask registries about images; else what is cached and recorded counts. */
  backgroundScanImages?: boolean;
  /** Scans look at what resourceFilters names, too. */
  skipResourceFilters?: boolean;
  /** Generate requests at one time. Takes a whole number from 1. No effect in this release. */
  genWorkers?: number;
  /** How often kinds are looked through for the first object with an end; a new value counts from the next turn on. Takes a duration such as 90s or 1h30m. */
  ttlReconciliationInterval?: string;
  /** Policies that ask for it are judged by native policies of the API server. */
  generateValidatingAdmissionPolicy?: boolean;
  /** The same of MutatingPolicies; each policy decides here. No effect in this release. */
  generateMutatingAdmissionPolicy?: boolean;
  /** Policies that ask for it may use registries by plain HTTP or with unproven certificates. */
  allowInsecureRegistry?: boolean;
  /** Pull secrets for all policies: name in our namespace, or namespace/name. Takes a comma-separated list. */
  imagePullSecrets?: string[];
  /** Where else credentials of registries come from: default (the Docker config), google, amazon, azure, github, or the name of an installed docker-credential-*; the Docker config when empty. Takes a comma-separated list. */
  registryCredentialHelpers?: string[];
  /** Absolute folders that hold docker-credential-*; no other program is run. Takes a comma-separated list. */
  registryCredentialHelperDirs?: string[];
  /** File with certificates of registries' authorities, beside the system's. */
  registryCABundle?: string;
  /** Registry=host[/path] that is asked before the registry itself. Takes a comma-separated list. */
  registryMirrors?: string[];
  /** Registry=host of a token service in another domain that may see the registry's credentials. Takes a comma-separated list. */
  registryTokenHosts?: string[];
  /** Addresses, ranges and names where registries may be although loopback, link-local and metadata addresses are closed. Takes a comma-separated list. */
  registryAllowlist?: string[];
  /** Absolute folder of programs sigstore-kms-* that are asked for public keys of key services; without it policies on such keys are not Ready. */
  kmsPluginsDirectory?: string;
  /** Environment variables that these programs see: names, or AWS_* for all that begin so. Takes a comma-separated list. */
  kmsPluginEnvironment?: string[];
  /** Verdicts on signatures are kept. */
  imageVerifyCacheEnabled?: boolean;
  /** Verdicts kept at most. Takes a whole number from 0. */
  imageVerifyCacheMaxSize?: number;
  /** How long a verdict counts. Takes a duration such as 90s or 1h30m. */
  imageVerifyCacheTTLDuration?: string;
  /** Keeps the trusted root of keyless signatures up to date from a TUF repository; without it the one that this release was made with counts. */
  enableTuf?: boolean;
  /** The TUF repository. */
  tufMirror?: string;
  /** Its first root, as file or URL. */
  tufRoot?: string;
  /** Its first root, as text. */
  tufRootRaw?: string;
  /** Log of the signature library. No effect in this release. */
  enableCosignLogging?: boolean;
}

/** One setting. */
export interface EffectiveSetting {
  /** Key as in spec. */
  key: string;
  /** Value as a flag or a ConfigMap would have it. */
  value?: string;
  /** Source: default, environment, flag, configMap or resource. */
  source: string;
}

/** One key. */
export interface RejectedKey {
  /** Key as in spec. */
  key: string;
  /** Source: resource, or configMap. */
  source?: string;
  /** What is wrong with it. */
  reason?: string;
}

/** What is in force, and where it comes from. */
export interface KyvernoConfigurationStatus {
  /** Generation that this status describes; older than metadata.generation = not judged yet. */
  observedGeneration?: number;
  /** State of the object; look for type Ready. */
  conditions?: Condition[];
  /** Every setting as the leading replica has it; URLs without credentials and query. */
  effective?: EffectiveSetting[];
  /** Keys that cannot be used; the source below is in force. */
  rejectedKeys?: RejectedKey[];
}

/** Settings of the operator; there is one, named default, or none. */
export interface KyvernoConfiguration {
  apiVersion: 'operator.kyverno-ts.io/v1alpha1';
  kind: 'KyvernoConfiguration';
  metadata: ObjectMeta;
  /** Settings; an absent key leaves ConfigMap, flag, environment or default in force. */
  spec?: KyvernoConfigurationSpec;
  /** What is in force, and where it comes from. */
  status?: KyvernoConfigurationStatus;
}
