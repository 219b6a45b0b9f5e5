import {homedir} from 'node:os';
import {delimiter, join} from 'node:path';
import {systemClock} from '../../../adapters/clock.js';
import {createNameLookup} from '../../../adapters/http/name-lookup.js';
import {createKubeClient} from '../../../adapters/kube/client.js';
import {loadKubeconfig} from '../../../adapters/kube/config.js';
import {createKubeContextLoader} from '../../../adapters/kube/context-loader.js';
import {createDiscovery} from '../../../adapters/kube/discovery.js';
import {createObjectStore} from '../../../adapters/kube/object-store.js';
import type {KubeClient} from '../../../adapters/kube/types.js';
import {silentLog} from '../../../adapters/log.js';
import type {ContextLoader} from '../../../engine/context-loader.js';
import type {ResourceMap} from '../../../engine/resource-map.js';

export interface Cluster {
  readonly client: KubeClient;
  /** What the API server serves. */
  readonly resources: ResourceMap;
  readonly loader: ContextLoader;
  close(): void;
}

export interface ClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Connects to the cluster of a kubeconfig: the named one, else `$KUBECONFIG`'s first, else the user's. */
export async function openCluster({kubeconfig, context}: ClusterOptions): Promise<Cluster> {
  const path =
    kubeconfig ||
    process.env['KUBECONFIG']?.split(delimiter).find(part => part !== '') ||
    join(homedir(), '.kube', 'config');
  const {kubeConfig} = loadKubeconfig(path, context);
  const client = createKubeClient({kubeConfig, userAgent: 'kyverno-cli', qps: 0, burst: 0, log: silentLog});
  const discovery = createDiscovery({client, log: silentLog});
  try {
    await discovery.refresh();
  } catch (error) {
    client.close();
    throw error;
  }
  const loader = createKubeContextLoader({
    client,
    namespaces: createObjectStore(),
    clock: systemClock,
    lookup: createNameLookup(),
    resources: discovery.resourceMap,
  });
  return {client, resources: discovery.resourceMap, loader, close: () => client.close()};
}
