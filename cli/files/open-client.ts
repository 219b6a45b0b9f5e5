import {homedir} from 'node:os';
import {delimiter, join} from 'node:path';
import {createKubeClient} from '../../adapters/kube/client.js';
import {loadInClusterConfig, loadKubeconfig, type LoadedConfig} from '../../adapters/kube/config.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** To the cluster of the named kubeconfig, else `$KUBECONFIG`'s first, else of the Pod's own account, else of the user's file. */
export function openClient({kubeconfig, context}: ClusterFlags): KubeClient {
  const {kubeConfig} = load(kubeconfig, context);
  return createKubeClient({kubeConfig, userAgent: 'kyverno-cli', qps: 0, burst: 0, log: silentLog});
}

function load(path: string | undefined, context: string | undefined): LoadedConfig {
  const named = path || process.env['KUBECONFIG']?.split(delimiter).find(part => part !== '');
  if (named === undefined && context === undefined && process.env['KUBERNETES_SERVICE_HOST'])
    return loadInClusterConfig();
  return loadKubeconfig(named ?? join(homedir(), '.kube', 'config'), context);
}
