import type {JsonObject} from '../../../engine/json/types.js';

export interface BenchExpression {
  readonly name: string;
  readonly text: string;
}

const containers = 'object.spec.template.spec.containers';
const initContainers = 'object.spec.template.spec.initContainers';

/** What policies are made of, one of each shape. All are true of `deployment`, or a value of the shape named. */
export const expressions: readonly BenchExpression[] = [
  {name: 'int compare', text: 'object.spec.replicas > 2'},
  {
    name: 'nested has in all',
    text: `${containers}.all(c, has(c.securityContext) && has(c.securityContext.runAsNonRoot) && c.securityContext.runAsNonRoot)`,
  },
  {
    name: 'startsWith && matches',
    text: "object.metadata.name.startsWith('web') && object.metadata.name.matches('^[a-z0-9-]+$')",
  },
  {name: 'exists endsWith', text: `${containers}.exists(c, c.image.endsWith(':1.2.3'))`},
  {name: '!has || ==', text: "!has(object.spec.strategy) || object.spec.strategy.type == 'RollingUpdate'"},
  {
    name: 'labels in + index',
    text: "'app' in object.metadata.labels && object.metadata.labels['app'] == 'web'",
  },
  {name: 'map.filter.size', text: `${containers}.map(c, c.name).filter(n, n != 'web').size() == 2`},
  {
    name: 'all with 3-way ||',
    text: `${containers}.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || c.securityContext.privileged == false)`,
  },
  {name: 'string concat', text: "object.metadata.namespace + '/' + object.metadata.name + ':' + object.kind"},
  {name: 'nested all/all', text: `${containers}.all(c, c.ports.all(p, p.containerPort > 1024))`},
  {
    name: 'optional chain + orValue',
    text: 'object.spec.template.spec.?securityContext.?runAsNonRoot.orValue(false)',
  },
  {
    name: 'conditional list concat + all',
    text: `(${containers} + (has(${initContainers}) ? ${initContainers} : [])).all(c, c.image.contains('/'))`,
  },
  {name: 'error absorbed by ||', text: 'object.spec.missing.deeper == 1 || object.spec.replicas == 3'},
];

const container = (name: string, image: string, ports: readonly number[]): JsonObject => ({
  name,
  image,
  imagePullPolicy: 'IfNotPresent',
  ports: ports.map(containerPort => ({containerPort, protocol: 'TCP'})),
  resources: {requests: {cpu: '100m', memory: '128Mi'}, limits: {memory: '256Mi'}},
  securityContext: {runAsNonRoot: true, privileged: false, allowPrivilegeEscalation: false},
});

/** A Deployment with three containers and an init container. */
export const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web-frontend',
    namespace: 'shop',
    labels: {app: 'web', tier: 'frontend', 'app.kubernetes.io/name': 'web'},
    annotations: {'deployment.kubernetes.io/revision': '7'},
  },
  spec: {
    replicas: 3,
    selector: {matchLabels: {app: 'web'}},
    strategy: {type: 'RollingUpdate', rollingUpdate: {maxSurge: 1, maxUnavailable: 0}},
    template: {
      metadata: {labels: {app: 'web', tier: 'frontend'}},
      spec: {
        serviceAccountName: 'web',
        securityContext: {runAsNonRoot: true, fsGroup: 2000},
        initContainers: [container('migrate', 'registry.example.com/shop/migrate:1.2.3', [])],
        containers: [
          container('web', 'registry.example.com/shop/web:1.2.3', [8080, 9090]),
          container('proxy', 'registry.example.com/mesh/proxy:4.5.6', [15001]),
          container('metrics', 'registry.example.com/shop/metrics:1.2.3', [9100]),
        ],
      },
    },
  },
};
