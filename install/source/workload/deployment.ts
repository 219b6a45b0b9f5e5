import {podLabels, podSelector, workloadLabels} from '../labels.js';
import type {InstallSettings, KubeObject} from '../types.js';

/** The listener of webhooks and probes; above 1024, so that no capability is needed. */
export const httpsPort = 9443;
export const metricsPort = 8000;

/** Flags only, so that adding some cannot lose the command. */
export const defaultArgs: readonly string[] = ['--loggingFormat=text', '--v=2'];

const probe = (path: string) => ({httpGet: {path, port: 'https', scheme: 'HTTPS'}});

/** Without user ids: clusters that assign a range of their own must be free to do so. */
export const containerSecurity = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: {drop: ['ALL']},
  seccompProfile: {type: 'RuntimeDefault'},
} as const;

function environment({name}: Pick<InstallSettings, 'name'>): readonly object[] {
  const field = (variable: string, fieldPath: string) => ({name: variable, valueFrom: {fieldRef: {fieldPath}}});
  return [
    field('KYVERNO_NAMESPACE', 'metadata.namespace'),
    field('KYVERNO_POD_NAME', 'metadata.name'),
    field('KYVERNO_SERVICEACCOUNT_NAME', 'spec.serviceAccountName'),
    {name: 'KYVERNO_DEPLOYMENT', value: name},
    {name: 'KYVERNO_WEBHOOK_OWNER', value: name},
    {name: 'KYVERNO_SVC', value: `${name}-svc`},
    {name: 'INIT_CONFIG', value: name},
    {name: 'METRICS_CONFIG', value: `${name}-metrics`},
    // The root file system is read-only, and whatever user the cluster assigns has no home.
    {name: 'HOME', value: '/tmp'},
    {name: 'TUF_ROOT', value: '/.sigstore'},
  ];
}

function container({name, image, resources}: InstallSettings): object {
  return {
    name: 'kyverno',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['kyverno', 'operator'],
    args: defaultArgs,
    env: environment({name}),
    ports: [
      {name: 'https', containerPort: httpsPort, protocol: 'TCP'},
      {name: 'metrics', containerPort: metricsPort, protocol: 'TCP'},
    ],
    startupProbe: {...probe('/health/liveness'), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 60},
    livenessProbe: {...probe('/health/liveness'), periodSeconds: 30, timeoutSeconds: 5, failureThreshold: 2},
    readinessProbe: {...probe('/health/readiness'), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2},
    resources,
    securityContext: containerSecurity,
    volumeMounts: [
      {name: 'tmp', mountPath: '/tmp'},
      {name: 'sigstore', mountPath: '/.sigstore'},
    ],
  };
}

/** What keeps replicas apart: hosts first, then zones; both give way where there are too few. */
export const spread = {
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {weight: 100, podAffinityTerm: {topologyKey: 'kubernetes.io/hostname', labelSelector: {matchLabels: podSelector}}},
      ],
    },
  },
  topologySpreadConstraints: [
    {maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {matchLabels: podSelector}},
  ],
} as const;

export function deployment(settings: InstallSettings): KubeObject {
  const {name, namespace, replicas} = settings;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name, namespace, labels: {...workloadLabels, ...podSelector}},
    spec: {
      replicas,
      selector: {matchLabels: podSelector},
      // A new replica serves before an old one goes.
      strategy: {type: 'RollingUpdate', rollingUpdate: {maxUnavailable: 0, maxSurge: 1}},
      template: {
        metadata: {labels: podLabels},
        spec: {
          serviceAccountName: name,
          priorityClassName: name,
          // Longer than the slowest webhook call plus the time until no endpoint leads here.
          terminationGracePeriodSeconds: 60,
          nodeSelector: {'kubernetes.io/os': 'linux'},
          securityContext: {runAsNonRoot: true, seccompProfile: {type: 'RuntimeDefault'}},
          ...spread,
          containers: [container(settings)],
          volumes: [
            {name: 'tmp', emptyDir: {}},
            {name: 'sigstore', emptyDir: {}},
          ],
        },
      },
    },
  };
}
