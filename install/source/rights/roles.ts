import {commonLabels} from '../labels.js';
import type {InstallSettings, KubeObject, PolicyRule} from '../types.js';
import {builtinReads} from './builtin-reads.js';
import {clusterRights, conditionRight, generateRights, namespaceRights, ownerRight} from './operator-rights.js';

type Named = Pick<InstallSettings, 'name' | 'namespace'>;

const apiVersion = 'rbac.authorization.k8s.io/v1';
const roleGroup = 'rbac.authorization.k8s.io';
/** Upstream's processes, by whose names grants are labelled. One process of ours does the work of all. */
export const controllers = ['admission', 'background', 'cleanup', 'reports'] as const;

/** Label of a ClusterRole whose rules are to be added to the operator's. */
export function grantLabel(controller: (typeof controllers)[number]): string {
  return `rbac.kyverno.io/aggregate-to-${controller}-controller`;
}

function clusterRole(name: string, rules: readonly PolicyRule[], labels: Readonly<Record<string, string>> = {}): KubeObject {
  return {apiVersion, kind: 'ClusterRole', metadata: {name, labels: {...commonLabels, ...labels}}, rules};
}

function clusterBinding(name: string, role: string, {name: account, namespace}: Named): KubeObject {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: {name, labels: commonLabels},
    roleRef: {apiGroup: roleGroup, kind: 'ClusterRole', name: role},
    subjects: [{kind: 'ServiceAccount', name: account, namespace}],
  };
}

/** The operator's own rights, in the cluster and in its namespace. */
export function operatorRoles(settings: Named): readonly KubeObject[] {
  const {name, namespace} = settings;
  const metadata = {name, namespace, labels: commonLabels};
  return [
    clusterRole(name, [...clusterRights, ownerRight(name)]),
    clusterBinding(name, name, settings),
    {apiVersion, kind: 'Role', metadata, rules: [...namespaceRights, conditionRight(name)]},
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: {apiGroup: roleGroup, kind: 'Role', name},
      subjects: [{kind: 'ServiceAccount', name, namespace}],
    },
  ];
}

/**
 * Rights for what policies do. `<name>:extra` is filled by the API server from ClusterRoles with the labels below; the
 * component labels are the older way. Apart from it stand built-in kinds and what aggregates to the built-in role view,
 * so that either binding can be deleted where policies shall read less.
 */
export function policyRoles(settings: Named): readonly KubeObject[] {
  const {name} = settings;
  const selectors = [
    ...controllers.map(controller => ({matchLabels: {[grantLabel(controller)]: 'true'}})),
    ...controllers.map(controller => ({
      matchLabels: {
        'app.kubernetes.io/component': `${controller}-controller`,
        'app.kubernetes.io/instance': 'kyverno',
        'app.kubernetes.io/part-of': 'kyverno',
      },
    })),
  ];
  return [
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata: {name: `${name}:extra`, labels: commonLabels},
      aggregationRule: {clusterRoleSelectors: selectors},
      rules: [],
    },
    clusterBinding(`${name}:extra`, `${name}:extra`, settings),
    clusterRole(`${name}:generate`, generateRights, {[grantLabel('background')]: 'true'}),
    clusterRole(`${name}:read`, builtinReads()),
    clusterBinding(`${name}:read`, `${name}:read`, settings),
    clusterBinding(`${name}:view`, 'view', settings),
  ];
}
