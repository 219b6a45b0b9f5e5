import {stringify} from 'yaml';
import {metricsMap, ownFilters, settingsMap} from '../config/config-maps.js';
import {serviceAccount} from '../objects.js';
import {commonLabels} from '../labels.js';
import {grantLabel, operatorRoles, policyRoles} from '../rights/roles.js';
import {userRoles} from '../rights/user-roles.js';
import {smallCluster} from '../settings.js';
import type {InstallSettings, KubeObject} from '../types.js';
import {deployment, spread} from '../workload/deployment.js';
import {autoscaler, disruptionBudget, networkPolicy, priorityClass} from '../workload/disruption.js';
import {services} from '../workload/services.js';
import {serviceMonitor} from '../workload/service-monitor.js';
import {fill, included, includedIfAny, type Overlay, type Snippet, templateOf, value, when, yaml} from './emit.js';
import {caFolder, helpersText} from './helpers.js';

/** What the settings are in the chart: words that are filled in once the object is text. */
const settings: InstallSettings = {namespace: 'NAMESPACE_WORD', name: 'FULLNAME_WORD', image: 'IMAGE_WORD', replicas: 2, resources: smallCluster};
const words = {
  NAMESPACE_WORD: '{{ include "kyverno.namespace" . }}',
  FULLNAME_WORD: '{{ include "kyverno.fullname" . }}',
  IMAGE_WORD: '{{ include "kyverno.image" . }}',
};

const labels: Snippet = (key, indent) => `${indent}${key}:\n${indent}  {{- include "kyverno.labels" $ | nindent ${indent.length + 2} }}`;

/** The labels that the object has, and those of the release. */
function object(source: KubeObject, overlay: Overlay = {}): string {
  const own = Object.entries(source.metadata.labels ?? {}).map(([label, text]) => stringify({[label]: text}).trimEnd());
  const all: Snippet = (key, indent) => [labels(key, indent), ...own.map(line => `${indent}  ${line}`)].join('\n');
  return templateOf({...source, metadata: {...source.metadata, labels: {}}}, {'metadata.labels': all, ...overlay}, words);
}

function gated(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text.trimEnd()}\n{{- end }}\n`;
}

const join = (texts: readonly string[]) => texts.map(text => text.trimEnd()).join('\n---\n').concat('\n');
const admission = '.Values.admissionController';

const podSpec = 'spec.template.spec';

function deploymentTemplate(): string {
  const source = structuredClone(deployment(settings)) as unknown as {spec: {template: {spec: {containers: Record<string, unknown>[]}}}};
  const [container] = source.spec.template.spec.containers as [Record<string, unknown>];
  const {env, volumeMounts, ...rest} = container;
  const listed = (items: unknown, more: string): Snippet => (key, indent) =>
    `${indent}${key}:\n${stringify(items).trimEnd().replace(/^/gm, `${indent}  `)}\n${more.replaceAll('INDENT', indent)}`;
  const containerOverlay: Overlay = {
    image: value('include "kyverno.image" .'),
    imagePullPolicy: value(`${admission}.container.image.pullPolicy`),
    args: included('kyverno.args'),
    env: listed(env, 'INDENT  {{- with include "kyverno.extraEnv" . }}{{ . | trim | nindent 2 }}{{ end }}'),
    startupProbe: yaml(`${admission}.startupProbe`),
    livenessProbe: yaml(`${admission}.livenessProbe`),
    readinessProbe: yaml(`${admission}.readinessProbe`),
    resources: yaml(`${admission}.container.resources`),
    securityContext: yaml(`${admission}.container.securityContext`),
    volumeMounts: listed(volumeMounts, `INDENT  {{- if include "kyverno.hasCertificates" . }}\nINDENT  - name: ca-certificates\nINDENT    mountPath: ${caFolder}\nINDENT    readOnly: true\nINDENT  {{- end }}`),
  };
  const containerText = templateOf({...rest, args: '', env: '', volumeMounts: ''} as unknown as KubeObject, containerOverlay, {});
  const containers: Snippet = (key, indent) => {
    const lines = containerText.trimEnd().split('\n').map((line, index) => `${indent}  ${index === 0 ? '- ' : '  '}${line}`);
    // Lines that hold nothing but an action may stand anywhere.
    const text = lines.join('\n').replace(/nindent (\d+)/g, (_, depth: string) => `nindent ${Number(depth) + indent.length + 4}`);
    return `${indent}${key}:\n${text}\n${indent}  {{- with ${admission}.extraContainers }}\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}  {{- end }}`;
  };
  const volumes: Snippet = (key, indent) =>
    `${indent}${key}:\n${indent}  - name: tmp\n${indent}    emptyDir: {}\n${indent}  - name: sigstore\n${indent}    emptyDir: {}\n${indent}  {{- with include "kyverno.volumes" . }}{{ . | trim | nindent ${indent.length + 2} }}{{ end }}`;
  const podMetadata: Snippet = (key, indent) =>
    `${indent}{{- with ${admission}.podAnnotations }}\n${indent}annotations:\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}{{- end }}\n${indent}${key}:\n${stringify((deployment(settings) as unknown as {spec: {template: {metadata: {labels: object}}}}).spec.template.metadata.labels).trimEnd().replace(/^/gm, `${indent}  `)}\n${indent}  {{- with ${admission}.podLabels }}\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}  {{- end }}`;
  const ownSpread = stringify(spread.topologySpreadConstraints).trimEnd();
  const zones: Snippet = (key, indent) =>
    `${indent}${key}:\n${indent}  {{- if ${admission}.topologySpreadConstraints }}\n${indent}  {{- toYaml ${admission}.topologySpreadConstraints | nindent ${indent.length + 2} }}\n${indent}  {{- else }}\n${ownSpread.replace(/^/gm, `${indent}  `)}\n${indent}  {{- end }}`;
  return object(deployment(settings), {
    'metadata.annotations': yaml(`${admission}.annotations`),
    'spec.replicas': when(`not ${admission}.autoscaling.enabled`, value(`${admission}.replicas`)),
    'spec.revisionHistoryLimit': value(`${admission}.revisionHistoryLimit`),
    'spec.strategy': yaml(`${admission}.updateStrategy`),
    'spec.template.metadata.labels': podMetadata,
    [`${podSpec}.priorityClassName`]: value(`default (include "kyverno.fullname" .) ${admission}.priorityClassName`),
    [`${podSpec}.terminationGracePeriodSeconds`]: value(`${admission}.terminationGracePeriodSeconds`),
    [`${podSpec}.nodeSelector`]: yaml(`default .Values.global.nodeSelector ${admission}.nodeSelector`),
    [`${podSpec}.tolerations`]: yaml(`default .Values.global.tolerations ${admission}.tolerations`),
    [`${podSpec}.securityContext`]: yaml(`${admission}.podSecurityContext`),
    [`${podSpec}.affinity`]: includedIfAny('kyverno.affinity'),
    [`${podSpec}.topologySpreadConstraints`]: zones,
    [`${podSpec}.imagePullSecrets`]: includedIfAny('kyverno.pullSecrets'),
    [`${podSpec}.hostNetwork`]: when(`${admission}.hostNetwork`, value('true')),
    [`${podSpec}.dnsPolicy`]: when(`ne ${admission}.dnsPolicy "ClusterFirst"`, value(`${admission}.dnsPolicy`)),
    [`${podSpec}.dnsConfig`]: yaml(`${admission}.dnsConfig`),
    [`${podSpec}.initContainers`]: yaml(`${admission}.extraInitContainers`),
    [`${podSpec}.containers`]: containers,
    [`${podSpec}.volumes`]: volumes,
  })
    .replace(/(name: INIT_CONFIG\n *value: ).*/, '$1{{ include "kyverno.config" . }}')
    .replace(/(name: METRICS_CONFIG\n *value: ).*/, '$1{{ include "kyverno.metricsConfig" . }}');
}

function serviceTemplates(): string {
  const [main, metrics] = services(settings) as [KubeObject, KubeObject];
  const overlay = (at: string, port: Snippet): Overlay => ({
    'metadata.annotations': yaml(`${at}.annotations`),
    'spec.type': when(`ne ${at}.type "ClusterIP"`, value(`${at}.type`)),
    'spec.ipFamilyPolicy': when(`${admission}.service.ipFamilyPolicy`, value(`${admission}.service.ipFamilyPolicy`)),
    'spec.ipFamilies': yaml(`${admission}.service.ipFamilies`),
    'spec.ports': port,
  });
  const port = (name: string, at: string): Snippet => (key, indent) => `${indent}${key}:\n${indent}  - name: ${name}\n${indent}    port: {{ ${at}.port }}\n${indent}    targetPort: ${name}\n${indent}    protocol: TCP`;
  return `${join([object(main, overlay(`${admission}.service`, port('https', `${admission}.service`)))])}---\n${gated(`${admission}.metricsService.create`, object(metrics, overlay(`${admission}.metricsService`, port('metrics', `${admission}.metricsService`))))}`;
}

function roleTemplates(): string {
  const extra = (['admission', 'background', 'cleanup', 'reports'] as const).map(duty => {
    const rules = `concat .Values.${duty}Controller.rbac.coreClusterRole.extraResources .Values.${duty}Controller.rbac.clusterRole.extraResources`;
    const role: KubeObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {name: `FULLNAME_WORD:${duty}:additional`, labels: {[grantLabel(duty)]: 'true'}},
      rules: '',
    };
    return gated(`${rules}`, object(role, {rules: yaml(rules)}));
  });
  const bindings: Readonly<Record<string, string>> = {'FULLNAME_WORD:view': 'createViewRoleBinding', 'FULLNAME_WORD:read': 'createReadRoleBinding'};
  const roles = [...operatorRoles(settings), ...policyRoles(settings), ...userRoles(settings)].map(role => {
    const text = object(role);
    const condition = role.kind === 'ClusterRoleBinding' && Object.hasOwn(bindings, role.metadata.name) ? bindings[role.metadata.name] : undefined;
    return condition === undefined ? text : gated(`${admission}.rbac.${condition}`, text);
  });
  return gated(`${admission}.rbac.create`, join([...roles, ...extra]));
}

function configTemplate(): string {
  const entry = (key: string, condition: string, text: string) => `  {{- if ${condition} }}\n  ${key}: ${text}\n  {{- end }}\n`;
  const listEntry = (key: string) => entry(key, `.Values.config.${key}`, `{{ join "," .Values.config.${key} | quote }}`);
  const textEntry = (key: string) => entry(key, `.Values.config.${key}`, `{{ .Values.config.${key} | quote }}`);
  const data: Snippet = (key, indent) =>
    `${indent}${key}:\n${['excludeGroups', 'excludeUsernames', 'excludeRoles', 'excludeClusterRoles'].map(listEntry).join('')}${['successEventActions', 'maxContextSize'].map(textEntry).join('')}${['webhookAnnotations', 'webhookLabels', 'matchConditions'].map(name => entry(name, `.Values.config.${name}`, `{{ toJson .Values.config.${name} | quote }}`)).join('')}  defaultRegistry: {{ .Values.config.defaultRegistry | quote }}
  enableDefaultRegistryMutation: {{ .Values.config.enableDefaultRegistryMutation | quote }}
  generateSuccessEvents: {{ .Values.config.generateSuccessEvents | quote }}
  updateRequestThreshold: {{ int .Values.config.updateRequestThreshold | quote }}
  resourceFilters: |-
    {{- include "kyverno.resourceFilters" . | trim | nindent 4 }}
  webhooks: |-
    {{- include "kyverno.webhooks" . | nindent 4 }}`;
  const keep: Snippet = (key, indent) => `{{- if or .Values.config.preserve .Values.config.annotations }}\n${indent}${key}:\n${indent}  {{- if .Values.config.preserve }}\n${indent}  helm.sh/resource-policy: keep\n${indent}  {{- end }}\n${indent}  {{- with .Values.config.annotations }}\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}  {{- end }}\n{{- end }}`;
  const settingsText = object({...settingsMap(settings), data: ''}, {'metadata.name': value('include "kyverno.config" .'), 'metadata.annotations': keep, data});
  const metrics: Snippet = (key, indent) => `${indent}${key}:
  namespaces: {{ toJson .Values.metricsConfig.namespaces | quote }}
  {{- with .Values.metricsConfig.metricsRefreshInterval }}
  metricsRefreshInterval: {{ . | quote }}
  {{- end }}
  {{- with .Values.metricsConfig.bucketBoundaries }}
  bucketBoundaries: {{ join "," . | quote }}
  {{- end }}
  {{- with .Values.metricsConfig.metricsExposure }}
  metricsExposure: {{ toJson . | quote }}
  {{- end }}`;
  const metricsText = object({...metricsMap(settings), data: ''}, {'metadata.name': value('include "kyverno.metricsConfig" .'), 'metadata.annotations': yaml('.Values.metricsConfig.annotations'), data: metrics});
  return `${gated('.Values.config.create', settingsText)}---\n${gated('.Values.metricsConfig.create', metricsText)}`;
}

const definitionsTemplate = `{{- if .Values.crds.install }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $crd := $.Files.Get $path | fromYaml }}
{{- $metadata := $crd.metadata }}
{{- $_ := set $metadata "labels" (merge (dict) $.Values.crds.customLabels (default dict $metadata.labels)) }}
{{- with $.Values.crds.annotations }}
{{- $_ := set $metadata "annotations" (merge (dict) . (default dict $metadata.annotations)) }}
{{- end }}
---
{{ toYaml $crd }}
{{- end }}
{{- end }}
`;

const certificatesTemplate = gated(
  'and .Values.global.caCertificates.data (not .Values.global.caCertificates.volume)',
  object(
    {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'FULLNAME_WORD-ca-certificates', namespace: 'NAMESPACE_WORD'}, data: ''},
    {data: (key, indent) => `${indent}${key}:\n${indent}  ca-certificates.crt: |-\n${indent}    {{- .Values.global.caCertificates.data | trim | nindent 4 }}`},
  ),
);

const pullSecretsTemplate = `{{- range $name, $entry := .Values.imagePullSecrets }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ $name }}
  namespace: {{ include "kyverno.namespace" $ }}
  labels:
    {{- include "kyverno.labels" $ | nindent 4 }}
type: kubernetes.io/dockerconfigjson
data:
  .dockerconfigjson: {{ dict "auths" (dict $entry.registry (dict "username" $entry.username "password" $entry.password "auth" (printf "%s:%s" $entry.username $entry.password | b64enc))) | toJson | b64enc }}
{{- end }}
`;

function autoscalerTemplate(): string {
  const at = `${admission}.autoscaling`;
  const source = autoscaler(settings);
  return gated(
    `${at}.enabled`,
    object(source, {
      'spec.minReplicas': value(`${at}.minReplicas`),
      'spec.maxReplicas': value(`${at}.maxReplicas`),
      'spec.metrics': (key, indent) => `${indent}${key}:\n${indent}  - type: Resource\n${indent}    resource:\n${indent}      name: cpu\n${indent}      target:\n${indent}        type: Utilization\n${indent}        averageUtilization: {{ ${at}.targetCPUUtilizationPercentage }}`,
      'spec.behavior': yaml(`${at}.behavior`),
    }),
  );
}

function budgetTemplate(): string {
  const at = `${admission}.podDisruptionBudget`;
  const several = `or (gt (int ${admission}.replicas) 1) (and ${admission}.autoscaling.enabled (gt (int ${admission}.autoscaling.minReplicas) 1))`;
  const amount: Snippet = (key, indent) =>
    `${indent}{{- if not (kindIs "invalid" ${at}.minAvailable) }}\n${indent}minAvailable: {{ ${at}.minAvailable }}\n${indent}{{- else }}\n${indent}${key}: {{ ${at}.maxUnavailable }}\n${indent}{{- end }}`;
  return gated(`and ${at}.enabled (${several})`, object(disruptionBudget(settings), {'spec.maxUnavailable': amount, 'spec.unhealthyPodEvictionPolicy': when(`${at}.unhealthyPodEvictionPolicy`, value(`${at}.unhealthyPodEvictionPolicy`))}));
}

function networkTemplate(): string {
  const at = `${admission}.networkPolicy`;
  const ingress: Snippet = (key, indent) =>
    `${indent}${key}:\n${indent}  - ports:\n${indent}      - protocol: TCP\n${indent}        port: 9443\n${indent}      - protocol: TCP\n${indent}        port: 8000\n${indent}    {{- with ${at}.ingressFrom }}\n${indent}    from:\n${indent}      {{- toYaml . | nindent ${indent.length + 6} }}\n${indent}    {{- end }}`;
  return gated(`${at}.enabled`, object(networkPolicy(settings), {'spec.ingress': ingress}));
}

/** The labels of every object, and those that a value names. */
function commonAnd(more: string): Snippet {
  return (key, indent) => `${labels(key, indent)}\n${stringify(commonLabels).trimEnd().replace(/^/gm, `${indent}  `)}\n${indent}  {{- with ${more} }}\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}  {{- end }}`;
}

function monitorTemplate(): string {
  const at = `${admission}.serviceMonitor`;
  const own = serviceMonitor(settings);
  const endpoints: Snippet = (key, indent) => `${indent}${key}:
${indent}  - port: metrics
${indent}    path: /metrics
${indent}    interval: {{ ${at}.interval }}
${indent}    scrapeTimeout: {{ ${at}.scrapeTimeout }}
${indent}    {{- if or ${at}.secure ${admission}.metering.secure ${admission}.metering.existingSecret }}
${indent}    scheme: https
${indent}    tlsConfig:
${indent}      {{- include "kyverno.scrapeTls" . | nindent ${indent.length + 6} }}
${indent}    {{- end }}
${indent}    {{- with ${at}.relabelings }}
${indent}    relabelings:
${indent}      {{- toYaml . | nindent ${indent.length + 6} }}
${indent}    {{- end }}
${indent}    {{- with ${at}.metricRelabelings }}
${indent}    metricRelabelings:
${indent}      {{- toYaml . | nindent ${indent.length + 6} }}
${indent}    {{- end }}`;
  return gated(`${at}.enabled`, object(own, {'metadata.namespace': value(`default (include "kyverno.namespace" .) ${at}.namespace`), 'metadata.labels': commonAnd(`${at}.additionalLabels`), 'spec.endpoints': endpoints}));
}

/** Files of the chart are handed on as they are: their own braces are Prometheus' and Grafana's. */
const fromFile = (name: string, depth: number) => `{{- .Files.Get "files/monitoring/${name}" | nindent ${depth} }}`;

function ruleTemplate(): string {
  const at = '.Values.prometheusRule';
  const source: KubeObject = {apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: {name: 'FULLNAME_WORD', namespace: 'NAMESPACE_WORD'}, spec: ''};
  return gated(
    `${at}.enabled`,
    object(source, {
      'metadata.namespace': value(`default (include "kyverno.namespace" .) ${at}.namespace`),
      'metadata.labels': commonAnd(`${at}.additionalLabels`),
      spec: (key, indent) => `${indent}${key}:\n${indent}  ${fromFile('rules.yaml', indent.length + 2)}`,
    }),
  );
}

function dashboardTemplate(): string {
  const at = '.Values.grafana';
  const source: KubeObject = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'FULLNAME_WORD-grafana', namespace: 'NAMESPACE_WORD'}, data: ''};
  return gated(
    `${at}.enabled`,
    object(source, {
      'metadata.name': value(`default (printf "%s-grafana" (include "kyverno.fullname" .)) ${at}.configMapName`),
      'metadata.namespace': value(`default (include "kyverno.namespace" .) ${at}.namespace`),
      'metadata.labels': commonAnd(`${at}.labels`),
      'metadata.annotations': yaml(`${at}.annotations`),
      data: (key, indent) => `${indent}${key}:\n${indent}  kyverno.json: |-\n${indent}    ${fromFile('grafana-dashboard.json', indent.length + 4)}`,
    }),
  );
}

const ownFilterLists = `
{{- define "kyverno.ownFilters" -}}
{{- if .Values.config.excludeKyvernoNamespace }}
- ${JSON.stringify(ownFilters(settings)[0])}
{{- end }}
${ownFilters(settings).slice(1).map(filter => `- ${JSON.stringify(filter)}`).join('\n')}
{{- end }}

{{- define "kyverno.hostAntiAffinity" -}}
${stringify(spread.affinity.podAntiAffinity).trimEnd()}
{{- end }}
`;

const notes = `{{ .Chart.Name }} {{ .Chart.Version }} is installed in namespace {{ include "kyverno.namespace" . }}.

  kubectl -n {{ include "kyverno.namespace" . }} rollout status deployment/{{ include "kyverno.fullname" . }}

Policies may read built-in kinds but no Secrets. What they need beyond that is printed by: kyverno rbac <policy>
{{- if lt (int .Values.admissionController.replicas) 2 }}

WARNING: with one replica admission stands still whenever that Pod does.
{{- end }}
{{- with include "kyverno.withoutEffect" . }}

These values mean nothing to this chart:
{{ . }}
{{- end }}
{{- if eq (include "kyverno.namespace" .) "kube-system" }}
{{- fail "the operator must not be installed in kube-system: no policy would see that namespace, and a fault here would reach what the cluster boots with" }}
{{- end }}
`;

/** Templates by their names. */
export function chartTemplates(): ReadonlyMap<string, string> {
  return new Map([
    ['_helpers.tpl', fill(`${helpersText()}${ownFilterLists}`, words)],
    ['NOTES.txt', notes],
    ['definitions.yaml', definitionsTemplate],
    ['priority-class.yaml', gated(`not ${admission}.priorityClassName`, object(priorityClass(settings)))],
    ['service-account.yaml', object(serviceAccount(settings), {'metadata.annotations': yaml(`${admission}.rbac.serviceAccount.annotations`)})],
    ['roles.yaml', roleTemplates()],
    ['config-maps.yaml', configTemplate()],
    ['ca-certificates.yaml', certificatesTemplate],
    ['pull-secrets.yaml', pullSecretsTemplate],
    ['services.yaml', serviceTemplates()],
    ['network-policy.yaml', networkTemplate()],
    ['deployment.yaml', deploymentTemplate()],
    ['disruption-budget.yaml', budgetTemplate()],
    ['autoscaler.yaml', autoscalerTemplate()],
    ['service-monitor.yaml', monitorTemplate()],
    ['prometheus-rule.yaml', ruleTemplate()],
    ['grafana-dashboard.yaml', dashboardTemplate()],
  ]);
}
