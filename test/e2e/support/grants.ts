import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {eventually} from '../../cluster/eventually.js';
import type {OperatorCluster} from './operator-cluster.js';
import {type Thing, write} from './policies.js';

export interface Grant {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const verbs = {
  background: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  cleanup: ['get', 'list', 'watch', 'delete'],
} as const;

/** What a duty needs to act on objects of the kind. */
export function grantOn({apiVersion, kind}: Pick<Thing, 'apiVersion' | 'kind'>, duty: keyof typeof verbs): Grant {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const info = builtinResourceMap.find(kind).find(found => found.group === group);
  if (info === undefined) throw new Error(`no resource is known for ${apiVersion} ${kind}`);
  return {apiGroups: [group], resources: [info.resource], verbs: verbs[duty]};
}

/** As an administrator grants rights to a duty of the operator: a ClusterRole with its label. In force when this resolves. */
export async function grant(operator: Pick<OperatorCluster, 'cluster'>, name: string, duty: keyof typeof verbs, rules: readonly Grant[]): Promise<void> {
  if (rules.length === 0) return;
  const labels = {[`rbac.kyverno.io/aggregate-to-${duty}-controller`]: 'true'};
  await write(operator, {apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: {name, labels}, rules} as Thing);
  const wanted = rightsIn(rules);
  await eventually(
    async () => {
      const granted = await grantedRights(operator);
      return [...wanted].every(right => granted.has(right));
    },
    {what: `the rights of ${name} in force`},
  );
}

/** Takes back what `grant` gave by that name, where nothing else grants it. No longer in force when this resolves. */
export async function revoke(operator: Pick<OperatorCluster, 'cluster'>, name: string, rules: readonly Grant[]): Promise<void> {
  await operator.cluster.request('DELETE', `${clusterRoles}/${name}`);
  await eventually(
    async () => {
      const granted = await grantedRights(operator);
      return [...rightsIn(rules)].every(right => !granted.has(right));
    },
    {what: `the rights of ${name} taken back`},
  );
}

const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

async function grantedRights(operator: Pick<OperatorCluster, 'cluster'>): Promise<ReadonlySet<string>> {
  const {body} = await operator.cluster.request<{rules?: readonly Grant[]}>('GET', `${clusterRoles}/kyverno:extra`);
  return rightsIn(body.rules ?? []);
}

function rightsIn(rules: readonly Grant[]): ReadonlySet<string> {
  return new Set(rules.flatMap(rule => rule.resources.flatMap(resource => rule.verbs.map(verb => `${verb} ${resource}`))));
}
