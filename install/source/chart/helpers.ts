import {argsTemplate} from './features.js';
import {values} from './values.js';

/** Top-level values that mean something here. */
const known = [...new Set(values.map(({path}) => path.split('.')[0]!))];

/** Where the authorities of `global.caCertificates` are laid. */
export const caFolder = '/etc/kyverno/ca-certificates';

/** Names, labels and the parts of the Pod that several values go into. */
export function helpersText(): string {
  return `{{- define "kyverno.fullname" -}}
{{ default "kyverno" .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "kyverno.namespace" -}}
{{ default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "kyverno.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- with .Values.customLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "kyverno.config" -}}
{{ default (include "kyverno.fullname" .) .Values.config.name }}
{{- end }}

{{- define "kyverno.metricsConfig" -}}
{{ default (printf "%s-metrics" (include "kyverno.fullname" .)) .Values.metricsConfig.name }}
{{- end }}

{{- define "kyverno.meteringSecret" -}}
{{ include "kyverno.fullname" . }}.{{ include "kyverno.namespace" . }}.metering.kyverno-tls
{{- end }}

{{- define "kyverno.scrapeTls" -}}
{{- $admission := .Values.admissionController }}
{{- $service := printf "%s-svc-metrics.%s.svc" (include "kyverno.fullname" .) (include "kyverno.namespace" .) }}
{{- $own := dict }}
{{- if $admission.metering.existingSecret }}
{{- $own = dict "serverName" $service }}
{{- else if $admission.metering.secure }}
{{- $own = dict "serverName" $service "ca" (dict "secret" (dict "name" (printf "%s-ca" (include "kyverno.meteringSecret" .)) "key" "tls.crt")) }}
{{- end }}
{{- toYaml (default $own $admission.serviceMonitor.tlsConfig) }}
{{- end }}

{{- define "kyverno.image" -}}
{{- $image := .Values.admissionController.container.image }}
{{- $registry := default $image.registry .Values.global.image.registry }}
{{- $tag := default .Chart.AppVersion $image.tag }}
{{- if $registry }}{{ $registry }}/{{ end }}{{ $image.repository }}{{ ternary "@" ":" (hasPrefix "sha256:" $tag) }}{{ $tag }}
{{- end }}

{{- define "kyverno.pullSecrets" -}}
{{- range $name, $_ := .Values.imagePullSecrets }}
- name: {{ $name }}
{{- end }}
{{- range .Values.existingImagePullSecrets }}
- name: {{ . }}
{{- end }}
{{- with .Values.global.imagePullSecrets }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "kyverno.hasCertificates" -}}
{{- if or .Values.global.caCertificates.data .Values.global.caCertificates.volume }}true{{ end }}
{{- end }}

{{- define "kyverno.extraEnv" -}}
{{- with .Values.global.proxy }}
{{- range $name, $value := dict "HTTP_PROXY" .httpProxy "HTTPS_PROXY" .httpsProxy "NO_PROXY" .noProxy }}
{{- with $value }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "kyverno.hasCertificates" . }}
- name: NODE_EXTRA_CA_CERTS
  value: ${caFolder}/ca-certificates.crt
{{- end }}
{{- with .Values.global.extraEnvVars }}
{{ toYaml . }}
{{- end }}
{{- with .Values.admissionController.container.extraEnvVars }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "kyverno.volumes" -}}
{{- if .Values.global.caCertificates.volume }}
- name: ca-certificates
  {{- toYaml .Values.global.caCertificates.volume | nindent 2 }}
{{- else if .Values.global.caCertificates.data }}
- name: ca-certificates
  configMap:
    name: {{ include "kyverno.fullname" . }}-ca-certificates
{{- end }}
{{- end }}

{{- define "kyverno.affinity" -}}
{{- $admission := .Values.admissionController }}
{{- if $admission.podAntiAffinity }}
podAntiAffinity:
  {{- toYaml $admission.podAntiAffinity | nindent 2 }}
{{- else if $admission.antiAffinity.enabled }}
podAntiAffinity:
  {{- include "kyverno.hostAntiAffinity" . | nindent 2 }}
{{- end }}
{{- with $admission.podAffinity }}
podAffinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $admission.nodeAffinity }}
nodeAffinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "kyverno.resourceFilters" -}}
{{- $config := .Values.config }}
{{- $filters := concat (include "kyverno.ownFilters" . | fromYamlArray) $config.resourceFilters $config.resourceFiltersInclude }}
{{- $away := $config.resourceFiltersExclude }}
{{- range $config.resourceFiltersIncludeNamespaces }}{{ $filters = append $filters (printf "[*/*,%s,*]" .) }}{{ end }}
{{- range $config.resourceFiltersExcludeNamespaces }}{{ $away = append $away (printf "[*/*,%s,*]" .) }}{{ end }}
{{- range $filters }}
{{- if not (has . $away) }}
{{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "kyverno.webhooks" -}}
{{- $webhooks := deepCopy .Values.config.webhooks }}
{{- if .Values.config.excludeKyvernoNamespace }}
{{- $selector := default dict $webhooks.namespaceSelector }}
{{- $own := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" (list (include "kyverno.namespace" .)) }}
{{- $_ := set $selector "matchExpressions" (append (default list $selector.matchExpressions) $own) }}
{{- $_ := set $webhooks "namespaceSelector" $selector }}
{{- end }}
{{- toPrettyJson $webhooks }}
{{- end }}

{{- define "kyverno.withoutEffect" -}}
{{- $known := list ${known.map(name => `"${name}"`).join(' ')} }}
{{- range $name, $_ := .Values }}
{{- if and (ne $name "global") (not (has $name $known)) }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end }}

${argsTemplate()}`;
}
