import type {Cluster} from '../../cluster/cluster.js';

/** Some rows are about objects of kube-system, which the installation leaves alone until its ConfigMap says otherwise. */
export async function judgeSystemNamespaces(cluster: Pick<Cluster, 'kubectl'>): Promise<void> {
  const own = {key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kyverno']};
  const webhooks = JSON.stringify({namespaceSelector: {matchExpressions: [own]}});
  const data = {webhooks, resourceFilters: '[*/*,kyverno,*] [Event,*,*] [ReplicaSet,*,*]'};
  await cluster.kubectl([
    'patch',
    'configmap',
    'kyverno',
    '-n',
    'kyverno',
    '--type=merge',
    '-p',
    JSON.stringify({data}),
  ]);
}
