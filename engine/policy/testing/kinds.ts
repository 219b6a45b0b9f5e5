import type {KindInfo, ResourceMap} from '../../resource-map.js';

/** A small cluster for the loader's tests: apiVersion, scope, kinds with their subresources. */
const groups: ReadonlyArray<readonly [string, 'namespaced' | 'cluster', string]> = [
  [
    'v1',
    'namespaced',
    'Pod:status:exec:ephemeralcontainers Service:status ConfigMap Secret ServiceAccount ResourceQuota',
  ],
  ['v1', 'cluster', 'Namespace:status Node:status'],
  ['apps/v1', 'namespaced', 'Deployment:scale:status StatefulSet:scale:status DaemonSet:status'],
  ['batch/v1', 'namespaced', 'Job:status CronJob:status'],
  ['networking.k8s.io/v1', 'namespaced', 'NetworkPolicy Ingress'],
  ['rbac.authorization.k8s.io/v1', 'namespaced', 'Role RoleBinding'],
  ['rbac.authorization.k8s.io/v1', 'cluster', 'ClusterRole ClusterRoleBinding'],
  ['example.com/v1', 'namespaced', 'Widget'],
  ['example.com/v1beta1', 'namespaced', 'Widget'],
  ['shop.example.com/v1', 'namespaced', 'Gadget'],
  ['lab.example.com/v2', 'namespaced', 'Gadget'],
];

function kinds(): readonly KindInfo[] {
  return groups.flatMap(([apiVersion, scope, names]) => {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    return names.split(' ').map(entry => {
      const [kind = '', ...subResources] = entry.split(':');
      return {
        group: group ?? '',
        version: version ?? '',
        kind,
        resource: `${kind.toLowerCase()}s`,
        namespaced: scope === 'namespaced',
        subResources,
      };
    });
  });
}

const table = kinds();

export const testKinds: ResourceMap = {
  kindOf: ({group, version, resource}) =>
    table.find(info => info.group === group && info.version === version && info.resource === resource),
  find: kind => table.filter(info => info.kind === kind),
  all: () => table,
};
