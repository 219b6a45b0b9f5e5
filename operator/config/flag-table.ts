import {choice, duration, fraction, inert, integer, text, texts, toggle, words} from './flag-kinds.js';

const port = (initial: number) => integer(initial, 0, 65_535);
const tlsKeyAlgorithm = () => choice('RSA', ['RSA', 'ECDSA', 'Ed25519'] as const);
const blockedByDefault = '169.254.169.254,169.254.169.253,metadata.google.internal,127.0.0.0/8,::1/128';

/**
 * Every flag that upstream's processes take, with its default there unless a comment says otherwise; one process has
 * them all. Durations are in milliseconds once read. An empty Secret name stands for the one made from Service and
 * namespace, see `secretNames`.
 */
export const flagTable = {
  // Logging
  loggingFormat: choice('text', ['text', 'json'] as const),
  /** 1 to 5; each step only adds lines. */
  v: integer(2, 1, 5),
  dumpPayload: toggle(false),
  dumpPatches: toggle(false, 'FLAG_DUMP_PATCHES'),
  loggingtsFormat: inert(
    choice('default', ['default', 'iso8601', 'rfc3339', 'millis', 'nanos', 'epoch', 'rfc3339nano'] as const),
  ),
  disableLogColor: inert(toggle(false)),
  vmodule: inert(text()),
  logtostderr: inert(toggle(true)),
  alsologtostderr: inert(toggle(false)),
  stderrthreshold: inert(text('2')),
  log_backtrace_at: inert(text()),
  log_dir: inert(text()),
  log_file: inert(text()),
  log_file_max_size: inert(integer(1800, 0)),
  add_dir_header: inert(toggle(false)),
  one_output: inert(toggle(false)),
  skip_headers: inert(toggle(false)),
  skip_log_headers: inert(toggle(false)),

  // API server
  kubeconfig: text(),
  clientRateLimitQPS: fraction(300, 0, 1e9),
  clientRateLimitBurst: integer(300, 0),
  crdWatcher: inert(toggle(false)),
  leaderElectionRetryPeriod: duration('2s', '100ms'),
  resyncPeriod: inert(duration('15m')),

  // Webhooks
  webhookServerHost: text(),
  webhookServerPort: port(9443),
  servicePort: integer(443, 1, 65_535),
  serverIP: text(),
  /** Seconds. */
  webhookTimeout: integer(10, 1, 30),
  autoUpdateWebhooks: toggle(true),
  excludeBootstrapResources: inert(toggle(false)),
  forceFailurePolicyIgnore: toggle(false, 'FLAG_FORCE_FAILURE_POLICY_IGNORE'),
  protectManagedResources: toggle(false, 'FLAG_PROTECT_MANAGED_RESOURCES'),
  maxAuditWorkers: integer(8, 1),
  maxAuditCapacity: integer(1000, 0),
  webhookRegistrationTimeout: inert(duration('120s')),
  autoDeleteWebhooks: inert(toggle(false)),
  /** When clean-ups in rules run that have no schedule of their own. */
  cleanupDefaultSchedule: text('*/5 * * * *'),
  cleanupServerHost: inert(text()),
  cleanupServerPort: inert(port(9443)),

  // Certificates
  caSecretName: text(),
  tlsSecretName: text(),
  disableCertManagerController: toggle(false),
  renewBefore: duration('360h'),
  tlsKeyAlgorithm: tlsKeyAlgorithm(),

  // Exceptions; upstream has them off
  enablePolicyException: toggle(true),
  /** A namespace, `*` for all, empty for our default: everywhere, for objects of the same namespace. */
  exceptionNamespace: text(),

  // Calls from policies
  apiCallTimeout: duration('30s'),
  /** Bytes; 0 = unlimited. */
  maxAPICallResponseLength: integer(10_000_000, 0),
  httpAllowlist: texts('', 'FLAG_HTTP_ALLOWLIST'),
  /** Setting it replaces the list. */
  httpBlocklist: texts(blockedByDefault, 'FLAG_HTTP_BLOCKLIST'),
  allowHTTPInNamespacedPolicies: toggle(false, 'FLAG_ENABLE_HTTP_IN_NAMESPACED_POLICIES'),
  /** Duties that this process is a candidate for; requests are judged in any case. */
  roles: words('admission,background,cleanup,reports', ['admission', 'background', 'cleanup', 'reports']),
  /** Users that the duties act as, where that is not the process's own: `system:serviceaccount:<namespace>:<name>`. */
  backgroundServiceAccountName: text(),
  reportsServiceAccountName: text(),
  cleanupServiceAccountName: text(),
  enableConfigMapCaching: inert(toggle(true)),
  enableDeferredLoading: inert(toggle(true, 'FLAG_ENABLE_DEFERRED_LOADING')),
  maxGlobalContextEntries: integer(0, 0),

  // Events and metrics
  omitEvents: texts(''),
  maxQueuedEvents: integer(1000, 0),
  metricsHost: text(),
  metricsPort: port(8000),
  disableMetrics: toggle(false),
  /** Upstream has 1000 and 2000, one request for each occurrence; ours count repeats into the first. */
  eventsRateLimitQPS: fraction(50, 0, 1e9),
  eventsRateLimitBurst: integer(100, 0),
  metricsCASecretName: text(),
  metricsTLSSecretName: text(),
  metricsKeyAlgorithm: tlsKeyAlgorithm(),
  metricsRenewBefore: duration('360h'),
  metricsServerIP: text(),
  otelConfig: inert(choice('prometheus', ['prometheus', 'grpc'] as const)),
  otelCollector: inert(text('opentelemetrycollector.kyverno.svc.cluster.local')),
  transportCreds: inert(text()),
  exemplarFilter: inert(choice('trace-based', ['always-off', 'always-on', 'trace-based'] as const)),
  controllerRuntimeMetricsAddress: inert(text()),
  enableTracing: toggle(false),
  tracingAddress: text(),
  tracingPort: port(4317),
  tracingCreds: text(),
  profile: toggle(false),
  profilePort: port(6060),
  profileAddress: text(),
  autoMemLimitEnabled: inert(toggle(true)),
  autoMemLimitRatio: inert(fraction(0.9, 0, 1)),

  // Reports
  enableReporting: words('validate,mutate,mutateExisting,generate,imageVerify', [
    'validate',
    'mutate',
    'mutateExisting',
    'generate',
    'imageVerify',
  ]),
  allowedResults: words('pass,fail,error,warn,skip', ['pass', 'fail', 'error', 'warn', 'skip']),
  admissionReports: toggle(true),
  policyReports: toggle(true),
  /** False: what admissions and scans find stays apart, in EphemeralReports. */
  aggregateReports: toggle(true),
  /** Reports written at one time. */
  aggregationWorkers: integer(10, 1),
  /** EphemeralReports of each side at most. */
  maxAdmissionReports: integer(10_000, 0),
  maxBackgroundReports: integer(10_000, 0),
  openreportsEnabled: toggle(false),
  reportsCRDsSanityChecks: inert(toggle(true)),
  validatingAdmissionPolicyReports: toggle(true),
  mutatingAdmissionPolicyReports: toggle(false),

  // Background work and native policies
  backgroundScan: toggle(true),
  backgroundScanInterval: duration('1h'),
  /** Kinds looked through at one time. */
  backgroundScanWorkers: integer(2, 1),
  /** Registries are asked about images of objects that are there. */
  backgroundScanImages: toggle(false),
  skipResourceFilters: toggle(true),
  genWorkers: inert(integer(10, 1)),
  ttlReconciliationInterval: duration('1m'),
  generateValidatingAdmissionPolicy: toggle(true, 'FLAG_GENERATE_VALIDATING_ADMISSION_POLICY'),
  generateMutatingAdmissionPolicy: inert(toggle(false, 'FLAG_GENERATE_MUTATING_ADMISSION_POLICY')),

  // Images
  allowInsecureRegistry: toggle(false),
  /** `name` in our own namespace, or `namespace/name`. */
  imagePullSecrets: texts(''),
  /** Empty: Docker's config alone. */
  registryCredentialHelpers: texts(''),
  /** Folders of `docker-credential-*`; nothing else is run. */
  registryCredentialHelperDirs: texts(''),
  /** File with certificates of registries' own authorities. */
  registryCABundle: text(),
  /** `registry=host[/path]`, asked first. */
  registryMirrors: texts(''),
  /** `registry=host` of a token service in another domain, which may see the registry's credentials. */
  registryTokenHosts: texts(''),
  /** Host names, `*.suffix`, addresses and ranges that registries may be at although they are closed by default. */
  registryAllowlist: texts(''),
  /** Folder of `sigstore-kms-<scheme>`, which answer for keys of key services; nothing else is run. */
  kmsPluginsDirectory: text(),
  /** Variables that these programs see; `AWS_*` for all that begin so. */
  kmsPluginEnvironment: texts(''),
  imageVerifyCacheEnabled: toggle(true),
  imageVerifyCacheMaxSize: integer(1000, 0),
  imageVerifyCacheTTLDuration: duration('60m'),
  enableTuf: toggle(false),
  tufMirror: text('https://tuf-repo-cdn.sigstore.dev'),
  /** File or URL of the first root. */
  tufRoot: text(),
  /** The same as text. */
  tufRootRaw: text(),
  enableCosignLogging: inert(toggle(false)),
} as const;
