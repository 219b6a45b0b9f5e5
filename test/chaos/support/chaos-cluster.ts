import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {type Cluster, startCluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';
import {installOperator} from '../../cluster/install-operator.js';
import type {Replica} from '../../cluster/node-agent.js';
import {createBarrier} from '../../e2e/support/barrier.js';
import {ensureBuilt} from '../../e2e/support/build.js';
import {type OperatorCluster, webhookPortFree} from '../../e2e/support/operator-cluster.js';
import {put} from '../../e2e/support/policies.js';
import {differences} from './caches.js';
import {namespace, standing} from './policies.js';
import {startTcpProxy, type TcpProxy} from './tcp-proxy.js';

export interface LeaderLease {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly renewed: number;
}

/** Two replicas that reach the API server through a proxy, with the standing policies in force. */
export interface ChaosCluster extends OperatorCluster {
  readonly proxy: TcpProxy;
  lease(): Promise<LeaderLease>;
  leader(): Promise<Replica>;
  follower(): Promise<Replica>;
  /** Waits for two replicas, ready and reached by the balancer. */
  whole(): Promise<void>;
  /** Waits until the caches of all replicas equal the API server's policies; milliseconds waited. */
  equal(timeoutMs?: number): Promise<number>;
  /** Everything that any operator process has logged. */
  logs(): string;
}

export async function startChaosCluster(): Promise<ChaosCluster> {
  await ensureBuilt();
  await webhookPortFree();
  const cluster = await startCluster();
  try {
    return await withOperator(cluster);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function withOperator(cluster: Cluster): Promise<ChaosCluster> {
  const barrier = await createBarrier(cluster);
  const proxy = await startTcpProxy({host: '127.0.0.1', port: Number(new URL(cluster.server).port)});
  const env = {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(proxy.port),
    KYVERNO_DEBUG_CACHE: 'true',
  };
  const operator = await installOperator(cluster, {replicas: 2, env});
  const {agent, balancer} = operator;

  async function lease(): Promise<LeaderLease> {
    interface Lease {
      readonly spec: {readonly holderIdentity?: string; readonly renewTime?: string};
    }
    const path = '/apis/coordination.k8s.io/v1/namespaces/kyverno/leases/kyverno';
    const {spec} = (await cluster.request<Lease>('GET', path)).body;
    return {holder: spec.holderIdentity ?? '', renewed: Date.parse(spec.renewTime ?? '')};
  }
  const replica = async (leads: boolean): Promise<Replica> =>
    eventually(
      async () => {
        const {holder} = await lease();
        const found = agent.replicas().filter(({terminating}) => !terminating);
        if (!found.some(({name}) => name === holder)) return undefined;
        return found.find(({name, ready}) => ready && (name === holder) === leads);
      },
      {what: leads ? 'a leader' : 'a follower'},
    );

  const chaos: ChaosCluster = {
    ...operator,
    cluster,
    barrier,
    proxy,
    lease,
    leader: () => replica(true),
    follower: () => replica(false),
    async whole() {
      await eventually(
        () => {
          const replicas = agent.replicas();
          return replicas.length === 2 && replicas.every(({ready}) => ready) && balancer.backends.length === 2;
        },
        {what: 'two ready replicas', timeoutMs: 120_000, everyMs: 50},
      );
    },
    async equal(timeoutMs = 60_000) {
      const begun = performance.now();
      let last: readonly string[] = [];
      await eventually(
        async () => {
          last = await differences(cluster, agent);
          return last.length === 0;
        },
        {what: 'equal caches', timeoutMs, everyMs: 200},
      ).catch((cause: unknown) => {
        throw new Error(`caches differ:\n${last.slice(0, 20).join('\n')}`, {cause});
      });
      return performance.now() - begun;
    },
    logs: () => logsBelow(join(cluster.dir, 'pods')),
    async stop() {
      await operator.stop();
      await proxy.close();
      await cluster.stop();
    },
  };
  await cluster.request('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {name: namespace},
  });
  await put(chaos, standing).catch(async (cause: unknown) => {
    const last = chaos.logs().split('\n').slice(-60).join('\n');
    await operator.stop();
    await proxy.close();
    throw new Error(`the standing policies are not in force\n${last}`, {cause});
  });
  return chaos;
}

function logsBelow(folder: string): string {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter(name => name.endsWith('.log'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('');
}
