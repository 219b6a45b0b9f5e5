import {readFileSync} from 'node:fs';
import {type Balancer, startBalancer} from '../../cluster/balancer.js';
import {type Cluster, startCluster} from '../../cluster/cluster.js';
import {addWitness, eventually} from '../../cluster/eventually.js';
import {type Manifest, putDefinition} from '../../cluster/install-operator.js';
import {type NodeAgent, startNodeAgent} from '../../cluster/node-agent.js';
import {type Barrier, createBarrier} from '../../e2e/support/barrier.js';
import {repository} from '../../e2e/support/build.js';
import {webhookPortFree} from '../../e2e/support/operator-cluster.js';
import {operatorWitness} from '../../e2e/support/witness.js';
import type {Release} from './release.js';

/** A control plane on which one version after the other is installed, the operator's Pods rolled over by its Deployment. */
export interface UpgradeCluster {
  readonly cluster: Cluster;
  readonly agent: NodeAgent;
  readonly barrier: Barrier;
  /** Definitions first, then the manifests over what is there; resolves when one replica of it is left, and ready. */
  install(name: string): Promise<void>;
  /** Nobody works in the background until the returned function gives the Lease back. */
  holdBackground(): Promise<() => Promise<void>>;
  /** What the replicas that run now have logged. */
  logs(): string;
  stop(): Promise<void>;
}

interface Deployment extends Manifest {
  readonly spec: {replicas: number; readonly template: {readonly spec: {readonly containers: {image: string}[]}}};
}

const namespace = 'kyverno';
const backgroundLease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/kyverno-background-controller`;

/** Each release by a name, which stands for its image. */
export async function startUpgradeCluster(releases: Readonly<Record<string, Release>>): Promise<UpgradeCluster> {
  await webhookPortFree();
  const cluster = await startCluster();
  const stops: (() => unknown)[] = [() => cluster.stop()];
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    const barrier = await createBarrier(cluster);
    const balancer: Balancer = await startBalancer();
    stops.push(() => balancer.stop());
    const images = Object.fromEntries(Object.entries(releases).map(([name, {program}]) => [imageOf(name), [process.execPath, program]]));
    const agent = await startNodeAgent(cluster, {namespace, images, balancer, cwd: repository});
    stops.push(() => agent.stop());
    stops.push(addWitness(operatorWitness(cluster, agent)));
    return {
      cluster,
      agent,
      barrier,
      async install(name) {
        const {definitions, manifests} = releases[name]!;
        await Promise.all(definitions.map(definition => putDefinition(cluster, definition)));
        const items = manifests.map(manifest => adapt(manifest, name));
        await cluster.kubectl(['apply', '-f', '-'], {input: JSON.stringify({apiVersion: 'v1', kind: 'List', items})});
        await eventually(
          () => {
            const [replica, ...others] = agent.replicas();
            return others.length === 0 && replica?.ready === true && !replica.terminating && replica.pod.spec.containers[0]?.image.startsWith(imageOf(name)) === true;
          },
          {what: `one ready replica of ${name}`, timeoutMs: 300_000, everyMs: 200},
        );
      },
      holdBackground: () => holdLease(cluster),
      logs: () => agent.replicas().map(({logFile}) => (logFile === undefined ? '' : readFileSync(logFile, 'utf8'))).join('\n'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As if a replica had it that hangs: work is noted, and waits. */
async function holdLease(cluster: Cluster): Promise<() => Promise<void>> {
  const holder = 'a-replica-that-hangs';
  const write = async (spec: object) => {
    const {status, body} = await cluster.request('PATCH', backgroundLease, {spec});
    if (status !== 200) throw new Error(`${backgroundLease}: ${status} ${JSON.stringify(body)}`);
  };
  const take = async () => write({holderIdentity: holder, leaseDurationSeconds: 3_600, renewTime: new Date().toISOString().replace('Z', '000Z')});
  await take();
  // A renewal that was under way would have won: it is seen to have stepped down once a whole round has left the Lease alone.
  let quiet = 0;
  await eventually(
    async () => {
      const {body} = await cluster.request<{spec: {holderIdentity?: string}}>('GET', backgroundLease);
      if (body.spec.holderIdentity === holder) quiet += 1;
      else {
        quiet = 0;
        await take();
      }
      return quiet >= 30;
    },
    {what: 'the Lease in other hands', everyMs: 200},
  );
  return () => write({holderIdentity: '', leaseDurationSeconds: 1});
}

function imageOf(name: string): string {
  return `registry.example/kyverno-ts-${name}`;
}

function adapt(manifest: Manifest, name: string): Manifest {
  // The API server dials port 443 of loopback, where the balancer listens.
  if (manifest.kind === 'Service' && manifest.metadata?.name === 'kyverno-svc') return {...manifest, spec: {type: 'ExternalName', externalName: 'localhost'}};
  if (manifest.kind !== 'Deployment') return manifest;
  const copy = structuredClone(manifest) as Deployment;
  copy.spec.replicas = 1;
  for (const container of copy.spec.template.spec.containers) container.image = `${imageOf(name)}:1`;
  return copy as Manifest;
}
