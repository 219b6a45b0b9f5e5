import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';
import type {NodeAgent} from '../../cluster/node-agent.js';
import {metric} from '../metrics.js';
import {awake, prepareCanary, removeCanary} from './canary.js';
import {placesOf} from './policies.js';
import {stepsOf} from './steps.js';
import {drop, list, poke, put, type Thing} from './things.js';

/** A control plane with an operator of several replicas. */
export interface PropertyWorld {
  readonly cluster: Pick<Cluster, 'request'>;
  readonly agent: Pick<NodeAgent, 'replicas'>;
}

export interface SeedDifference {
  readonly seed: number;
  /** What stands otherwise than a fresh run leaves it, one object a line. */
  readonly lines: readonly string[];
  readonly steps: readonly string[];
}

export const replicas = 2;
const atOnce = 5;
const patience = {timeoutMs: 240_000, everyMs: 500};
/** Nothing has changed and nothing waits for so long: the end is reached. */
const quietMs = 8_000;
const requestsPath = '/apis/kyverno.io/v2/namespaces/kyverno/updaterequests';
const lease = '/apis/coordination.k8s.io/v1/namespaces/kyverno/leases/kyverno-background-controller';

const mayCopySecrets: Thing = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {name: 'property', labels: {'rbac.kyverno.io/aggregate-to-background-controller': 'true'}},
  rules: [{apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']}],
};

/**
 * Lets each seed's sequence of steps happen, some of them side by side, then ends the operator, deletes all that was made,
 * and starts it anew: what it makes of the end alone has to be what the way there led to.
 */
export async function runSeeds(world: PropertyWorld, seeds: readonly number[]): Promise<readonly SeedDifference[]> {
  const {cluster} = world;
  await put(cluster, mayCopySecrets);
  await prepareCanary(cluster);
  for (const seed of seeds) for (const name of namespacesOf(seed)) await put(cluster, {apiVersion: 'v1', kind: 'Namespace', metadata: {name}});
  const waiting = [...seeds];
  await Promise.all(
    Array.from({length: atOnce}, async () => {
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) await happen(world, seed);
    }),
  );
  await allReady(world);
  await awake(cluster);
  const lived = await settled(world, seeds);
  await scale(world, 0);
  for (const seed of seeds) for (const object of await madeOf(world, seed)) await drop(cluster, object);
  await removeCanary(cluster);
  await scale(world, replicas);
  await awake(cluster);
  const fresh = await settled(world, seeds, lived);
  const differences = seeds.flatMap((seed): SeedDifference[] => {
    const lines = difference(lived.get(seed)!, fresh.get(seed)!);
    return lines.length === 0 ? [] : [{seed, lines, steps: stepsOf(seed).map(({text}) => text)}];
  });
  await clean(world, seeds);
  return differences;
}

/** For a failing test or the terminal. */
export function shownDifferences(differences: readonly SeedDifference[]): string {
  return differences.map(({seed, lines, steps}) => `seed ${seed} ends otherwise than a fresh run:\n  ${lines.join('\n  ')}\nafter\n  ${steps.join('\n  ')}`).join('\n\n');
}

function namespacesOf(seed: number): string[] {
  const {triggers, sources, made} = placesOf(seed);
  return [triggers, sources, made];
}

async function happen(world: PropertyWorld, seed: number): Promise<void> {
  const {cluster} = world;
  for (const step of stepsOf(seed)) {
    if (step.what === 'put') await put(cluster, step.object);
    else if (step.what === 'drop') await drop(cluster, step.object);
    else if (step.what === 'poke') await poke(cluster, step.object, step.patch);
    else if (step.what === 'pause') await delay(step.ms);
    else await killLeader(world);
  }
}

/** Of the moment; who is between two leaders has killed enough. */
async function killLeader({cluster, agent}: PropertyWorld): Promise<void> {
  const {body} = await cluster.request<{readonly spec?: {readonly holderIdentity?: string}}>('GET', lease);
  const leader = agent.replicas().find(({name}) => name === body.spec?.holderIdentity);
  if (leader?.pid === undefined) return;
  process.kill(leader.pid, 'SIGKILL');
}

function allReady({agent}: PropertyWorld): Promise<unknown> {
  return eventually(() => agent.replicas().length === replicas && agent.replicas().every(({ready}) => ready), {what: 'all replicas ready', ...patience});
}

async function scale(world: PropertyWorld, count: number): Promise<void> {
  await poke(world.cluster, {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'kyverno', namespace: 'kyverno'}}, {spec: {replicas: count}});
  if (count > 0) await allReady(world);
  else await eventually(() => world.agent.replicas().length === 0, {what: 'no replica', ...patience});
}

type Content = ReadonlyMap<string, string>;

/** What was made for each seed, once the operator has come to rest, or it is what is expected. */
async function settled(world: PropertyWorld, seeds: readonly number[], expected?: ReadonlyMap<number, Content>): Promise<ReadonlyMap<number, Content>> {
  let last = '';
  let since = performance.now();
  return eventually(
    async () => {
      const found = new Map<number, readonly Thing[]>();
      for (const seed of seeds) found.set(seed, await madeOf(world, seed));
      const now = JSON.stringify([...found.values()].map(objects => objects.map(({metadata}) => [metadata.name, metadata['resourceVersion']])));
      const contents = new Map([...found].map(([seed, objects]) => [seed, contentOf(objects)]));
      const busy = (await openRequests(world)) + (await queued(world));
      if (busy === 0 && expected !== undefined && seeds.every(seed => difference(contents.get(seed)!, expected.get(seed)!).length === 0)) return contents;
      if (now !== last || busy > 0) {
        last = now;
        since = performance.now();
      }
      if (performance.now() - since < quietMs) return undefined;
      return contents;
    },
    {what: 'rest', ...patience},
  );
}

/** Requests that were neither done nor given up. */
async function openRequests({cluster}: PropertyWorld): Promise<number> {
  const requests = await list(cluster, requestsPath);
  return requests.filter(({status}) => !['Failed', 'Skip'].includes((status as {readonly state?: string} | undefined)?.state ?? '')).length;
}

/** Work that waits for a source that is gone is tried for ever, and says nothing of rest. */
async function queued({agent}: PropertyWorld): Promise<number> {
  const counts = await Promise.all(agent.replicas().map(({metricsPort}) => metric(metricsPort, 'kyverno_background_work_pending', {state: 'queued'}).catch(() => 1)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function madeOf({cluster}: PropertyWorld, seed: number): Promise<readonly Thing[]> {
  const {made} = placesOf(seed);
  const found: Thing[] = [];
  for (const [kind, resource] of [['ConfigMap', 'configmaps'], ['Secret', 'secrets']] as const) {
    for (const item of await list(cluster, `/api/v1/namespaces/${made}/${resource}`)) found.push({...item, apiVersion: 'v1', kind});
  }
  return found.filter(({metadata}) => metadata.name !== 'kube-root-ca.crt');
}

/** Names to what counts of the objects: uids and versions differ between any two runs. */
function contentOf(objects: readonly Thing[]): Content {
  return new Map(
    objects.map(({kind, metadata, data}) => {
      const labels = Object.entries((metadata['labels'] ?? {}) as Record<string, string>).filter(([key]) => !key.endsWith('-uid'));
      return [`${kind} ${metadata.name}`, JSON.stringify({data: sorted(Object.entries((data ?? {}) as object)), labels: sorted(labels)})];
    }),
  );
}

function sorted(entries: ReadonlyArray<readonly [string, unknown]>): object {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function difference(lived: Content, fresh: Content): string[] {
  const names = [...new Set([...lived.keys(), ...fresh.keys()])].sort();
  return names.filter(name => lived.get(name) !== fresh.get(name)).map(name => `${name}: ${lived.get(name) ?? 'is not there'}; fresh: ${fresh.get(name) ?? 'is not there'}`);
}

async function clean({cluster}: PropertyWorld, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    for (const step of stepsOf(seed)) if (step.what === 'put' && step.object.kind.endsWith('Policy')) await drop(cluster, step.object);
    for (const name of namespacesOf(seed)) await drop(cluster, {apiVersion: 'v1', kind: 'Namespace', metadata: {name}});
  }
}
