import {readFileSync} from 'node:fs';
import {isIPv6} from 'node:net';
import {join} from 'node:path';
import {KubeConfig} from '@kubernetes/client-node';

const defaultServiceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface LoadedConfig {
  readonly kubeConfig: KubeConfig;
  /** Of the ServiceAccount or the kubeconfig's context; empty when it names none. */
  readonly namespace: string;
}

/**
 * The Pod's own ServiceAccount. `KYVERNO_SERVICEACCOUNT_DIR` names another directory of `token`, `ca.crt` and
 * `namespace`. Throws when the process does not run in a cluster.
 */
export function loadInClusterConfig(env: NodeJS.ProcessEnv = process.env): LoadedConfig {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new Error('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const directory = env['KYVERNO_SERVICEACCOUNT_DIR'] || defaultServiceAccountDirectory;
  const namespace = readFileSync(join(directory, 'namespace'), 'utf8').trim();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [
      {
        name: 'in-cluster',
        server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
        caFile: join(directory, 'ca.crt'),
        skipTLSVerify: false,
      },
    ],
    users: [{name: 'in-cluster', authProvider: {name: 'tokenFile', config: {tokenFile: join(directory, 'token')}}}],
    contexts: [{name: 'in-cluster', cluster: 'in-cluster', user: 'in-cluster', namespace}],
    currentContext: 'in-cluster',
  });
  return {kubeConfig, namespace};
}

/** A kubeconfig file that the user named; its current context, or `context`. Throws when there is no such context. */
export function loadKubeconfig(path: string, context?: string): LoadedConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(path);
  if (context !== undefined) kubeConfig.setCurrentContext(context);
  const current = kubeConfig.getContextObject(kubeConfig.getCurrentContext());
  if (!current || !kubeConfig.getCurrentCluster()) {
    throw new Error(`${path}: context ${JSON.stringify(kubeConfig.getCurrentContext() ?? '')} is not complete`);
  }
  return {kubeConfig, namespace: current.namespace ?? ''};
}

/** The named kubeconfig, else the cluster that the process runs in. Throws when there is none. */
export function loadClusterConfig({kubeconfig}: {readonly kubeconfig: string}): LoadedConfig {
  return kubeconfig === '' ? loadInClusterConfig() : loadKubeconfig(kubeconfig);
}

/** Hosts, names or addresses, under which the current context's API server is known. */
export function apiServerHosts(kubeConfig: KubeConfig): readonly string[] {
  const servers = [kubeConfig.getCurrentCluster()?.server].filter(server => server !== undefined);
  return servers.flatMap(server => {
    try {
      return [new URL(server).hostname.replace(/^\[(.*)\]$/, '$1')];
    } catch {
      // The client tells what is wrong with it.
      return [];
    }
  });
}
