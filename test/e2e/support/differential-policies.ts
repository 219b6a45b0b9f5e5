import type {Thing} from './policies.js';

interface Named {
  readonly name: string;
  readonly expression: string;
}

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
}

export interface Judging {
  readonly matchConditions?: readonly Named[];
  readonly variables?: readonly Named[];
  readonly validations: readonly Validation[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
}

/** One policy that four judges are asked about. */
export interface DifferentialPolicy {
  readonly name: string;
  readonly resource: {readonly group: string; readonly version: string; readonly resource: string};
  readonly spec: Judging;
  /** As somebody writes it by hand for the API server; the same expressions when absent. */
  readonly native?: Judging;
  /** `spec` of exceptions of the policy. */
  readonly exceptions?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  /** Objects that it takes, and that it refuses, without labels; others are made from them. */
  readonly taken: readonly Thing[];
  readonly refused: readonly Thing[];
}

const core = (resource: string) => ({group: '', version: 'v1', resource});
const apps = (resource: string) => ({group: 'apps', version: 'v1', resource});

function object(apiVersion: string, kind: string, rest: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> = {}): Thing {
  return {apiVersion, kind, metadata: {name: 'base', ...metadata}, ...rest} as Thing;
}

const map = (data: Readonly<Record<string, string>> | undefined, metadata: Readonly<Record<string, unknown>> = {}) => object('v1', 'ConfigMap', data === undefined ? {} : {data}, metadata);

function deployment({replicas = 3, container = {}, pod = {}, metadata = {}}: {replicas?: number; container?: object; pod?: object; metadata?: Readonly<Record<string, unknown>>}): Thing {
  const labels = {app: 'base'};
  const spec = {containers: [{name: 'main', image: 'registry.example.org/shop/web:1.2', ...container}], ...pod};
  return object('apps/v1', 'Deployment', {spec: {replicas, selector: {matchLabels: labels}, template: {metadata: {labels}, spec}}}, metadata);
}

const service = (type: string, ports: ReadonlyArray<readonly [string, number]>) =>
  object('v1', 'Service', {spec: {type, selector: {app: 'base'}, ports: ports.map(([name, port]) => ({name, port, protocol: 'TCP'}))}});

function ingress(hosts: readonly string[], tls: boolean): Thing {
  const paths = [{path: '/', pathType: 'Prefix', backend: {service: {name: 'web', port: {number: 80}}}}];
  return object('networking.k8s.io/v1', 'Ingress', {spec: {...(tls && {tls: [{hosts: [...hosts], secretName: 'web-tls'}]}), rules: hosts.map(host => ({host, http: {paths}}))}});
}

const networkPolicy = (cidrs: readonly string[], types: readonly string[]) =>
  object('networking.k8s.io/v1', 'NetworkPolicy', {spec: {podSelector: {}, policyTypes: [...types], egress: [{to: cidrs.map(cidr => ({ipBlock: {cidr}}))}]}});

const roleBinding = (role: string, groups: readonly string[]) =>
  object('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role},
    subjects: groups.map(name => ({kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name})),
  });

const cronJob = (schedule: string, concurrencyPolicy: string, suspend: boolean) =>
  object('batch/v1', 'CronJob', {
    spec: {schedule, concurrencyPolicy, suspend, jobTemplate: {spec: {template: {spec: {restartPolicy: 'Never', containers: [{name: 'main', image: 'example.org/job:1'}]}}}}},
  });

const scaler = (minReplicas: number, maxReplicas: number, utilization: number) =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: {apiVersion: 'apps/v1', kind: 'Deployment', name: 'web'},
      minReplicas,
      maxReplicas,
      metrics: [{type: 'Resource', resource: {name: 'cpu', target: {type: 'Utilization', averageUtilization: utilization}}}],
    },
  });

export const differentialPolicies: readonly DifferentialPolicy[] = [
  {
    name: 'team-labels',
    resource: core('configmaps'),
    spec: {
      validations: [
        {expression: "has(object.metadata.labels) && 'team' in object.metadata.labels && object.metadata.labels['team'] in ['web', 'data', 'ops']", message: 'unknown team'},
        {expression: "object.metadata.?labels[?'tier'].orValue('none') != 'gold'", messageExpression: "'tier of ' + object.metadata.name"},
      ],
    },
    taken: [map({a: 'b'}, {labels: {team: 'web'}}), map({}, {labels: {team: 'ops', tier: 'none'}})],
    refused: [map({a: 'b'}, {labels: {team: 'nobody'}}), map({}, {labels: {team: 'data', tier: 'gold'}}), map({a: 'b'})],
  },
  {
    name: 'data-shape',
    resource: core('configmaps'),
    spec: {
      variables: [{name: 'entries', expression: 'has(object.data) ? object.data : {}'}],
      validations: [
        {expression: "variables.entries.all(key, key.matches('^[a-z][a-z0-9.-]*$'))"},
        {expression: 'size(variables.entries) <= 3'},
        {expression: "!('password' in variables.entries) && variables.entries.all(key, !variables.entries[key].contains('secret'))"},
      ],
    },
    taken: [map({a: 'one', 'b.c': 'two'}), map({mode: 'fast'}), map(undefined)],
    refused: [map({password: 'x'}), map({a: 'my secret', b: 'x'}), map({a: '1', b: '2', c: '3', d: '4'}), map({Upper: 'x'})],
  },
  {
    name: 'errors-refuse',
    resource: core('configmaps'),
    spec: {
      matchConditions: [{name: 'not-exempt', expression: "object.metadata.?annotations.?exempt.orValue('no') != 'yes'"}],
      validations: [{expression: "object.data.mode == 'strict' || int(object.data.level) > 3"}],
    },
    taken: [map({mode: 'strict'}), map({mode: 'loose', level: '7'}), map({mode: 'loose'}, {annotations: {exempt: 'yes'}})],
    refused: [map({mode: 'loose', level: '1'}), map({level: '9'}), map({mode: 'loose', level: 'high'}, {annotations: {exempt: 'no'}})],
  },
  {
    name: 'errors-pass',
    resource: core('configmaps'),
    spec: {
      failurePolicy: 'Ignore',
      validations: [{expression: "object.data.mode != 'broken' && object.data.level != '0'"}, {expression: "!object.data.mode.startsWith('un')"}],
    },
    taken: [map({level: '1'}), map({mode: 'fine', level: '3'}), map(undefined)],
    refused: [map({mode: 'broken'}), map({mode: 'fine', level: '0'}), map({mode: 'unsafe', level: '1'})],
  },
  {
    name: 'service-ports',
    resource: core('services'),
    spec: {
      validations: [
        {expression: "object.spec.ports.all(port, port.port >= 1024 || port.port in [80, 443])", message: 'low port'},
        {expression: "object.spec.type != 'NodePort' && !object.spec.ports.exists(port, port.?name.orValue('') == 'debug')"},
      ],
    },
    taken: [service('ClusterIP', [['http', 80], ['metrics', 8080]]), service('ClusterIP', [['https', 443]])],
    refused: [service('ClusterIP', [['ssh', 22]]), service('NodePort', [['http', 80]]), service('ClusterIP', [['debug', 5005], ['http', 80]])],
  },
  {
    name: 'replica-range',
    resource: apps('deployments'),
    spec: {
      matchConditions: [{name: 'no-sandbox', expression: "!object.metadata.name.startsWith('sandbox')"}],
      validations: [{expression: 'object.spec.replicas >= 2 && object.spec.replicas <= 10 && object.spec.replicas % 5 != 4'}],
    },
    taken: [deployment({replicas: 2}), deployment({replicas: 10}), deployment({replicas: 1, metadata: {name: 'sandbox'}})],
    refused: [deployment({replicas: 1}), deployment({replicas: 11}), deployment({replicas: 4})],
  },
  {
    name: 'image-sources',
    resource: apps('deployments'),
    spec: {
      variables: [
        {name: 'containers', expression: 'object.spec.template.spec.containers + object.spec.template.spec.?initContainers.orValue([])'},
        {name: 'images', expression: 'variables.containers.map(c, c.image)'},
      ],
      validations: [
        {expression: "variables.images.all(image, image.startsWith('registry.example.org/'))", messageExpression: "'foreign: ' + variables.images.filter(image, !image.startsWith('registry.example.org/')).join(', ')"},
        {expression: "variables.images.all(image, image.contains(':') && !image.endsWith(':latest'))"},
      ],
    },
    taken: [
      deployment({}),
      deployment({container: {image: `registry.example.org/a/b@sha256:${'0'.repeat(64)}`}}),
      ...['init:1', 'tools/setup:v2'].map(image => deployment({pod: {initContainers: [{name: 'init', image: `registry.example.org/${image}`}]}})),
    ],
    refused: [deployment({container: {image: 'docker.io/web:1'}}), deployment({container: {image: 'registry.example.org/web:latest'}}), deployment({container: {image: 'registry.example.org/web'}})],
  },
  {
    name: 'memory-limits',
    resource: apps('deployments'),
    spec: {
      validations: [
        {expression: 'object.spec.template.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && "memory" in c.resources.limits)'},
        {expression: 'object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).compareTo(quantity("1Gi")) <= 0 && quantity(c.resources.limits.memory).isGreaterThan(quantity("64M")))'},
      ],
    },
    taken: ['1Gi', '512Mi', '1000000k'].map(memory => deployment({container: {resources: {limits: {memory}}}})),
    refused: [...['2Gi', '64M', '1025Mi'].map(memory => deployment({container: {resources: {limits: {memory}}}})), deployment({})],
  },
  {
    name: 'pod-security',
    resource: apps('deployments'),
    spec: {
      variables: [{name: 'spec', expression: 'object.spec.template.spec'}],
      validations: [
        {expression: '!variables.spec.?hostNetwork.orValue(false) && !variables.spec.?hostPID.orValue(false)'},
        {expression: "variables.spec.containers.all(c, c.?securityContext.?runAsNonRoot.orValue(variables.spec.?securityContext.?runAsNonRoot.orValue(false)))"},
        {expression: "variables.spec.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]).exists(name, name in ['ALL', 'all']))"},
      ],
    },
    taken: [
      deployment({container: {securityContext: {runAsNonRoot: true, capabilities: {drop: ['ALL']}}}}),
      deployment({container: {securityContext: {capabilities: {drop: ['NET_RAW', 'all']}}}, pod: {securityContext: {runAsNonRoot: true}}}),
    ],
    refused: [
      deployment({container: {securityContext: {runAsNonRoot: false, capabilities: {drop: ['ALL']}}}}),
      deployment({container: {securityContext: {runAsNonRoot: true, capabilities: {drop: ['NET_RAW']}}}, pod: {hostPID: true}}),
    ],
  },
  {
    name: 'ingress-hosts',
    resource: {group: 'networking.k8s.io', version: 'v1', resource: 'ingresses'},
    spec: {
      validations: [
        {expression: "object.spec.rules.all(rule, has(rule.host) && rule.host.endsWith('.example.org') && rule.host.lowerAscii() == rule.host)"},
        {expression: 'has(object.spec.tls) && object.spec.tls.all(tls, tls.hosts.all(host, object.spec.rules.exists_one(rule, rule.host == host)))'},
      ],
    },
    taken: [ingress(['shop.example.org'], true), ingress(['a.example.org', 'b.example.org'], true)],
    refused: [ingress(['shop.example.com'], true), ingress(['shop.example.org'], false), ingress(['a.example.org', 'a.example.org'], true)],
  },
  {
    name: 'egress-blocks',
    resource: {group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies'},
    spec: {
      variables: [{name: 'blocks', expression: 'object.spec.?egress.orValue([]).map(rule, rule.?to.orValue([]).filter(peer, has(peer.ipBlock)).map(peer, peer.ipBlock.cidr)).flatten()'}],
      validations: [
        {expression: "object.spec.policyTypes.exists(type, type == 'Egress')"},
        {expression: "variables.blocks.all(block, isCIDR(block) && cidr('10.0.0.0/8').containsCIDR(block) && cidr(block).prefixLength() >= 16)"},
      ],
    },
    taken: [networkPolicy(['10.1.0.0/16'], ['Egress']), networkPolicy(['10.2.3.0/24', '10.9.0.0/16'], ['Ingress', 'Egress'])],
    refused: [networkPolicy(['192.168.0.0/16'], ['Egress']), networkPolicy(['10.0.0.0/8'], ['Egress']), networkPolicy(['10.1.0.0/16'], ['Ingress'])],
  },
  {
    name: 'powerful-bindings',
    resource: {group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings'},
    spec: {
      validations: [
        {expression: "object.roleRef.name != 'cluster-admin' || request.userInfo.username == 'nobody'"},
        {expression: "object.?subjects.orValue([]).all(s, s.kind != 'Group' || !(s.name in ['system:authenticated', 'system:unauthenticated']))"},
      ],
    },
    taken: [roleBinding('view', ['developers']), roleBinding('edit', [])],
    refused: [roleBinding('cluster-admin', ['developers']), roleBinding('view', ['system:authenticated'])],
  },
  {
    name: 'job-schedules',
    resource: {group: 'batch', version: 'v1', resource: 'cronjobs'},
    spec: {
      validations: [
        {expression: "object.spec.schedule.split(' ').size() == 5 && object.spec.schedule.split(' ')[0] != '*'", message: 'every minute'},
        {expression: "object.spec.concurrencyPolicy in ['Forbid', 'Replace'] || (object.spec.?suspend.orValue(false) && object.spec.?successfulJobsHistoryLimit.orValue(3) < 5)"},
      ],
    },
    taken: [cronJob('0 * * * *', 'Forbid', false), cronJob('5 4 * * 1', 'Allow', true)],
    refused: [cronJob('* * * * *', 'Forbid', false), cronJob('0 3 * * *', 'Allow', false), cronJob('@daily', 'Replace', false)],
  },
  {
    name: 'scaler-bounds',
    resource: {group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers'},
    spec: {
      validations: [
        {expression: 'object.spec.maxReplicas <= object.spec.minReplicas * 3 && object.spec.maxReplicas - object.spec.minReplicas >= 1'},
        {expression: "object.spec.metrics.all(m, m.type != 'Resource' || m.resource.target.?averageUtilization.orValue(100) / 10 in [5, 6, 7, 8])"},
      ],
    },
    taken: [scaler(2, 6, 80), scaler(1, 2, 55)],
    refused: [scaler(2, 7, 80), scaler(3, 3, 70), scaler(2, 4, 95)],
  },
  {
    name: 'excepted',
    resource: core('configmaps'),
    spec: {
      variables: [{name: 'owner', expression: "object.metadata.?labels[?'owner'].orValue('')"}],
      validations: [{expression: "variables.owner in ['web', 'data'] || variables.owner in exceptions.allowedValues", message: 'unknown owner'}],
    },
    native: {
      matchConditions: [{name: 'not-free', expression: "!(object.metadata.?annotations[?'free'].orValue('') == 'yes' && object.metadata.name != 'never')"}],
      variables: [
        {name: 'owner', expression: "object.metadata.?labels[?'owner'].orValue('')"},
        {name: 'more', expression: "['guest'] + (object.metadata.?annotations[?'trusted'].orValue('') == 'yes' ? ['partner', 'web-2'] : [])"},
      ],
      validations: [{expression: "variables.owner in ['web', 'data'] || variables.owner in variables.more", message: 'unknown owner'}],
    },
    exceptions: [
      {matchConditions: [{name: 'free', expression: "object.metadata.?annotations[?'free'].orValue('') == 'yes'"}, {name: 'not-never', expression: "object.metadata.name != 'never'"}]},
      {allowedValues: ['guest']},
      {allowedValues: ['partner', 'web-2'], matchConditions: [{name: 'trusted', expression: "object.metadata.?annotations[?'trusted'].orValue('') == 'yes'"}]},
      {expiresAt: '2020-01-01T00:00:00Z'},
    ],
    taken: [
      map({}, {labels: {owner: 'web'}}),
      map({}, {labels: {owner: 'guest'}}),
      map({}, {labels: {owner: 'partner'}, annotations: {trusted: 'yes'}}),
      map({}, {labels: {owner: 'nobody'}, annotations: {free: 'yes'}}),
    ],
    refused: [map({}, {labels: {owner: 'partner'}, annotations: {trusted: 'no'}}), map({}, {labels: {owner: 'nobody'}}), map({}, {labels: {owner: 'x'}, annotations: {free: 'yes'}, name: 'never'}), map({})],
  },
];
