import {commonFilters, webhookSelectors} from '../config/config-maps.js';
import {largeCluster, smallCluster, version} from '../settings.js';
import {containerSecurity} from '../workload/deployment.js';
import {features, reportingKinds} from './features.js';

type Schema = Readonly<Record<string, unknown>>;

/** A value of the chart: where, what it is when nobody says, and what a reader needs to know. */
export interface ValueEntry {
  readonly path: string;
  readonly initial: unknown;
  readonly remark?: string;
  /** Where the type of the initial value does not say all. */
  readonly schema?: Schema;
}

const map: Schema = {type: 'object'};
const list: Schema = {type: 'array'};
const texts: Schema = {type: 'array', items: {type: 'string'}};
const textOrNone: Schema = {type: ['string', 'null']};
const rules: Schema = {type: 'array', items: {type: 'object', required: ['apiGroups', 'resources', 'verbs']}};
const share: Schema = {type: ['integer', 'string', 'null']};

const probe = (path: string, rest: object) => ({httpGet: {path, port: 'https', scheme: 'HTTPS'}, ...rest});
const {namespaceSelector} = webhookSelectors('') as {namespaceSelector: {matchExpressions: object[]}};

/** Controllers of upstream that are duties of the one process here. */
const duties = ['background', 'cleanup', 'reports'] as const;

/** Every value, in the order of values.yaml. Names are those that users of upstream's chart know. */
export const values: readonly ValueEntry[] = [
  {path: 'fullnameOverride', initial: '', remark: 'Name of Deployment, ServiceAccount, roles and ConfigMap; "kyverno" when empty, whatever the release is called.'},
  {path: 'namespaceOverride', initial: '', remark: 'In place of the release\'s namespace.'},
  {path: 'customLabels', initial: {}, remark: 'On every object.', schema: map},
  {path: 'imagePullSecrets', initial: {}, remark: 'Pull secrets to create: name → {registry, username, password}.', schema: map},
  {path: 'existingImagePullSecrets', initial: [], remark: 'Names of pull secrets that are there.', schema: texts},

  {path: 'global.image.registry', initial: '', remark: 'Registry of all images; wins over the image\'s own.'},
  {path: 'global.imagePullSecrets', initial: [], remark: 'As Pod templates have them: [{name: …}].', schema: list},
  {path: 'global.caCertificates.data', initial: '', remark: 'PEM of authorities that are trusted beside the usual ones.', schema: textOrNone},
  {path: 'global.caCertificates.volume', initial: {}, remark: 'A volume in its place, with the file ca-certificates.crt.', schema: map},
  {path: 'global.extraEnvVars', initial: [], schema: list},
  {path: 'global.nodeSelector', initial: {'kubernetes.io/os': 'linux'}, schema: map},
  {path: 'global.tolerations', initial: [], schema: list},
  {path: 'global.proxy.httpProxy', initial: '', remark: 'Handed on as HTTP_PROXY, HTTPS_PROXY and NO_PROXY; the API server is never reached by a proxy.'},
  {path: 'global.proxy.httpsProxy', initial: ''},
  {path: 'global.proxy.noProxy', initial: ''},

  {path: 'crds.install', initial: true, remark: 'CustomResourceDefinitions are upgraded with the release. They stay when it goes (helm.sh/resource-policy: keep).'},
  {path: 'crds.annotations', initial: {'helm.sh/resource-policy': 'keep'}, schema: map},
  {path: 'crds.customLabels', initial: {}, schema: map},

  {path: 'config.create', initial: true, remark: 'The ConfigMap of settings that hold at once.'},
  {path: 'config.preserve', initial: false, remark: 'Keep it when the release goes.'},
  {path: 'config.name', initial: '', remark: 'Its name; that of the Deployment when empty.', schema: textOrNone},
  {path: 'config.annotations', initial: {}, schema: map},
  {path: 'config.enableDefaultRegistryMutation', initial: true},
  {path: 'config.defaultRegistry', initial: 'docker.io'},
  {path: 'config.excludeGroups', initial: ['system:nodes'], remark: 'Requests of these users are let through unseen; !pattern keeps a user in.', schema: texts},
  {path: 'config.excludeUsernames', initial: [], schema: texts},
  {path: 'config.excludeRoles', initial: [], schema: texts},
  {path: 'config.excludeClusterRoles', initial: [], schema: texts},
  {path: 'config.generateSuccessEvents', initial: false},
  {path: 'config.successEventActions', initial: '', schema: textOrNone},
  {path: 'config.resourceFilters', initial: commonFilters, remark: 'Objects that no policy sees, as [kind,namespace,name]. Those of the installation itself are added.', schema: texts},
  {path: 'config.resourceFiltersInclude', initial: [], remark: 'More of them.', schema: texts},
  {path: 'config.resourceFiltersExclude', initial: [], remark: 'Taken off the list again.', schema: texts},
  {path: 'config.resourceFiltersIncludeNamespaces', initial: [], remark: 'Namespaces in which no policy sees anything.', schema: texts},
  {path: 'config.resourceFiltersExcludeNamespaces', initial: [], schema: texts},
  {path: 'config.excludeKyvernoNamespace', initial: true, remark: 'Leave the operator\'s own namespace out of filters and selectors.'},
  {path: 'config.updateRequestThreshold', initial: 1000, remark: 'Generate requests that may wait before no more are made.'},
  {path: 'config.webhooks', initial: {namespaceSelector: {matchExpressions: namespaceSelector.matchExpressions.slice(0, 1)}}, remark: 'Selectors of what the API server asks about at all.', schema: map},
  {path: 'config.webhookAnnotations', initial: {'admissions.enforcer/disabled': 'true'}, schema: map},
  {path: 'config.webhookLabels', initial: {}, schema: map},
  {path: 'config.matchConditions', initial: [], remark: 'CEL conditions that the API server evaluates before it asks.', schema: list},
  {path: 'config.maxContextSize', initial: '', remark: 'Bytes of the context of one policy, as a quantity.', schema: textOrNone},

  {path: 'metricsConfig.create', initial: true},
  {path: 'metricsConfig.name', initial: '', remark: 'That of the Deployment and -metrics when empty.', schema: textOrNone},
  {path: 'metricsConfig.annotations', initial: {}, schema: map},
  {path: 'metricsConfig.namespaces', initial: {include: [], exclude: []}, schema: map},
  {path: 'metricsConfig.metricsRefreshInterval', initial: '', schema: textOrNone},
  {path: 'metricsConfig.bucketBoundaries', initial: [], schema: {type: 'array', items: {type: 'number'}}},
  {path: 'metricsConfig.metricsExposure', initial: {}, schema: map},

  {path: 'features', initial: {logging: {format: 'text', verbosity: 2}}, remark: `What is not named keeps the operator's default. Known: ${features.map(({path}) => path.join('.')).join(', ')}, reporting.{${reportingKinds.join(',')}}.`, schema: featuresSchema()},

  {path: 'admissionController.replicas', initial: 2, remark: 'With more than one there is a disruption budget.', schema: {type: 'integer', minimum: 1}},
  {path: 'admissionController.revisionHistoryLimit', initial: 10, schema: {type: 'integer', minimum: 0}},
  {path: 'admissionController.annotations', initial: {}, schema: map},
  {path: 'admissionController.podLabels', initial: {}, schema: map},
  {path: 'admissionController.podAnnotations', initial: {}, schema: map},
  {path: 'admissionController.updateStrategy', initial: {type: 'RollingUpdate', rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}, schema: map},
  {path: 'admissionController.priorityClassName', initial: '', remark: 'A class that is there; one is made when empty.'},
  {path: 'admissionController.terminationGracePeriodSeconds', initial: 60},
  {path: 'admissionController.hostNetwork', initial: false},
  {path: 'admissionController.dnsPolicy', initial: 'ClusterFirst'},
  {path: 'admissionController.dnsConfig', initial: {}, schema: map},
  {path: 'admissionController.startupProbe', initial: probe('/health/liveness', {periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 60}), schema: map},
  {path: 'admissionController.livenessProbe', initial: probe('/health/liveness', {periodSeconds: 30, timeoutSeconds: 5, failureThreshold: 2}), schema: map},
  {path: 'admissionController.readinessProbe', initial: probe('/health/readiness', {periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2}), schema: map},
  {path: 'admissionController.nodeSelector', initial: {}, remark: 'In place of global.nodeSelector.', schema: map},
  {path: 'admissionController.tolerations', initial: [], schema: list},
  {path: 'admissionController.antiAffinity.enabled', initial: true, remark: 'Replicas on different hosts where there are some.'},
  {path: 'admissionController.podAntiAffinity', initial: {}, remark: 'In place of that.', schema: map},
  {path: 'admissionController.podAffinity', initial: {}, schema: map},
  {path: 'admissionController.nodeAffinity', initial: {}, schema: map},
  {path: 'admissionController.topologySpreadConstraints', initial: [], remark: 'In place of a spread over zones.', schema: list},
  {path: 'admissionController.podSecurityContext', initial: {runAsNonRoot: true, seccompProfile: {type: 'RuntimeDefault'}}, remark: 'No user ids: OpenShift assigns its own.', schema: map},
  {path: 'admissionController.podDisruptionBudget.enabled', initial: true, remark: 'Not for a single replica: it would keep its node from being drained.'},
  {path: 'admissionController.podDisruptionBudget.minAvailable', initial: null, schema: share},
  {path: 'admissionController.podDisruptionBudget.maxUnavailable', initial: 1, schema: share},
  {path: 'admissionController.podDisruptionBudget.unhealthyPodEvictionPolicy', initial: 'AlwaysAllow'},
  {path: 'admissionController.container.image.registry', initial: '', schema: textOrNone},
  {path: 'admissionController.container.image.repository', initial: 'kyverno-ts'},
  {path: 'admissionController.container.image.tag', initial: version, remark: 'A tag, or a digest (sha256:…).', schema: textOrNone},
  {path: 'admissionController.container.image.pullPolicy', initial: 'IfNotPresent'},
  {path: 'admissionController.container.resources', initial: smallCluster, remark: `For fewer than 1000 Pods. From there on: ${JSON.stringify(largeCluster)}.`, schema: map},
  {path: 'admissionController.container.securityContext', initial: containerSecurity, schema: map},
  {path: 'admissionController.container.extraArgs', initial: {}, remark: 'Any flag of docs/configuration.md: name → value.', schema: map},
  {path: 'admissionController.container.extraEnvVars', initial: [], schema: list},
  {path: 'admissionController.extraInitContainers', initial: [], schema: list},
  {path: 'admissionController.extraContainers', initial: [], schema: list},
  {path: 'admissionController.service.port', initial: 443},
  {path: 'admissionController.service.type', initial: 'ClusterIP'},
  {path: 'admissionController.service.annotations', initial: {}, schema: map},
  {path: 'admissionController.service.ipFamilyPolicy', initial: 'PreferDualStack', remark: 'Both address families where the cluster has both, the one it has elsewhere.'},
  {path: 'admissionController.service.ipFamilies', initial: [], schema: texts},
  {path: 'admissionController.metricsService.create', initial: true},
  {path: 'admissionController.metricsService.port', initial: 8000},
  {path: 'admissionController.metricsService.type', initial: 'ClusterIP'},
  {path: 'admissionController.metricsService.annotations', initial: {}, schema: map},
  {path: 'admissionController.networkPolicy.enabled', initial: true, remark: 'Only the ports of webhooks and metrics are open.'},
  {path: 'admissionController.networkPolicy.ingressFrom', initial: [], remark: 'Peers that may connect; anyone when empty. The API server must be among them.', schema: list},
  {path: 'admissionController.metering.secure', initial: false, remark: 'Metrics by HTTPS, with a CA of their own: Secrets <fullname>.<namespace>.metering.kyverno-tls-ca and -pair.'},
  {path: 'admissionController.metering.existingSecret', initial: '', remark: 'A serving pair that is there in their place, such as one of OpenShift\'s service CA or of cert-manager.'},
  {path: 'admissionController.serviceMonitor.enabled', initial: false},
  {path: 'admissionController.serviceMonitor.namespace', initial: '', schema: textOrNone},
  {path: 'admissionController.serviceMonitor.additionalLabels', initial: {}, schema: map},
  {path: 'admissionController.serviceMonitor.interval', initial: '30s'},
  {path: 'admissionController.serviceMonitor.scrapeTimeout', initial: '25s'},
  {path: 'admissionController.serviceMonitor.secure', initial: false, remark: 'Scrapes by HTTPS; so they do with metering.secure and metering.existingSecret.'},
  {path: 'admissionController.serviceMonitor.tlsConfig', initial: {}, remark: 'With metering.secure that of the own CA when empty, whose Secret must lie in the namespace of the ServiceMonitor.', schema: map},
  {path: 'admissionController.serviceMonitor.relabelings', initial: [], schema: list},
  {path: 'admissionController.serviceMonitor.metricRelabelings', initial: [], schema: list},
  {path: 'admissionController.autoscaling.enabled', initial: false, remark: 'Needs the metrics server; then replicas is left to it.'},
  {path: 'admissionController.autoscaling.minReplicas', initial: 2},
  {path: 'admissionController.autoscaling.maxReplicas', initial: 6},
  {path: 'admissionController.autoscaling.targetCPUUtilizationPercentage', initial: 80},
  {path: 'admissionController.autoscaling.behavior', initial: {scaleDown: {stabilizationWindowSeconds: 600}}, schema: map},
  {path: 'admissionController.tlsKeyAlgorithm', initial: '', schema: {enum: ['', 'RSA', 'ECDSA', 'Ed25519', null]}},
  {path: 'admissionController.tracing.enabled', initial: false},
  {path: 'admissionController.tracing.address', initial: ''},
  {path: 'admissionController.tracing.port', initial: 4317},
  {path: 'admissionController.tracing.creds', initial: ''},
  {path: 'admissionController.profiling.enabled', initial: false},
  {path: 'admissionController.profiling.port', initial: 6060},
  {path: 'admissionController.rbac.create', initial: true},
  {path: 'admissionController.rbac.createViewRoleBinding', initial: true, remark: 'Let policies read what the built-in role view reads.'},
  {path: 'admissionController.rbac.createReadRoleBinding', initial: true, remark: 'Let policies read built-in kinds; no Secrets.'},
  {path: 'admissionController.rbac.serviceAccount.annotations', initial: {}, schema: map},
  {path: 'admissionController.rbac.coreClusterRole.extraResources', initial: [], remark: 'Rules for what policies do beyond what is granted: `kyverno rbac` prints them.', schema: rules},
  {path: 'admissionController.rbac.clusterRole.extraResources', initial: [], schema: rules},
  ...duties.flatMap((duty): ValueEntry[] => [
    {path: `${duty}Controller.enabled`, initial: true, ...(duty === 'background' && {remark: 'Duties of the one process.'})},
    {path: `${duty}Controller.rbac.coreClusterRole.extraResources`, initial: [], schema: rules},
    {path: `${duty}Controller.rbac.clusterRole.extraResources`, initial: [], schema: rules},
  ]),
  {path: 'prometheusRule.enabled', initial: false, remark: 'Recording and alert rules, for the Prometheus operator.'},
  {path: 'prometheusRule.namespace', initial: '', schema: textOrNone},
  {path: 'prometheusRule.additionalLabels', initial: {}, schema: map},
  {path: 'grafana.enabled', initial: false, remark: 'The dashboard as a ConfigMap, which the sidecar of Grafana\'s chart finds by its label.'},
  {path: 'grafana.configMapName', initial: '', remark: 'That of the Deployment and -grafana when empty.', schema: textOrNone},
  {path: 'grafana.namespace', initial: '', schema: textOrNone},
  {path: 'grafana.labels', initial: {grafana_dashboard: '1'}, schema: map},
  {path: 'grafana.annotations', initial: {}, schema: map},
  {path: 'openreports.enabled', initial: false, remark: 'Reports of openreports.io; its definitions are installed apart.'},
];

function featuresSchema(): Schema {
  const properties: Record<string, {type: 'object'; properties: Record<string, unknown>}> = {};
  for (const {path: [topic, key], type, choices} of features) {
    properties[topic] ??= {type: 'object', properties: {}};
    properties[topic].properties[key] = choices !== undefined ? {enum: choices} : type === 'list' ? {type: ['array', 'null'], items: {type: 'string'}} : {type: [type, 'null']};
  }
  properties['reporting'] = {type: 'object', properties: Object.fromEntries(reportingKinds.map(kind => [kind, {type: 'boolean'}]))};
  return {type: 'object', properties};
}
