{{- /* Generated from install/source/chart by `npm run generate`; edit there. */}}
{{- define "kyverno.fullname" -}}
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
  value: /etc/kyverno/ca-certificates/ca-certificates.crt
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
{{- $known := list "fullnameOverride" "namespaceOverride" "customLabels" "imagePullSecrets" "existingImagePullSecrets" "global" "crds" "config" "metricsConfig" "features" "admissionController" "backgroundController" "cleanupController" "reportsController" "prometheusRule" "grafana" "openreports" }}
{{- range $name, $_ := .Values }}
{{- if and (ne $name "global") (not (has $name $known)) }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end }}

{{- define "kyverno.args" -}}
{{- $admission := .Values.admissionController }}
{{- if not (kindIs "invalid" (dig "logging" "format" nil $.Values.features)) }}
- --loggingFormat={{ (dig "logging" "format" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "logging" "verbosity" nil $.Values.features)) }}
- --v={{ int (dig "logging" "verbosity" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "admissionReports" "enabled" nil $.Values.features)) }}
- --admissionReports={{ (dig "admissionReports" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "aggregateReports" "enabled" nil $.Values.features)) }}
- --aggregateReports={{ (dig "aggregateReports" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "policyReports" "enabled" nil $.Values.features)) }}
- --policyReports={{ (dig "policyReports" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "validatingAdmissionPolicyReports" "enabled" nil $.Values.features)) }}
- --validatingAdmissionPolicyReports={{ (dig "validatingAdmissionPolicyReports" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "mutatingAdmissionPolicyReports" "enabled" nil $.Values.features)) }}
- --mutatingAdmissionPolicyReports={{ (dig "mutatingAdmissionPolicyReports" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "autoUpdateWebhooks" "enabled" nil $.Values.features)) }}
- --autoUpdateWebhooks={{ (dig "autoUpdateWebhooks" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "dumpPayload" "enabled" nil $.Values.features)) }}
- --dumpPayload={{ (dig "dumpPayload" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "dumpPatches" "enabled" nil $.Values.features)) }}
- --dumpPatches={{ (dig "dumpPatches" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "forceFailurePolicyIgnore" "enabled" nil $.Values.features)) }}
- --forceFailurePolicyIgnore={{ (dig "forceFailurePolicyIgnore" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "generateValidatingAdmissionPolicy" "enabled" nil $.Values.features)) }}
- --generateValidatingAdmissionPolicy={{ (dig "generateValidatingAdmissionPolicy" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "generateMutatingAdmissionPolicy" "enabled" nil $.Values.features)) }}
- --generateMutatingAdmissionPolicy={{ (dig "generateMutatingAdmissionPolicy" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "protectManagedResources" "enabled" nil $.Values.features)) }}
- --protectManagedResources={{ (dig "protectManagedResources" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "backgroundScan" "enabled" nil $.Values.features)) }}
- --backgroundScan={{ (dig "backgroundScan" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "backgroundScan" "backgroundScanWorkers" nil $.Values.features)) }}
- --backgroundScanWorkers={{ int (dig "backgroundScan" "backgroundScanWorkers" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "backgroundScan" "backgroundScanInterval" nil $.Values.features)) }}
- --backgroundScanInterval={{ (dig "backgroundScan" "backgroundScanInterval" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "backgroundScan" "skipResourceFilters" nil $.Values.features)) }}
- --skipResourceFilters={{ (dig "backgroundScan" "skipResourceFilters" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "globalContext" "maxApiCallResponseLength" nil $.Values.features)) }}
- --maxAPICallResponseLength={{ int (dig "globalContext" "maxApiCallResponseLength" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "omitEvents" "eventTypes" nil $.Values.features)) }}
- --omitEvents={{ join "," (dig "omitEvents" "eventTypes" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "policyExceptions" "enabled" nil $.Values.features)) }}
- --enablePolicyException={{ (dig "policyExceptions" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "policyExceptions" "namespace" nil $.Values.features)) }}
- --exceptionNamespace={{ (dig "policyExceptions" "namespace" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "registryClient" "allowInsecure" nil $.Values.features)) }}
- --allowInsecureRegistry={{ (dig "registryClient" "allowInsecure" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "registryClient" "credentialHelpers" nil $.Values.features)) }}
- --registryCredentialHelpers={{ join "," (dig "registryClient" "credentialHelpers" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "ttlController" "reconciliationInterval" nil $.Values.features)) }}
- --ttlReconciliationInterval={{ (dig "ttlController" "reconciliationInterval" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "tuf" "enabled" nil $.Values.features)) }}
- --enableTuf={{ (dig "tuf" "enabled" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "tuf" "root" nil $.Values.features)) }}
- --tufRoot={{ (dig "tuf" "root" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "tuf" "rootRaw" nil $.Values.features)) }}
- --tufRootRaw={{ (dig "tuf" "rootRaw" nil $.Values.features) }}
{{- end }}
{{- if not (kindIs "invalid" (dig "tuf" "mirror" nil $.Values.features)) }}
- --tufMirror={{ (dig "tuf" "mirror" nil $.Values.features) }}
{{- end }}
{{- with .Values.features.reporting }}
{{- $kinds := list }}
{{- range $kind := list "validate" "mutate" "mutateExisting" "imageVerify" "generate" }}
{{- if dig $kind true $.Values.features.reporting }}{{ $kinds = append $kinds $kind }}{{ end }}
{{- end }}
- --enableReporting={{ join "," $kinds }}
{{- end }}
{{- $roles := list "admission" }}
{{- range $duty := list "background" "cleanup" "reports" }}
{{- if (index $.Values (printf "%sController" $duty)).enabled }}{{ $roles = append $roles $duty }}{{ end }}
{{- end }}
{{- if lt (len $roles) 4 }}
- --roles={{ join "," $roles }}
{{- end }}
{{- if ne (int $admission.service.port) 443 }}
- --servicePort={{ int $admission.service.port }}
{{- end }}
{{- with $admission.tlsKeyAlgorithm }}
- --tlsKeyAlgorithm={{ . }}
{{- end }}
{{- if $admission.tracing.enabled }}
- --enableTracing
- --tracingAddress={{ $admission.tracing.address }}
- --tracingPort={{ int $admission.tracing.port }}
{{- with $admission.tracing.creds }}
- --tracingCreds={{ . }}
{{- end }}
{{- end }}
{{- if $admission.profiling.enabled }}
- --profile
- --profilePort={{ int $admission.profiling.port }}
{{- end }}
{{- with $admission.metering }}
{{- if .existingSecret }}
- --metricsTLSSecretName={{ .existingSecret }}
{{- else if .secure }}
- --metricsCASecretName={{ include "kyverno.meteringSecret" $ }}-ca
- --metricsTLSSecretName={{ include "kyverno.meteringSecret" $ }}-pair
{{- end }}
{{- end }}
{{- if .Values.openreports.enabled }}
- --openreportsEnabled
{{- end }}
{{- range $name, $value := $admission.container.extraArgs }}
- --{{ $name }}={{ $value }}
{{- end }}
{{- end }}

{{- define "kyverno.ownFilters" -}}
{{- if .Values.config.excludeKyvernoNamespace }}
- "[*/*,{{ include "kyverno.namespace" . }},*]"
{{- end }}
- "[ClusterRole,*,{{ include "kyverno.fullname" . }}]"
- "[ClusterRole,*,{{ include "kyverno.fullname" . }}:extra]"
- "[ClusterRole,*,{{ include "kyverno.fullname" . }}:generate]"
- "[ClusterRole,*,{{ include "kyverno.fullname" . }}:read]"
- "[ClusterRole,*,{{ include "kyverno.fullname" . }}:rbac:?*]"
- "[ClusterRoleBinding,*,{{ include "kyverno.fullname" . }}]"
- "[ClusterRoleBinding,*,{{ include "kyverno.fullname" . }}:extra]"
- "[ClusterRoleBinding,*,{{ include "kyverno.fullname" . }}:read]"
- "[ClusterRoleBinding,*,{{ include "kyverno.fullname" . }}:view]"
{{- end }}

{{- define "kyverno.hostAntiAffinity" -}}
preferredDuringSchedulingIgnoredDuringExecution:
  - weight: 100
    podAffinityTerm:
      topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels:
          app: kyverno
          app.kubernetes.io/name: kyverno
          app.kubernetes.io/component: operator
{{- end }}
