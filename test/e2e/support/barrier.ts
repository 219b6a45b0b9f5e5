import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';

/** Resolves when the API server acts on every webhook configuration that was written before the call. */
export type Barrier = () => Promise<void>;

const group = '/apis/admissionregistration.k8s.io/v1';
const kinds = ['validating', 'mutating'] as const;
const rewriteMs = 5_000;
/** Of a machine that slept the time has passed, not the tries. */
const leastTries = 5;

/**
 * The API server hears of webhook configurations by watches, one per kind, in order of writing. The barrier writes an
 * entry of its own after all others, to a port where nobody listens, and waits until requests name it. An API server may
 * go on with an old entry until the next write, when it was just reading its configurations as the new one arrived: an
 * entry that does not show is written again under another name.
 */
export async function createBarrier(cluster: Pick<Cluster, 'request'>): Promise<Barrier> {
  for (const kind of kinds) {
    const metadata = {name: `barrier-${kind}`, labels: {barrier: kind}};
    await must(cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata}), 201);
  }
  let serial = 0;
  return async () => {
    await Promise.all(
      kinds.map(kind =>
        eventually(
          () => {
            serial += 1;
            return pass(cluster, kind, serial);
          },
          {what: `a webhook of the ${kind} barrier in force`, everyMs: 0},
        ),
      ),
    );
  };
}

/** False when the entry has not shown for a while. */
async function pass(cluster: Pick<Cluster, 'request'>, kind: (typeof kinds)[number], serial: number): Promise<boolean> {
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
  // A request that hangs in the API server ends with an answer too, after the longest time that a webhook may take.
  const asked = `/api/v1/namespaces/barrier-${kind}/configmaps?dryRun=All&timeout=35s`;
  const begun = performance.now();
  let last = '';
  for (let tries = 1; tries <= leastTries || performance.now() - begun < rewriteMs; tries += 1) {
    const {status, body} = await cluster.request('POST', asked, probe);
    last = `${status} ${JSON.stringify(body)} at try ${tries}`;
    if (last.includes(name)) return true;
    await delay(20);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`the API server did not act on ${name} (${kind}) within ${seconds} s, it is written anew: ${last}`);
  return false;
}

async function must(answer: Promise<{readonly status: number; readonly body: unknown}>, wanted: number): Promise<void> {
  const {status, body} = await answer;
  if (status !== wanted) throw new Error(`${status}: ${JSON.stringify(body)}`);
}
