import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';

/** Resolves when the API server acts on every webhook configuration that was written before the call. */
export type Barrier = () => Promise<void>;

const group = '/apis/admissionregistration.k8s.io/v1';
const kinds = ['validating', 'mutating'] as const;

/**
 * The API server hears of webhook configurations by watches, one per kind, in order of writing. The barrier writes an
 * entry of its own after all others, to a port where nobody listens, and waits until requests name it.
 */
export async function createBarrier(cluster: Pick<Cluster, 'request'>): Promise<Barrier> {
  for (const kind of kinds) {
    const metadata = {name: `barrier-${kind}`, labels: {barrier: kind}};
    await must(cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata}), 201);
  }
  let serial = 0;
  return async () => {
    serial += 1;
    await Promise.all(kinds.map(kind => pass(cluster, kind, serial)));
  };
}

async function pass(cluster: Pick<Cluster, 'request'>, kind: (typeof kinds)[number], serial: number): Promise<void> {
  const name = `b${serial}.barrier.test`;
  const path = `${group}/${kind}webhookconfigurations`;
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kind === 'validating' ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration',
    metadata: {name: 'a-barrier'},
    webhooks: [
      {
        name,
        clientConfig: {url: 'https://127.0.0.1:1/'},
        rules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps']}],
        namespaceSelector: {matchLabels: {barrier: kind}},
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
      },
    ],
  };
  const live = await cluster.request<{metadata?: {resourceVersion?: string}}>('GET', `${path}/a-barrier`);
  if (live.status === 404) await must(cluster.request('POST', path, configuration), 201);
  else {
    const metadata = {name: 'a-barrier', resourceVersion: live.body.metadata?.resourceVersion};
    await must(cluster.request('PUT', `${path}/a-barrier`, {...configuration, metadata}), 200);
  }
  const probe = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'probe'}};
  await eventually(
    async () => {
      const {body} = await cluster.request('POST', `/api/v1/namespaces/barrier-${kind}/configmaps?dryRun=All`, probe);
      return JSON.stringify(body).includes(name);
    },
    {what: `webhook ${name} in force`, everyMs: 20},
  );
}

async function must(answer: Promise<{readonly status: number; readonly body: unknown}>, wanted: number): Promise<void> {
  const {status, body} = await answer;
  if (status !== wanted) throw new Error(`${status}: ${JSON.stringify(body)}`);
}
