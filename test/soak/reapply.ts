import {setTimeout as delay} from 'node:timers/promises';
import {eventually} from '../cluster/eventually.js';
import {metric} from './metrics.js';
import {configMap, many} from './objects.js';
import {type OperatorWrite, operatorWrites, summary} from './operator-writes.js';
import {policiesReady, replicaOf, type Soak, withOperator} from './set-up.js';

export interface ReapplyOutcome {
  /** Validating calls that the applies made. */
  readonly calls: number;
  /** What the operator wrote from the second apply on. */
  readonly writes: readonly OperatorWrite[];
  readonly applies: number;
}

/** How long results are gathered before they are written, and then some. */
const settledMs = 5_000;

export const reapplyPolicy = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: {name: 'reapplied'},
  spec: {
    background: true,
    rules: [
      {
        name: 'has-team',
        match: {any: [{resources: {kinds: ['ConfigMap']}}]},
        validate: {failureAction: 'Audit', message: 'a team is named', pattern: {metadata: {labels: {team: '?*'}}}},
      },
    ],
  },
};

/** The same few objects, applied again and again by server-side apply, under a policy in Audit. */
export async function reapply({cluster, agent}: {readonly cluster: Soak['cluster']; readonly agent: Soak['operator']['agent']}, namespace: string, applies: number): Promise<ReapplyOutcome> {
  const objects = Array.from({length: 10}, (_, index) => configMap(`again-${index}`, namespace, 0, index % 2 === 0 ? {team: 'red'} : {}));
  const apply = async (index: number) => {
    const object = objects[index % objects.length]!;
    const path = `/api/v1/namespaces/${namespace}/configmaps/${object.metadata.name}?fieldManager=flow&force=true`;
    const {status, body} = await cluster.request('PATCH', path, object, {contentType: 'application/apply-patch+yaml'});
    if (status !== 200 && status !== 201) throw new Error(`apply: ${status} ${JSON.stringify(body)}`);
  };
  await many(objects.length, apply);
  await eventually(
    async () => {
      const {body} = await cluster.request<{readonly items: readonly unknown[]}>('GET', `/apis/wgpolicyk8s.io/v1alpha2/namespaces/${namespace}/policyreports`);
      return body.items.length >= objects.length;
    },
    {what: 'a report for each object', timeoutMs: 120_000, everyMs: 250},
  );
  await delay(settledMs);
  const ports = agent.replicas().map(({metricsPort}) => metricsPort);
  const calls = async () => {
    const counts = await Promise.all(ports.map(port => metric(port, 'kyverno_admission_requests_total', {resource_kind: 'ConfigMap', resource_namespace: namespace})));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const writes = operatorWrites(cluster);
  const before = await calls();
  await many(applies, apply);
  await delay(settledMs);
  return {calls: (await calls()) - before, writes: writes(), applies};
}

export async function soakReapply(applies: number, say: Soak['say']): Promise<void> {
  await withOperator([], say, async soak => {
    await soak.cluster.kubectl(['create', 'namespace', 'shop']);
    await soak.cluster.request('POST', '/apis/kyverno.io/v1/clusterpolicies', reapplyPolicy);
    await policiesReady(soak.cluster, 1);
    replicaOf(soak);
    const {calls, writes} = await reapply({cluster: soak.cluster, agent: soak.operator.agent}, 'shop', applies);
    say(`${applies} applies of what is there already: ${calls} validating calls; written by the operator: ${summary(writes)}`);
    // Events that tell of what fails are written, gathered; nothing else is.
    if (calls < applies || writes.some(({group}) => group !== 'events.k8s.io')) process.exitCode = 1;
  });
}
