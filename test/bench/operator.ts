import {stringify} from 'yaml';
import type {JsonObject} from '../../engine/json/types.js';
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {eventually} from '../cluster/eventually.js';
import {type InstalledOperator, installOperator} from '../cluster/install-operator.js';
import {benchBodies} from './bodies.js';
import {type MeasureOptions, sendLoad} from './measure.js';
import {namespacedPolicies, podPolicies} from './policy-sets.js';
import {type BenchServer, cpuSeconds, type LoadClient, rssMiB} from './processes.js';

const serverName = 'kyverno-svc.kyverno.svc';

/**
 * The operator in a cluster: memory under load, and what it costs to come up over 3,500 namespaced policies. Load goes
 * straight to the replica's port on loopback.
 */
export async function benchOperator(client: LoadClient, say: (line: string) => void): Promise<void> {
  const cluster = await startCluster();
  let operator: InstalledOperator | undefined;
  try {
    operator = await installOperator(cluster, {replicas: 1});
    await apply(cluster, podPolicies());
    await allReady(cluster, 'clusterpolicies', 17);
    const options: MeasureOptions = {
      client,
      ca: await caBundle(cluster),
      bodies: benchBodies().json,
      connections: 8,
      warmUp: 0,
      requests: 0,
      rounds: 0,
      serverName,
    };
    await memory(replica(operator), options, say);
    await comingUp(cluster, operator, say);
  } finally {
    await operator?.stop();
    await cluster.stop();
  }
}

async function memory(server: BenchServer, options: MeasureOptions, say: (line: string) => void): Promise<void> {
  const marks = [`0k ${rssMiB(server.pid).toFixed(0)}`];
  let cpu = 0;
  for (let done = 50_000; done <= 200_000; done += 50_000) {
    const before = cpuSeconds(server.pid);
    await sendLoad(server, options, {body: 'good', requests: 50_000});
    cpu = ((cpuSeconds(server.pid) - before) * 1000) / 50_000;
    marks.push(`${done / 1000}k ${rssMiB(server.pid).toFixed(0)}`);
  }
  say(`\nOperator, 17 policies: RSS in MiB after requests: ${marks.join(', ')}; ${cpu.toFixed(2)} ms CPU a request`);
}

async function comingUp(cluster: Cluster, operator: InstalledOperator, say: (line: string) => void): Promise<void> {
  const policies = namespacedPolicies(3500);
  const namespaces = [...new Set(policies.map(policy => String((policy['metadata'] as JsonObject)['namespace'])))];
  await apply(
    cluster,
    namespaces.map(name => ({apiVersion: 'v1', kind: 'Namespace', metadata: {name}})),
  );
  await apply(cluster, policies);
  await allReady(cluster, 'policies', 3500);
  const old = operator.agent.replicas()[0]?.name;
  await cluster.kubectl(['-n', 'kyverno', 'delete', 'pod', String(old)]);
  await eventually(async () => operator.agent.replicas().some(({name, ready}) => name !== old && ready), {
    what: 'the next replica',
    timeoutMs: 300_000,
  });
  const {pid} = replica(operator, old);
  say(
    `Operator, 3,500 namespaced policies, start to serving: ${cpuSeconds(pid).toFixed(1)} s CPU, ${rssMiB(pid).toFixed(0)} MiB`,
  );
}

function replica(operator: InstalledOperator, except?: string): BenchServer {
  const found = operator.agent.replicas().find(({name, ready}) => ready && name !== except);
  if (found?.pid === undefined || found.webhookPort === undefined) throw new Error('no ready replica');
  return {pid: found.pid, port: found.webhookPort, stop: async () => {}};
}

async function apply(cluster: Cluster, objects: readonly JsonObject[]): Promise<void> {
  for (let at = 0; at < objects.length; at += 500) {
    const input = objects
      .slice(at, at + 500)
      .map(object => `---\n${stringify(object)}`)
      .join('');
    await cluster.kubectl(['create', '-f', '-'], {input});
  }
}

async function allReady(cluster: Cluster, resource: string, count: number): Promise<void> {
  interface PolicyList {
    readonly items: ReadonlyArray<{
      readonly status?: {readonly conditions?: ReadonlyArray<{readonly type: string; readonly status: string}>};
    }>;
  }
  await eventually(
    async () => {
      const {items} = (await cluster.request<PolicyList>('GET', `/apis/kyverno.io/v1/${resource}`)).body;
      const ready = items.filter(({status}) =>
        status?.conditions?.some(({type, status: value}) => type === 'Ready' && value === 'True'),
      );
      return ready.length >= count;
    },
    {what: `${count} ${resource} Ready`, timeoutMs: 600_000},
  );
}

async function caBundle(cluster: Cluster): Promise<string> {
  const path = `/api/v1/namespaces/kyverno/secrets/${serverName}.kyverno-tls-ca`;
  const {body} = await cluster.request<{data: Record<string, string>}>('GET', path);
  return Buffer.from(body.data['tls.crt'] ?? '', 'base64').toString('utf8');
}
