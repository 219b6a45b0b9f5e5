const verbs = ['create', 'update', 'patch', 'delete', 'get', 'list', 'watch'];
const background = [
  'configmaps',
  'networkpolicies',
  'resourcequotas',
  'secrets',
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'limitranges',
  'namespaces',
  'nodes',
  'nodes/status',
  'pods',
];

/** What the suites' own installation grants the operator beyond its own roles, by the labels that collect such grants. */
export const standardRoles = [
  role('admission', [{apiGroups: ['*'], resources: ['secrets'], verbs}]),
  role('background', [{apiGroups: ['*'], resources: background, verbs}]),
  role('cleanup', [{apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'delete']}]),
  role('reports', [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
      verbs: ['get', 'list', 'watch'],
    },
  ]),
  role(
    'admission',
    [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
        verbs,
      },
    ],
    'native',
  ),
];

function role(part: string, rules: readonly object[], suffix = 'additional') {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `kyverno:${part}-controller:${suffix}`,
      labels: {[`rbac.kyverno.io/aggregate-to-${part}-controller`]: 'true'},
    },
    rules,
  };
}
