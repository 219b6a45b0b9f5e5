import {execFile} from 'node:child_process';
import {mkdtempSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {promisify} from 'node:util';
import {type Cluster, startCluster} from '../../cluster/cluster.js';
import {addWitness, eventually} from '../../cluster/eventually.js';
import {type InstalledOperator, installOperator, putDefinition, readManifests} from '../../cluster/install-operator.js';
import {ensureBuilt, program} from '../../e2e/support/build.js';
import {webhookPortFree} from '../../e2e/support/operator-cluster.js';
import {operatorWitness} from '../../e2e/support/witness.js';
import {writeToEtcd} from './dump.js';
import {type Item, pathOf} from './kinds.js';
import type {Definition} from './outside-data.js';
import {type Snapshot, takeSnapshot} from './snapshot.js';

/** A control plane as another installation left it, taken over by the operator when asked. */
export interface TakeoverCluster {
  readonly cluster: Cluster;
  /** Right before the operator starts. */
  readonly before: Snapshot;
  /** Installs the operator beside what is there, ConfigMaps apart, with flags that were set before, and waits until it is ready. */
  takeOver(flags?: readonly string[]): Promise<InstalledOperator>;
  /** Runs the command line program as the administrator. */
  kyverno(...args: readonly string[]): Promise<string>;
  /** Undefined when there is none. */
  read<T = Item>(item: Pick<Item, 'apiVersion' | 'kind' | 'metadata'>): Promise<T | undefined>;
  stop(): Promise<void>;
}

export interface LeftBehind {
  readonly definitions: readonly Definition[];
  readonly items: readonly Item[];
}

/** An API server that reads definitions of a megabyte may cut a connection: what is asked again does no harm here. */
function patient(cluster: Cluster): Cluster {
  const request: Cluster['request'] = async <T>(...asked: Parameters<Cluster['request']>) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await cluster.request<T>(...asked);
      } catch (error) {
        if (tries < 10) await delay(1_000);
        else throw new Error(`${asked[0]} ${asked[1]}: ${error}\n${readFileSync(join(cluster.dir, 'kube-apiserver.log'), 'utf8').split('\n').slice(-30).join('\n')}`, {cause: error});
      }
    }
  };
  return {...cluster, request};
}

function withFlags<T extends {readonly kind?: string}>(manifest: T, flags: readonly string[]): T {
  if (manifest.kind !== 'Deployment') return manifest;
  const changed = structuredClone(manifest) as T & {spec: {template: {spec: {containers: [{args: string[]}]}}}};
  changed.spec.template.spec.containers[0].args.push(...flags);
  return changed;
}

export async function startTakeoverCluster({definitions, items}: LeftBehind): Promise<TakeoverCluster> {
  await ensureBuilt();
  await webhookPortFree();
  const cluster = patient(await startCluster());
  try {
    for (const definition of definitions) await putDefinition(cluster, definition);
    await writeToEtcd(cluster, items);
    const last = items.at(-1)!;
    await eventually(async () => (await cluster.request('GET', pathOf(last))).status === 200, {what: 'the dump is served'});
    let operator: InstalledOperator | undefined;
    let dismiss: (() => void) | undefined;
    return {
      cluster,
      before: await takeSnapshot(cluster),
      async takeOver(flags = []) {
        // What lies under the name leads to the peer's Pods: the first step of the guide.
        await cluster.request('DELETE', '/api/v1/namespaces/kyverno/services/kyverno-svc');
        const manifests = (await readManifests()).filter(({kind}) => kind !== 'ConfigMap').map(manifest => withFlags(manifest, flags));
        operator = await installOperator(cluster, {replicas: 1, manifests});
        dismiss = addWitness(operatorWitness(cluster, operator.agent));
        return operator;
      },
      async kyverno(...args) {
        const {stdout} = await promisify(execFile)(process.execPath, [program, ...args], {env: {...process.env, KUBECONFIG: cluster.kubeconfig}, cwd: mkdtempSync(`${cluster.dir}/cli-`)});
        return stdout;
      },
      async read<T>(item: Pick<Item, 'apiVersion' | 'kind' | 'metadata'>) {
        const {status, body} = await cluster.request<T>('GET', pathOf(item));
        return status === 404 ? undefined : body;
      },
      async stop() {
        dismiss?.();
        await operator?.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
