import type {FlagForm} from '../config/flag-kinds.js';
import {flagTable} from '../config/flag-table.js';
import type {FlagName} from '../config/flags.js';

/** How a key of a ConfigMap is written in a KyvernoConfiguration; `json` and `filters` have a schema of their own. */
export type KeyForm = FlagForm | 'numbers' | 'filters' | 'json';

/** Keys of the ConfigMap `kyverno`, each with its form. */
export const configKeys = {
  resourceFilters: 'filters',
  excludeUsernames: 'texts',
  excludeGroups: 'texts',
  excludeRoles: 'texts',
  excludeClusterRoles: 'texts',
  webhooks: 'json',
  webhookAnnotations: 'json',
  webhookLabels: 'json',
  matchConditions: 'json',
  defaultRegistry: 'text',
  enableDefaultRegistryMutation: 'boolean',
  generateSuccessEvents: 'boolean',
  successEventActions: 'texts',
  updateRequestThreshold: 'integer',
  maxContextSize: 'text',
} as const satisfies Readonly<Record<string, KeyForm>>;

/** Keys of the ConfigMap `kyverno-metrics`; in a KyvernoConfiguration they lie below `metrics`. */
export const metricsKeys = {
  namespaces: 'json',
  bucketBoundaries: 'numbers',
  metricsExposure: 'json',
  metricsRefreshInterval: 'text',
} as const satisfies Readonly<Record<string, KeyForm>>;

export type ConfigKey = keyof typeof configKeys;
export type MetricsKey = keyof typeof metricsKeys;
export type ResourceFlag = Exclude<FlagName, 'kubeconfig'>;

/** Flags that a KyvernoConfiguration may set: all but the one that says which cluster it would be read from. */
export const resourceFlags: readonly ResourceFlag[] = (Object.keys(flagTable) as FlagName[]).filter(
  (name): name is ResourceFlag => name !== 'kubeconfig',
);

/** Flags whose readers ask for the value of the moment; every other one holds from the next start of a replica. */
export const hotFlags: ReadonlySet<FlagName> = new Set<FlagName>([
  'loggingFormat',
  'v',
  'dumpPayload',
  'dumpPatches',
  'clientRateLimitQPS',
  'clientRateLimitBurst',
  'servicePort',
  'serverIP',
  'webhookTimeout',
  'autoUpdateWebhooks',
  'forceFailurePolicyIgnore',
  'protectManagedResources',
  'disableCertManagerController',
  'renewBefore',
  'tlsKeyAlgorithm',
  'apiCallTimeout',
  'maxAPICallResponseLength',
  'httpAllowlist',
  'httpBlocklist',
  'maxGlobalContextEntries',
  'omitEvents',
  'maxQueuedEvents',
  'eventsRateLimitQPS',
  'eventsRateLimitBurst',
  'enableReporting',
  'allowedResults',
  'admissionReports',
  'policyReports',
  'backgroundScanInterval',
  'skipResourceFilters',
  'ttlReconciliationInterval',
  'generateValidatingAdmissionPolicy',
]);
