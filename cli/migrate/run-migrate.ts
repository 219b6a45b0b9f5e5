import {homedir} from 'node:os';
import {delimiter, join} from 'node:path';
import {createKubeClient} from '../../adapters/kube/client.js';
import {loadInClusterConfig, loadKubeconfig, type LoadedConfig} from '../../adapters/kube/config.js';
import {silentLog} from '../../adapters/log.js';
import {processStreams} from '../output/streams.js';
import {migrateResource} from './migrate.js';

export interface MigrateOptions {
  readonly resource: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** `kyverno migrate` with the Kubernetes client at hand; bundled apart for its size. Stops at the first failure. */
export async function runMigrate({resource, kubeconfig, context}: MigrateOptions): Promise<void> {
  const {kubeConfig} = load(kubeconfig, context);
  const client = createKubeClient({kubeConfig, userAgent: 'kyverno-cli', qps: 0, burst: 0, log: silentLog});
  try {
    for (const name of resource) await migrateResource(client, name, processStreams);
  } finally {
    client.close();
  }
}

/** The named kubeconfig, else `$KUBECONFIG`'s first, else the Pod's own account, else the user's file. */
function load(path: string | undefined, context: string | undefined): LoadedConfig {
  const named = path || process.env['KUBECONFIG']?.split(delimiter).find(part => part !== '');
  if (named === undefined && context === undefined && process.env['KUBERNETES_SERVICE_HOST'])
    return loadInClusterConfig();
  return loadKubeconfig(named ?? join(homedir(), '.kube', 'config'), context);
}
