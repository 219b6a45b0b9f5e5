import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {parseAllDocuments, stringify} from 'yaml';
import {definitions} from '../../install/source/manifest.js';
import {installObjects} from '../../install/source/objects.js';
import {defaultSettings} from '../../install/source/settings.js';
import type {KubeObject} from '../../install/source/types.js';
import {compileResourceFilters} from '../../operator/config/resource-filters.js';
import {parseConfig} from '../../operator/config/config-map.js';
import {parseFlags} from '../../operator/config/flags.js';
import {monitoringFile, type RuleGroups} from '../../scripts/monitoring-files.js';
import {startCluster} from '../cluster/cluster.js';
import {helm} from './programs.js';

const chart = resolve(import.meta.dirname, '../../install/chart');
const run = promisify(execFile);

let program = '';
let folder = '';
beforeAll(async () => {
  [program, folder] = await Promise.all([helm(), mkdtemp(join(tmpdir(), 'helm-'))]);
});
afterAll(() => rm(folder, {recursive: true, force: true}));

type Values = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: what a chart prints has whatever form its values give it.
type Rendered = KubeObject & {readonly [field: string]: any};

async function helmRun(args: readonly string[]): Promise<string> {
  const {stdout} = await run(program, [...args], {maxBuffer: 64 * 1024 * 1024, env: {...process.env, HOME: folder}});
  return stdout;
}

let count = 0;
async function render(values: Values = {}, args: readonly string[] = []): Promise<readonly Rendered[]> {
  const file = join(folder, `values-${count++}.yaml`);
  await writeFile(file, stringify(values));
  const text = await helmRun(['template', 'any', chart, '--namespace', 'kyverno', '--values', file, '--set', 'crds.install=false', ...args]);
  return parseAllDocuments(text)
    .map(document => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Rendered | null;
    })
    .filter(object => object !== null);
}

function find(objects: readonly Rendered[], kind: string, name = 'kyverno'): Rendered {
  const found = objects.find(object => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} among ${objects.map(object => `${object.kind} ${object.metadata.name}`).join(', ')}`);
  return found;
}

const container = (objects: readonly Rendered[], name = 'kyverno') => find(objects, 'Deployment', name)['spec'].template.spec.containers[0];
const releaseLabels = ['app.kubernetes.io/instance', 'app.kubernetes.io/managed-by', 'app.kubernetes.io/version', 'helm.sh/chart'];

/** Without what only a release has, and with the data of ConfigMaps as what they mean. */
function plain(object: KubeObject): Record<string, unknown> {
  const copy = structuredClone(object) as unknown as {kind: string; metadata: {labels?: Record<string, string>; annotations?: Record<string, string>}; data?: Record<string, string>; spec?: {revisionHistoryLimit?: number}};
  for (const label of releaseLabels) delete copy.metadata.labels?.[label];
  if (copy.metadata.annotations?.['helm.sh/resource-policy'] === 'keep') delete copy.metadata.annotations;
  // The API server's own default.
  if (copy.spec?.revisionHistoryLimit === 10) delete copy.spec.revisionHistoryLimit;
  const {data} = copy;
  if (copy.kind !== 'ConfigMap' || data === undefined) return copy as unknown as Record<string, unknown>;
  const meant = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, text.startsWith('{') ? JSON.parse(text) : text.split('\n').sort().join('\n')]));
  return {...copy, data: meant};
}

describe('the chart', () => {
  it('passes helm lint --strict', async () => {
    expect(await helmRun(['lint', '--strict', chart])).toContain('0 chart(s) failed');
  });

  it('is what the manifest is, but for the namespace that helm makes', async () => {
    const rendered = new Map((await render()).map(object => [`${object.kind} ${object.metadata.name}`, plain(object)]));
    const wanted = installObjects(defaultSettings).filter(({kind}) => kind !== 'Namespace');
    expect([...rendered.keys()].sort()).toEqual(wanted.map(({kind, metadata}) => `${kind} ${metadata.name}`).sort());
    for (const object of wanted) expect(rendered.get(`${object.kind} ${object.metadata.name}`)).toEqual(plain(object));
  });

  it('holds the definitions of the manifest', async () => {
    const text = await helmRun(['template', 'any', chart, '--namespace', 'kyverno', '--show-only', 'templates/definitions.yaml']);
    const rendered = parseAllDocuments(text).map(document => document.toJS() as KubeObject | null).filter(object => object !== null);
    const byName = (objects: readonly KubeObject[]) => Object.fromEntries(objects.map(object => [object.metadata.name, plain(object)]));
    expect(rendered.every(({metadata}) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')).toBe(true);
    expect(byName(rendered)).toEqual(byName(definitions()));
  });

  it('fits into the Secret of a release', async () => {
    const {gzipSync} = await import('node:zlib');
    const text = await helmRun(['template', 'any', chart, '--namespace', 'kyverno']);
    // The manifest, and the chart with its files once more; the API server takes 1 MiB, base64 adds a third.
    expect(gzipSync(`${text}${text}`).length * 1.4).toBeLessThan(1024 * 1024);
  });
});

describe('values', () => {
  it('of upstream that mean nothing here are let through and named', async () => {
    const values = {webhooksCleanup: {enabled: true}, reportsServer: {enabled: true}, cleanupController: {replicas: 2}};
    const file = join(folder, 'foreign.yaml');
    await writeFile(file, stringify(values));
    // Notes are for whoever installs: without a cluster helm prints none.
    const cluster = await startCluster({controllerManager: false});
    try {
      const notes = await helmRun(['install', 'any', chart, '--kubeconfig', cluster.kubeconfig, '--dry-run=client', '--namespace', 'kyverno', '--values', file]);
      expect(notes.slice(notes.indexOf('NOTES:'))).toMatch(/mean nothing to this chart:\s+- reportsServer\s+- webhooksCleanup/);
    } finally {
      await cluster.stop();
    }
  });

  it.each([
    ['a misspelt one', {config: {excludeGroup: ['x']}}, 'excludeGroup'],
    ['one of another type', {admissionController: {replicas: 'two'}}, 'replicas'],
    ['no replica at all', {admissionController: {replicas: 0}}, 'replicas'],
    ['a log format that there is not', {features: {logging: {format: 'xml'}}}, 'format'],
  ])('%s is refused', async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  it('keep the operator out of kube-system', async () => {
    await expect(helmRun(['template', 'any', chart, '--namespace', 'kube-system'])).rejects.toThrow('must not be installed in kube-system');
  });

  it('name another namespace and other objects throughout', async () => {
    const objects = await render({fullnameOverride: 'guard', namespaceOverride: 'policies'});
    expect(JSON.stringify(objects)).not.toMatch(/"namespace":"kyverno"/);
    for (const {kind, subjects} of objects.filter(object => object.kind.endsWith('Binding'))) expect(subjects, kind).toEqual([{kind: 'ServiceAccount', name: 'guard', namespace: 'policies'}]);
    const env = find(objects, 'Deployment', 'guard')['spec'].template.spec.containers[0].env as {name: string; value?: string}[];
    expect(Object.fromEntries(env.map(({name, value}) => [name, value]))).toMatchObject({KYVERNO_SVC: 'guard-svc', KYVERNO_DEPLOYMENT: 'guard', INIT_CONFIG: 'guard', METRICS_CONFIG: 'guard-metrics'});
    find(objects, 'Service', 'guard-svc');
    const {config} = parseConfig(find(objects, 'ConfigMap', 'guard')['data']);
    expect(config.webhooks.namespaceSelector?.matchExpressions?.map(({values}) => values)).toEqual([['kube-system'], ['policies']]);
    const isFiltered = compileResourceFilters(config.resourceFilters);
    expect(isFiltered({group: '', version: 'v1', kind: 'Pod', subResource: '', namespace: 'policies', name: 'x'})).toBe(true);
  });

  it('of features become flags that the operator takes', async () => {
    const features = {
      logging: {format: 'json', verbosity: 4},
      admissionReports: {enabled: false},
      backgroundScan: {enabled: true, backgroundScanWorkers: 4, backgroundScanInterval: '2h', skipResourceFilters: false},
      omitEvents: {eventTypes: ['PolicyApplied', 'PolicySkipped']},
      policyExceptions: {enabled: true, namespace: '*'},
      reporting: {mutate: false},
      protectManagedResources: {enabled: true},
      globalContext: {maxApiCallResponseLength: 2000000},
      ttlController: {reconciliationInterval: '5m'},
    };
    const {args} = container(
      await render({
        features,
        reportsController: {enabled: false},
        openreports: {enabled: true},
        admissionController: {tlsKeyAlgorithm: 'ECDSA', service: {port: 8443}, tracing: {enabled: true, address: 'collector', port: 4317}, profiling: {enabled: true}, container: {extraArgs: {webhookTimeout: 15}}},
      }),
    );
    const outcome = parseFlags(args, {});
    if ('error' in outcome) throw new Error(outcome.error);
    const {flags} = outcome;
    expect(flags).toMatchObject({
      loggingFormat: 'json',
      v: 4,
      admissionReports: false,
      backgroundScanWorkers: 4,
      backgroundScanInterval: 7_200_000,
      skipResourceFilters: false,
      exceptionNamespace: '*',
      protectManagedResources: true,
      maxAPICallResponseLength: 2_000_000,
      ttlReconciliationInterval: 300_000,
      tlsKeyAlgorithm: 'ECDSA',
      servicePort: 8443,
      enableTracing: true,
      tracingAddress: 'collector',
      profile: true,
      openreportsEnabled: true,
      webhookTimeout: 15,
    });
    expect([...flags.roles]).toEqual(['admission', 'background', 'cleanup']);
    expect([...flags.omitEvents]).toEqual(['PolicyApplied', 'PolicySkipped']);
    expect([...flags.enableReporting]).not.toContain('mutate');
  });

  it('of config reach the ConfigMap', async () => {
    const objects = await render({
      config: {
        excludeGroups: ['system:nodes', 'ops'],
        excludeUsernames: ['ann'],
        resourceFiltersInclude: ['[Lease,*,*]'],
        resourceFiltersExclude: ['[Event,*,*]'],
        resourceFiltersIncludeNamespaces: ['openshift-*'],
        resourceFiltersExcludeNamespaces: ['kube-public'],
        matchConditions: [{name: 'a', expression: '!("system:nodes" in request.userInfo.groups)'}],
        webhookLabels: {a: 'b'},
        maxContextSize: '4Mi',
        preserve: true,
      },
    });
    const map = find(objects, 'ConfigMap');
    expect(map.metadata.annotations).toEqual({'helm.sh/resource-policy': 'keep'});
    const {config, problems} = parseConfig(map['data']);
    expect(problems).toEqual([]);
    expect(config.userExclusions.groups).toEqual(['system:nodes', 'ops']);
    expect(config.matchConditions).toHaveLength(1);
    const filters = (map['data'].resourceFilters as string).split('\n');
    expect(filters).toEqual(expect.arrayContaining(['[Lease,*,*]', '[*/*,openshift-*,*]', '[*/*,kyverno,*]']));
    expect(filters).not.toEqual(expect.arrayContaining(['[Event,*,*]']));
    expect(filters).not.toContain('[*/*,kube-public,*]');
  });

  it('add what large, closed and crowded clusters need', async () => {
    const objects = await render({
      customLabels: {team: 'platform'},
      imagePullSecrets: {regcred: {registry: 'registry.example.org', username: 'u', password: 'p'}},
      existingImagePullSecrets: ['there'],
      global: {
        image: {registry: 'registry.example.org'},
        caCertificates: {data: '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----'},
        proxy: {httpsProxy: 'http://proxy:3128', noProxy: '.svc,10.0.0.0/8'},
        tolerations: [{key: 'infra', operator: 'Exists'}],
      },
      admissionController: {
        replicas: 3,
        priorityClassName: 'system-cluster-critical',
        podLabels: {a: 'b'},
        podAnnotations: {c: 'd'},
        nodeSelector: {infra: 'true'},
        nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}},
        topologySpreadConstraints: [{maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule'}],
        podDisruptionBudget: {minAvailable: '50%'},
        autoscaling: {enabled: true, maxReplicas: 9},
        serviceMonitor: {enabled: true, namespace: 'monitoring', additionalLabels: {release: 'prometheus'}, secure: true, tlsConfig: {insecureSkipVerify: true}},
        service: {ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4']},
        rbac: {createViewRoleBinding: false, createReadRoleBinding: false, serviceAccount: {annotations: {role: 'x'}}},
        container: {image: {tag: `sha256:${'a'.repeat(64)}`}, resources: {limits: {cpu: '1', memory: '1Gi'}}, extraEnvVars: [{name: 'X', value: 'more'}]},
      },
      backgroundController: {rbac: {clusterRole: {extraResources: [{apiGroups: [''], resources: ['secrets'], verbs: ['create']}]}}},
    });
    const {spec} = find(objects, 'Deployment')['spec'].template;
    expect(find(objects, 'Deployment')['spec']).not.toHaveProperty('replicas');
    expect(spec).toMatchObject({
      priorityClassName: 'system-cluster-critical',
      nodeSelector: {infra: 'true'},
      tolerations: [{key: 'infra', operator: 'Exists'}],
      imagePullSecrets: [{name: 'regcred'}, {name: 'there'}],
      topologySpreadConstraints: [{topologyKey: 'rack'}],
    });
    expect(Object.keys(spec.affinity).sort()).toEqual(['nodeAffinity', 'podAntiAffinity']);
    const {image, env, volumeMounts, resources} = container(objects);
    expect(image).toBe(`registry.example.org/kyverno-ts@sha256:${'a'.repeat(64)}`);
    expect(resources.limits).toEqual({cpu: '1', memory: '1Gi'});
    expect(env).toEqual(
      expect.arrayContaining([
        {name: 'HTTPS_PROXY', value: 'http://proxy:3128'},
        {name: 'NO_PROXY', value: '.svc,10.0.0.0/8'},
        {name: 'NODE_EXTRA_CA_CERTS', value: '/etc/kyverno/ca-certificates/ca-certificates.crt'},
        {name: 'X', value: 'more'},
      ]),
    );
    expect(volumeMounts.map(({name}: {name: string}) => name)).toEqual(spec.volumes.map(({name}: {name: string}) => name));
    expect(find(objects, 'ConfigMap', 'kyverno-ca-certificates')['data']['ca-certificates.crt']).toContain('BEGIN CERTIFICATE');
    expect(JSON.parse(Buffer.from(find(objects, 'Secret', 'regcred')['data']['.dockerconfigjson'], 'base64').toString())).toEqual({auths: {'registry.example.org': {username: 'u', password: 'p', auth: Buffer.from('u:p').toString('base64')}}});
    expect(find(objects, 'PodDisruptionBudget')['spec']).toMatchObject({minAvailable: '50%'});
    expect(find(objects, 'PodDisruptionBudget')['spec']).not.toHaveProperty('maxUnavailable');
    expect(find(objects, 'HorizontalPodAutoscaler')['spec']).toMatchObject({minReplicas: 2, maxReplicas: 9});
    expect(find(objects, 'ServiceMonitor')).toMatchObject({metadata: {namespace: 'monitoring', labels: {release: 'prometheus'}}, spec: {endpoints: [{scheme: 'https', tlsConfig: {insecureSkipVerify: true}}]}});
    expect(find(objects, 'Service', 'kyverno-svc')['spec']).toMatchObject({ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4']});
    expect(find(objects, 'ClusterRole', 'kyverno:background:additional')).toMatchObject({metadata: {labels: {'rbac.kyverno.io/aggregate-to-background-controller': 'true', team: 'platform'}}, rules: [{resources: ['secrets']}]});
    expect(objects.some(({kind}) => kind === 'PriorityClass')).toBe(false);
    const bindings = objects.filter(({kind}) => kind === 'ClusterRoleBinding').map(({metadata}) => metadata.name);
    expect(bindings.sort()).toEqual(['kyverno', 'kyverno:extra']);
  });

  it('of metering serve metrics by HTTPS, and scrapes trust the CA that is made for them', async () => {
    const serviceMonitor = {enabled: true};
    const flagsOf = (objects: readonly Rendered[]) => {
      const outcome = parseFlags(container(objects, 'guard').args, {});
      if ('error' in outcome) throw new Error(outcome.error);
      return outcome.flags;
    };
    const endpointOf = (objects: readonly Rendered[]) => find(objects, 'ServiceMonitor', 'guard')['spec'].endpoints[0];
    const open = await render({fullnameOverride: 'guard', admissionController: {serviceMonitor}});
    expect(flagsOf(open)).toMatchObject({metricsCASecretName: '', metricsTLSSecretName: ''});
    expect(endpointOf(open)).not.toHaveProperty('scheme');
    const own = await render({fullnameOverride: 'guard', admissionController: {serviceMonitor, metering: {secure: true}}});
    expect(flagsOf(own)).toMatchObject({metricsCASecretName: 'guard.kyverno.metering.kyverno-tls-ca', metricsTLSSecretName: 'guard.kyverno.metering.kyverno-tls-pair'});
    expect(endpointOf(own)).toMatchObject({
      scheme: 'https',
      tlsConfig: {serverName: 'guard-svc-metrics.kyverno.svc', ca: {secret: {name: 'guard.kyverno.metering.kyverno-tls-ca', key: 'tls.crt'}}},
    });
    find(own, 'Service', 'guard-svc-metrics');
    const theirs = await render({fullnameOverride: 'guard', admissionController: {serviceMonitor, metering: {existingSecret: 'theirs'}}});
    expect(flagsOf(theirs)).toMatchObject({metricsCASecretName: '', metricsTLSSecretName: 'theirs'});
    expect(endpointOf(theirs)).toMatchObject({scheme: 'https', tlsConfig: {serverName: 'guard-svc-metrics.kyverno.svc'}});
  });

  it('bring rules and dashboard as they are in monitoring/', async () => {
    const objects = await render({prometheusRule: {enabled: true, namespace: 'monitoring', additionalLabels: {release: 'prometheus'}}, grafana: {enabled: true, annotations: {folder: 'Policies'}}});
    const rule = find(objects, 'PrometheusRule');
    expect(rule).toMatchObject({apiVersion: 'monitoring.coreos.com/v1', metadata: {namespace: 'monitoring', labels: {release: 'prometheus', 'app.kubernetes.io/part-of': 'kyverno'}}});
    expect(rule['spec'].groups).toEqual(monitoringFile<RuleGroups>('rules.yaml').groups);
    const map = find(objects, 'ConfigMap', 'kyverno-grafana');
    expect(map.metadata).toMatchObject({namespace: 'kyverno', labels: {grafana_dashboard: '1'}, annotations: {folder: 'Policies'}});
    expect(JSON.parse(map['data']['kyverno.json'])).toEqual(monitoringFile('grafana-dashboard.json'));
  });

  it('of a single replica make no budget', async () => {
    expect((await render({admissionController: {replicas: 1}})).some(({kind}) => kind === 'PodDisruptionBudget')).toBe(false);
  });

  it('leave a ConfigMap to others', async () => {
    const objects = await render({config: {create: false, name: 'theirs'}, metricsConfig: {create: false}});
    expect(objects.some(({kind}) => kind === 'ConfigMap')).toBe(false);
    expect(container(objects).env).toEqual(expect.arrayContaining([{name: 'INIT_CONFIG', value: 'theirs'}]));
  });
});
