import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parseAllDocuments} from 'yaml';
import {defaultConfig, parseConfig} from '../../operator/config/config-map.js';
import {readEnvironment} from '../../operator/config/environment.js';
import {parseFlags} from '../../operator/config/flags.js';
import {compileResourceFilters} from '../../operator/config/resource-filters.js';
import {parseMetricsConfig} from '../../operator/telemetry/metrics-config.js';
import {manifestText} from './manifest.js';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'install/manifest.yaml'), 'utf8');

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

interface Container {
  name: string;
  image: string;
  command: string[];
  args: string[];
  env: {name: string; value?: string}[];
  ports: {name: string; containerPort: number}[];
  securityContext: Record<string, unknown>;
  volumeMounts: {name: string; mountPath: string}[];
}

interface Install {
  kind: string;
  metadata: {name: string; namespace?: string; labels: Record<string, string>};
  data: Record<string, string>;
  rules: Rule[];
  subjects: object[];
  aggregationRule: {clusterRoleSelectors: {matchLabels: Record<string, string>}[]};
  spec: {
    selector: {matchLabels: Record<string, string>} & Record<string, string>;
    ports: {port: number; targetPort: string}[];
    replicas: number;
    strategy: {rollingUpdate: object};
    template: {
      metadata: {labels: Record<string, string>};
      spec: {serviceAccountName: string; containers: Container[]; securityContext: object; volumes: {name: string}[]};
    };
  };
}

const everything = parseAllDocuments(text).map(document => document.toJS() as Install);
const objects = everything.filter(object => object.kind !== 'CustomResourceDefinition');

/** `kyverno.io_policies.yaml` holds `policies.kyverno.io`. */
function nameOfFile(file: string): string {
  const [group, plural] = file.replace(/\.yaml$/, '').split('_');
  return `${plural}.${group}`;
}

function find(kind: string, name = 'kyverno'): Install {
  const found = objects.find(object => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

const deployment = find('Deployment');
const container = deployment.spec.template.spec.containers[0]!;

describe('the manifest', () => {
  it('is what `npm run generate` writes', () => {
    expect(text).toBe(manifestText());
  });

  it('begins with every definition', () => {
    const definitions = everything.slice(0, everything.length - objects.length);
    expect(definitions.every(object => object.kind === 'CustomResourceDefinition')).toBe(true);
    const files = readdirSync(join(root, 'crds')).filter(name => name.endsWith('.yaml'));
    expect(definitions.map(object => object.metadata.name).sort()).toEqual(files.map(nameOfFile).sort());
  });

  it('fits into the annotation of a client-side apply, object by object', () => {
    for (const object of everything) expect(JSON.stringify(object).length, object.metadata.name).toBeLessThan(262_144);
  });

  it('hold the objects that users look for by name', () => {
    const names = objects.map(object => `${object.kind} ${object.metadata.name}`);
    expect(names).toEqual([
      'Namespace kyverno',
      'PriorityClass kyverno',
      'ServiceAccount kyverno',
      'ClusterRole kyverno',
      'ClusterRoleBinding kyverno',
      'Role kyverno',
      'RoleBinding kyverno',
      'ClusterRole kyverno:extra',
      'ClusterRoleBinding kyverno:extra',
      'ClusterRole kyverno:generate',
      'ClusterRole kyverno:read',
      'ClusterRoleBinding kyverno:read',
      'ClusterRoleBinding kyverno:view',
      ...['admin', 'view'].flatMap(who =>
        ['policies', 'policyreports', 'reports', 'updaterequests'].map(
          what => `ClusterRole kyverno:rbac:${who}:${what}`,
        ),
      ),
      'ConfigMap kyverno',
      'ConfigMap kyverno-metrics',
      'Service kyverno-svc',
      'Service kyverno-svc-metrics',
      'NetworkPolicy kyverno',
      'Deployment kyverno',
      'PodDisruptionBudget kyverno',
    ]);
  });

  it('never carry the label that marks generated objects', () => {
    for (const object of objects) expect(object.metadata.labels).not.toHaveProperty(['app.kubernetes.io/managed-by']);
  });

  it('select the Pods of the Deployment', () => {
    const {labels} = deployment.spec.template.metadata;
    expect(labels['app']).toBe('kyverno');
    expect(labels).toMatchObject(deployment.spec.selector.matchLabels);
    expect(labels).toMatchObject(find('PodDisruptionBudget').spec.selector.matchLabels);
    for (const name of ['kyverno-svc', 'kyverno-svc-metrics'])
      expect(labels).toMatchObject(find('Service', name).spec.selector);
  });

  it('lead the Services to ports of the container', () => {
    const services = ['kyverno-svc', 'kyverno-svc-metrics'].map(name => find('Service', name).spec.ports[0]!);
    const ports = new Map(container.ports.map(port => [port.name, port.containerPort]));
    expect(services.map(({port, targetPort}) => [port, ports.get(targetPort)])).toEqual([
      [443, 9443],
      [8000, 8000],
    ]);
  });

  it('grant no wildcard and no write to what users write', () => {
    for (const rule of [...find('ClusterRole').rules, ...find('Role').rules]) {
      expect([...rule.apiGroups, ...rule.resources, ...rule.verbs]).not.toContain('*');
      const isPolicy = rule.apiGroups.some(group => group.endsWith('kyverno.io'));
      const isStatus = rule.resources.every(resource => resource.endsWith('/status'));
      // Its own notes on work, in its own namespace.
      const isWork = rule.resources.every(resource => resource.startsWith('updaterequests'));
      const isReport = rule.apiGroups.includes('reports.kyverno.io');
      if (isPolicy && !isStatus && !isWork && !isReport) expect(rule.verbs).toEqual(['get', 'list', 'watch']);
    }
  });
});

/** Verb, group/resource: what the operator asks the API server for, as the code stands. */
const clusterNeeds = [
  ['get list watch', 'kyverno.io/clusterpolicies kyverno.io/policies kyverno.io/policyexceptions'],
  [
    'update patch',
    'kyverno.io/clusterpolicies/status kyverno.io/policies/status kyverno.io/globalcontextentries/status',
  ],
  ['list watch', 'policies.kyverno.io/validatingpolicies policies.kyverno.io/namespaceddeletingpolicies'],
  ['update', 'policies.kyverno.io/validatingpolicies/status policies.kyverno.io/namespaceddeletingpolicies/status'],
  [
    'get list watch create update delete deletecollection',
    'admissionregistration.k8s.io/validatingwebhookconfigurations admissionregistration.k8s.io/mutatingwebhookconfigurations',
  ],
  [
    'get list watch create update delete',
    'admissionregistration.k8s.io/validatingadmissionpolicies admissionregistration.k8s.io/validatingadmissionpolicybindings admissionregistration.k8s.io/mutatingadmissionpolicies admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  ],
  [
    'get list watch create update delete',
    'wgpolicyk8s.io/policyreports wgpolicyk8s.io/clusterpolicyreports openreports.io/reports openreports.io/clusterreports reports.kyverno.io/ephemeralreports reports.kyverno.io/clusterephemeralreports',
  ],
  ['update', 'kyverno.io/cleanuppolicies/status kyverno.io/clustercleanuppolicies/status'],
  ['get list watch', '/namespaces /configmaps apiextensions.k8s.io/customresourcedefinitions'],
  ['list watch', 'rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/clusterrolebindings'],
  ['get list watch', 'operator.kyverno-ts.io/kyvernoconfigurations'],
  ['get update', 'operator.kyverno-ts.io/kyvernoconfigurations/status'],
  ['create patch', 'events.k8s.io/events /events'],
  ['create', 'authorization.k8s.io/subjectaccessreviews'],
] as const;
const namespaceNeeds = [
  ['get list watch create update', '/secrets coordination.k8s.io/leases'],
  ['delete', 'coordination.k8s.io/leases'],
  ['get', 'apps/deployments'],
  ['list', 'discovery.k8s.io/endpointslices'],
] as const;

function allows(rules: readonly Rule[], verb: string, target: string): boolean {
  const slash = target.indexOf('/');
  const [group, resource] = [target.slice(0, slash), target.slice(slash + 1)];
  return rules.some(
    rule => rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb),
  );
}

describe('the roles', () => {
  const rows = [
    ...clusterNeeds.map(([verbs, targets]) => ['ClusterRole', verbs, targets] as const),
    ...namespaceNeeds.map(([verbs, targets]) => ['Role', verbs, targets] as const),
  ];
  it.each(rows)('%s allows %s on %s', (kind, verbs, targets) => {
    for (const verb of verbs.split(' ')) {
      for (const target of targets.split(' '))
        expect(allows(find(kind).rules, verb, target), `${verb} ${target}`).toBe(true);
    }
  });

  it('read built-in kinds by name, and no Secrets', () => {
    const {rules} = find('ClusterRole', 'kyverno:read');
    for (const target of ['/pods', '/nodes', 'apps/deployments', 'rbac.authorization.k8s.io/clusterroles', 'storage.k8s.io/storageclasses'])
      expect(allows(rules, 'list', target), target).toBe(true);
    for (const rule of rules) {
      expect(rule.verbs).toEqual(['get', 'list', 'watch']);
      expect(rule.resources.filter(resource => /[*/]|^secrets$/.test(resource))).toEqual([]);
      expect(rule.apiGroups.every(group => !group.includes('.') || group.endsWith('.k8s.io'))).toBe(true);
    }
  });

  it('let nobody but the operator read Secrets, and only in its namespace', () => {
    const readers = objects.filter(({rules = []}) => rules.some(rule => rule.resources.some(name => /^(secrets|\*)$/.test(name))));
    expect(readers.map(({kind, metadata}) => `${kind} ${metadata.name}`)).toEqual(['Role kyverno']);
  });

  it('are bound to the ServiceAccount of the Deployment', () => {
    for (const binding of objects.filter(object => object.kind.endsWith('RoleBinding'))) {
      expect(binding.subjects).toEqual([{kind: 'ServiceAccount', name: 'kyverno', namespace: 'kyverno'}]);
    }
    expect(deployment.spec.template.spec.serviceAccountName).toBe('kyverno');
  });

  it('take the rights of every label that upstream knows', () => {
    const parts = ['admission', 'background', 'cleanup', 'reports'];
    expect(find('ClusterRole', 'kyverno:extra').aggregationRule.clusterRoleSelectors).toEqual([
      ...parts.map(name => ({matchLabels: {[`rbac.kyverno.io/aggregate-to-${name}-controller`]: 'true'}})),
      ...parts.map(name => ({
        matchLabels: {
          'app.kubernetes.io/component': `${name}-controller`,
          'app.kubernetes.io/instance': 'kyverno',
          'app.kubernetes.io/part-of': 'kyverno',
        },
      })),
    ]);
  });
});

describe('the Deployment', () => {
  it('rolls without a gap', () => {
    expect(deployment.spec.replicas).toBe(2);
    expect(deployment.spec.strategy.rollingUpdate).toEqual({maxUnavailable: 0, maxSurge: 1});
  });

  it('has one container, named for kubectl logs', () => {
    expect(deployment.spec.template.spec.containers.map(each => each.name)).toEqual(['kyverno']);
  });

  it('runs the version of this package', () => {
    const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
    expect(container.image).toMatch(new RegExp(`:${version.replaceAll('.', '\\.')}$`));
  });

  it('has arguments that the operator takes, flags alone', () => {
    expect(container.command).toEqual(['kyverno', 'operator']);
    expect(parseFlags(container.args, {})).toMatchObject({flags: {loggingFormat: 'text', v: 2}, withoutEffect: []});
  });

  it('has an environment that names its own objects', () => {
    const values = Object.fromEntries(container.env.map(each => [each.name, each.value]));
    expect(readEnvironment(values)).toMatchObject({deployment: deployment.metadata.name, serviceName: 'kyverno-svc'});
    expect(Object.keys(values)).toEqual(expect.arrayContaining(['KYVERNO_NAMESPACE', 'KYVERNO_POD_NAME']));
  });

  it('writes to empty folders alone', () => {
    const {volumes} = deployment.spec.template.spec;
    expect(volumes.every(volume => Object.hasOwn(volume, 'emptyDir'))).toBe(true);
    expect(container.volumeMounts.map(({name}) => name)).toEqual(volumes.map(({name}) => name));
    expect(container.volumeMounts.map(({mountPath}) => mountPath)).toContain(container.env.find(({name}) => name === 'HOME')?.value);
  });

  it('is restricted and leaves user ids to the cluster', () => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: {drop: ['ALL']},
      seccompProfile: {type: 'RuntimeDefault'},
    });
    expect(deployment.spec.template.spec.securityContext).not.toHaveProperty('runAsUser');
  });
});

describe('the ConfigMap of metrics', () => {
  it('is read without a problem', () => {
    expect(parseMetricsConfig(find('ConfigMap', 'kyverno-metrics').data).problems).toEqual([]);
  });
});

describe('the ConfigMap', () => {
  const {config, problems} = parseConfig(find('ConfigMap').data);

  it('is read without a problem', () => {
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      updateRequestThreshold: defaultConfig.updateRequestThreshold,
      defaultRegistry: 'docker.io',
    });
    expect(config.userExclusions.groups).toEqual(['system:nodes']);
  });

  it('keeps the API server from asking about system namespaces and our own', () => {
    expect(config.webhooks.namespaceSelector?.matchExpressions).toEqual([
      {key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system']},
      {key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kyverno']},
    ]);
  });

  const isFiltered = compileResourceFilters(config.resourceFilters);
  it.each([
    ['a Node', {kind: 'Node'}, true],
    ['the status of a Node', {kind: 'Node', subResource: 'status'}, true],
    ['a Pod of kube-system', {kind: 'Pod', namespace: 'kube-system'}, true],
    ['the Namespace kube-system', {kind: 'Namespace', name: 'kube-system'}, true],
    ['our own Deployment', {kind: 'Deployment', group: 'apps', namespace: 'kyverno', name: 'kyverno'}, true],
    ['our own ClusterRole', {kind: 'ClusterRole', group: 'rbac.authorization.k8s.io', name: 'kyverno'}, true],
    ['our own grants', {kind: 'ClusterRoleBinding', group: 'rbac.authorization.k8s.io', name: 'kyverno:read'}, true],
    ['a Pod', {kind: 'Pod', namespace: 'team'}, false],
    ['another ClusterRole', {kind: 'ClusterRole', group: 'rbac.authorization.k8s.io', name: 'team'}, false],
    ['a Namespace', {kind: 'Namespace', name: 'team'}, false],
  ])('filters %s: %#', (_, request, expected) => {
    expect(isFiltered({group: '', version: 'v1', subResource: '', namespace: '', name: 'x', ...request})).toBe(
      expected,
    );
  });
});
