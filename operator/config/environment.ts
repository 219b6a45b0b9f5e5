import type {Flags} from './flags.js';

/** Names of our own objects, from the container's environment. */
export interface OperatorEnvironment {
  readonly namespace: string;
  readonly podName: string;
  readonly deployment: string;
  /** ClusterRole of the installation, which owns the webhook configurations. */
  readonly ownerRole: string;
  readonly serviceName: string;
  readonly serviceAccountName: string;
  readonly configMapName: string;
  readonly metricsConfigMapName: string;
  /** Show what the policy cache holds at `/debug/policies` beside the metrics. */
  readonly debugCache: boolean;
}

export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): OperatorEnvironment {
  const get = (name: string, fallback: string): string => environment[name] || fallback;
  return {
    namespace: get('KYVERNO_NAMESPACE', 'kyverno'),
    podName: get('KYVERNO_POD_NAME', 'kyverno'),
    deployment: get('KYVERNO_DEPLOYMENT', 'kyverno'),
    ownerRole: get('KYVERNO_WEBHOOK_OWNER', 'kyverno'),
    serviceName: get('KYVERNO_SVC', 'kyverno-svc'),
    serviceAccountName: get('KYVERNO_SERVICEACCOUNT_NAME', 'kyverno'),
    configMapName: get('INIT_CONFIG', 'kyverno'),
    metricsConfigMapName: get('METRICS_CONFIG', 'kyverno-metrics'),
    debugCache: get('KYVERNO_DEBUG_CACHE', 'false') === 'true',
  };
}

/** Secrets that hold the CA and the serving pair: as the flags say, else named after the Service. */
export function secretNames(
  flags: Pick<Flags, 'caSecretName' | 'tlsSecretName'>,
  environment: Pick<OperatorEnvironment, 'namespace' | 'serviceName'>,
): {readonly ca: string; readonly pair: string} {
  const base = `${environment.serviceName}.${environment.namespace}.svc.kyverno-tls`;
  return {ca: flags.caSecretName || `${base}-ca`, pair: flags.tlsSecretName || `${base}-pair`};
}

/** Secrets of `/metrics` by HTTPS; undefined = by HTTP. Without a CA the pair is somebody else's, such as OpenShift's service CA. */
export function metricsSecretNames(flags: Pick<Flags, 'disableMetrics' | 'metricsCASecretName' | 'metricsTLSSecretName'>): {readonly ca: string | undefined; readonly pair: string} | undefined {
  const {metricsCASecretName: ca, metricsTLSSecretName: pair} = flags;
  return flags.disableMetrics || pair === '' ? undefined : {ca: ca || undefined, pair};
}
