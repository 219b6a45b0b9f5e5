import type {Cluster} from '../../cluster/cluster.js';

export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {readonly name: string; readonly namespace?: string; readonly [field: string]: unknown};
  readonly [field: string]: unknown;
}

const resources: Readonly<Record<string, string>> = {ClusterPolicy: 'clusterpolicies', GeneratingPolicy: 'generatingpolicies', ConfigMap: 'configmaps', Secret: 'secrets', Namespace: 'namespaces', ClusterRole: 'clusterroles', Deployment: 'deployments'};

export function pathOf({apiVersion, kind, metadata: {namespace, name}}: Thing): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resources[kind]}/${name}`;
}

type Client = Pick<Cluster, 'request'>;

/** What a replica that has just been killed leads to. */
const passing = (status: number, text: string) => status >= 500 || (status === 400 && /connect|EOF|reset/.test(text));
const mostTries = 120;

async function patiently(ask: () => Promise<{readonly status: number; readonly body: unknown}>, fine: readonly number[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const {status, body} = await ask();
    if (fine.includes(status)) return;
    const text = JSON.stringify(body).slice(0, 1_000);
    if (!passing(status, text) || tries === mostTries) throw new Error(`${status} ${text}`);
    await new Promise(resolve => setTimeout(resolve, 500));
  }
}

/** As a user does who applies files. */
export function put(cluster: Client, object: Thing): Promise<void> {
  return patiently(() => cluster.request('PATCH', `${pathOf(object)}?fieldManager=user&force=true`, object, {contentType: 'application/apply-patch+yaml'}), [200, 201]);
}

/** Changes an object by hand, if it is there. */
export function poke(cluster: Client, object: Thing, patch: object): Promise<void> {
  return patiently(() => cluster.request('PATCH', `${pathOf(object)}?fieldManager=user`, patch, {contentType: 'application/merge-patch+json'}), [200, 404]);
}

export function drop(cluster: Client, object: Thing): Promise<void> {
  return patiently(() => cluster.request('DELETE', pathOf(object)), [200, 202, 404]);
}

export async function list(cluster: Client, path: string): Promise<readonly Thing[]> {
  const {status, body} = await cluster.request<{readonly items: readonly Thing[]}>('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  return body.items;
}
