import type {KubeObject, PolicyRule} from '../../install/source/types.js';

interface Permission {
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[];
}

export interface Csv extends KubeObject {
  readonly spec: {
    readonly install: {
      readonly strategy: string;
      readonly spec: {
        readonly deployments: ReadonlyArray<{readonly name: string; readonly label?: Readonly<Record<string, string>>; readonly spec: Record<string, unknown>}>;
        readonly permissions?: readonly Permission[];
        readonly clusterPermissions?: readonly Permission[];
      };
    };
  };
}

/** Kinds of bundles that have no namespace. */
const clusterKinds = new Set(['ClusterRole', 'ClusterRoleBinding', 'PriorityClass', 'CustomResourceDefinition']);
const rbac = 'rbac.authorization.k8s.io';

/**
 * What the Operator Lifecycle Manager makes of a bundle for all namespaces: service accounts, roles under names of its own,
 * bindings, the Deployments with its labels and variables, and what lies beside the ClusterServiceVersion.
 */
export function renderCsv(csv: Csv, beside: readonly KubeObject[], namespace: string): readonly KubeObject[] {
  const {name: owner} = csv.metadata;
  const labels = {'olm.owner': owner, 'olm.owner.namespace': namespace, 'olm.owner.kind': 'ClusterServiceVersion'};
  const {deployments, permissions = [], clusterPermissions = []} = csv.spec.install.spec;
  const accounts = [...new Set([...permissions, ...clusterPermissions].map(permission => permission.serviceAccountName))];
  return [
    ...beside.map(object => (clusterKinds.has(object.kind) ? object : {...object, metadata: {...object.metadata, namespace}})),
    ...accounts.map(name => ({apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name, namespace}})),
    ...permissions.flatMap((permission, index) => roleAndBinding({permission, name: `${owner}-role-${index}`, namespace, labels, clusterWide: false})),
    ...clusterPermissions.flatMap((permission, index) => roleAndBinding({permission, name: `${owner}-clusterrole-${index}`, namespace, labels, clusterWide: true})),
    ...deployments.map(({name, label = {}, spec}) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name, namespace, labels: {...label, ...labels, 'olm.managed': 'true'}},
      spec: withOwnEnvironment(spec, {owner, namespace}),
    })),
  ];
}

interface RoleOptions {
  readonly permission: Permission;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly clusterWide: boolean;
}

function roleAndBinding({permission, name, namespace, labels, clusterWide}: RoleOptions): readonly KubeObject[] {
  const metadata = {name, ...(!clusterWide && {namespace}), labels};
  const kind = clusterWide ? 'ClusterRole' : 'Role';
  return [
    {apiVersion: `${rbac}/v1`, kind, metadata, rules: permission.rules},
    {
      apiVersion: `${rbac}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: {apiGroup: rbac, kind, name},
      subjects: [{kind: 'ServiceAccount', name: permission.serviceAccountName, namespace}],
    },
  ];
}

interface PodTemplate {
  metadata?: {annotations?: Record<string, string>};
  spec: {containers: {env?: object[]}[]};
}

/** OLM tells the operator its condition, and the Pods which namespaces are theirs (an empty text: all). */
function withOwnEnvironment(spec: Record<string, unknown>, {owner, namespace}: {readonly owner: string; readonly namespace: string}): Record<string, unknown> {
  const copy = structuredClone(spec) as {template: PodTemplate};
  copy.template.metadata = {...copy.template.metadata, annotations: {...copy.template.metadata?.annotations, 'olm.targetNamespaces': '', 'olm.operatorGroup': 'global', 'olm.operatorNamespace': namespace}};
  for (const container of copy.template.spec.containers) container.env = [...(container.env ?? []), {name: 'OPERATOR_CONDITION_NAME', value: owner}];
  return copy as unknown as Record<string, unknown>;
}
