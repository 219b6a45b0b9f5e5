import {eventually} from '../../cluster/eventually.js';
import type {OperatorCluster} from './operator-cluster.js';

/** Namespaces with the ServiceAccount that Pods need. */
export async function createNamespaces(
  {cluster}: Pick<OperatorCluster, 'cluster'>,
  names: readonly string[],
): Promise<void> {
  for (const name of names)
    await cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name}});
  for (const name of names) {
    const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await eventually(async () => (await cluster.request('GET', path)).status === 200, {what: path});
  }
}
