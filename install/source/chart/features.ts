/** A value of the chart that is a flag of the operator. Absent in the values: the flag is not given, and its default holds. */
export interface Feature {
  /** Below `features`. */
  readonly path: readonly [string, string];
  readonly flag: string;
  readonly type: 'boolean' | 'string' | 'integer' | 'list';
  /** For the schema. */
  readonly choices?: readonly string[];
}

const switches = [
  'admissionReports',
  'aggregateReports',
  'policyReports',
  'validatingAdmissionPolicyReports',
  'mutatingAdmissionPolicyReports',
  'autoUpdateWebhooks',
  'dumpPayload',
  'dumpPatches',
  'forceFailurePolicyIgnore',
  'generateValidatingAdmissionPolicy',
  'generateMutatingAdmissionPolicy',
  'protectManagedResources',
];

export const features: readonly Feature[] = [
  {path: ['logging', 'format'], flag: 'loggingFormat', type: 'string', choices: ['text', 'json']},
  {path: ['logging', 'verbosity'], flag: 'v', type: 'integer'},
  ...switches.map((name): Feature => ({path: [name, 'enabled'], flag: name, type: 'boolean'})),
  {path: ['backgroundScan', 'enabled'], flag: 'backgroundScan', type: 'boolean'},
  {path: ['backgroundScan', 'backgroundScanWorkers'], flag: 'backgroundScanWorkers', type: 'integer'},
  {path: ['backgroundScan', 'backgroundScanInterval'], flag: 'backgroundScanInterval', type: 'string'},
  {path: ['backgroundScan', 'skipResourceFilters'], flag: 'skipResourceFilters', type: 'boolean'},
  {path: ['globalContext', 'maxApiCallResponseLength'], flag: 'maxAPICallResponseLength', type: 'integer'},
  {path: ['omitEvents', 'eventTypes'], flag: 'omitEvents', type: 'list'},
  {path: ['policyExceptions', 'enabled'], flag: 'enablePolicyException', type: 'boolean'},
  {path: ['policyExceptions', 'namespace'], flag: 'exceptionNamespace', type: 'string'},
  {path: ['registryClient', 'allowInsecure'], flag: 'allowInsecureRegistry', type: 'boolean'},
  {path: ['registryClient', 'credentialHelpers'], flag: 'registryCredentialHelpers', type: 'list'},
  {path: ['ttlController', 'reconciliationInterval'], flag: 'ttlReconciliationInterval', type: 'string'},
  {path: ['tuf', 'enabled'], flag: 'enableTuf', type: 'boolean'},
  {path: ['tuf', 'root'], flag: 'tufRoot', type: 'string'},
  {path: ['tuf', 'rootRaw'], flag: 'tufRootRaw', type: 'string'},
  {path: ['tuf', 'mirror'], flag: 'tufMirror', type: 'string'},
];

/** What upstream's chart has as a switch per kind of result. */
export const reportingKinds = ['validate', 'mutate', 'mutateExisting', 'imageVerify', 'generate'] as const;

/** The container's arguments, one list item a line. */
export function argsTemplate(): string {
  const lines = features.map(({path: [topic, key], flag, type}) => {
    const given = `(dig "${topic}" "${key}" nil $.Values.features)`;
    const written = type === 'list' ? `{{ join "," ${given} }}` : `{{ ${type === 'integer' ? `int ${given}` : given} }}`;
    return `{{- if not (kindIs "invalid" ${given}) }}\n- --${flag}=${written}\n{{- end }}`;
  });
  return `{{- define "kyverno.args" -}}
{{- $admission := .Values.admissionController }}
${lines.join('\n')}
{{- with .Values.features.reporting }}
{{- $kinds := list }}
{{- range $kind := list ${reportingKinds.map(kind => `"${kind}"`).join(' ')} }}
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
`;
}
