import type {Cluster} from '../cluster/cluster.js';

export interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {readonly name: string; readonly namespace?: string; readonly [field: string]: unknown};
  readonly [field: string]: unknown;
}

/** Requests under way at one time: as many as an API server on two cores answers without queueing. */
const parallel = 24;

/** Runs `task` for 0 … count - 1, some at one time. */
export async function many(count: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({length: Math.min(parallel, count)}, async () => {
      while (next < count) await task(next++);
    }),
  );
}

/** Creates objects in a collection; whatever is refused fails the run. */
export async function createAll(cluster: Pick<Cluster, 'request'>, path: string, objects: readonly unknown[]): Promise<void> {
  await many(objects.length, async index => {
    const {status, body} = await cluster.request('POST', path, objects[index]);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  });
}

/** A ConfigMap of about so many bytes. */
export function configMap(name: string, namespace: string, bytes = 0, labels: Readonly<Record<string, string>> = {}): Made {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name, namespace, labels},
    data: bytes === 0 ? {key: 'value'} : {text: `${name} ${'x'.repeat(Math.max(0, bytes - name.length))}`},
  };
}

/** A Pod that every policy of the bench lets pass, of about the size that Pods have; every tenth is privileged. */
export function benchPod(name: string, namespace: string, good = true): Made {
  const env = Array.from({length: 8}, (_, index) => ({name: `SETTING_${index}`, value: `value-${index}-${'v'.repeat(24)}`}));
  const container = (index: number) => ({
    name: `c${index}`,
    image: `registry.example.org/team/application-${index}:1.27.3`,
    env,
    ports: [{containerPort: 8080 + index, protocol: 'TCP'}],
    resources: {limits: {cpu: '500m', memory: '256Mi'}, requests: {cpu: '100m', memory: '128Mi'}},
    readinessProbe: {httpGet: {path: '/healthz', port: 8080 + index}, periodSeconds: 10},
    securityContext: {
      allowPrivilegeEscalation: !good,
      privileged: !good,
      runAsNonRoot: true,
      runAsUser: 10_001,
      capabilities: {drop: ['ALL']},
      seccompProfile: {type: 'RuntimeDefault'},
    },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace, labels: {app: 'application', 'app.kubernetes.io/instance': name, team: 'platform'}, annotations: {note: 'n'.repeat(200)}},
    spec: {
      containers: [container(0), container(1), container(2)],
      securityContext: {runAsNonRoot: true, runAsUser: 10_001, seccompProfile: {type: 'RuntimeDefault'}},
      automountServiceAccountToken: false,
    },
  };
}
