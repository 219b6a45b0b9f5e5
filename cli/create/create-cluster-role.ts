import type {JsonObject} from '../../engine/json/types.js';

export interface CreateClusterRoleOptions {
  readonly apiGroups: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly controllers: readonly string[];
}

const everyVerb = ['create', 'get', 'update', 'delete', 'list', 'watch'];

/** A ClusterRole whose rights are added to those of the controllers. */
export function createClusterRole(name: string, options: CreateClusterRoleOptions): JsonObject {
  const verbs = options.verbs.includes('all') ? everyVerb : [...options.verbs];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `kyverno-${name}-permission`,
      labels: Object.fromEntries(
        options.controllers.map(controller => [`rbac.kyverno.io/aggregate-to-${controller}`, 'true']),
      ),
    },
    rules: [{apiGroups: [options.apiGroups], resources: [...options.resources], verbs}],
  };
}
