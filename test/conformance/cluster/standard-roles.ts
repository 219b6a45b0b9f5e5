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

const namespace = 'kyverno';
const rbac = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];

/** Whose rights the operator's duties have: suites bind roles to these accounts, by their names in Kyverno's own installation. */
const accounts = {
  admission: 'kyverno-admission-controller',
  background: 'kyverno-background-controller',
  cleanup: 'kyverno-cleanup-controller',
  reports: 'kyverno-reports-controller',
} as const;

/** Flags that let each duty act as its account. */
export const accountArgs = (['background', 'cleanup', 'reports'] as const).map(
  duty => `--${duty}ServiceAccountName=system:serviceaccount:${namespace}:${accounts[duty]}`,
);

/** The accounts, what Kyverno's own installation grants each of them, and the operator's right to act as them. */
export const serviceAccounts: readonly object[] = [
  {apiVersion: 'v1', kind: 'Namespace', metadata: {name: namespace}},
  ...Object.values(accounts).map(name => ({apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name, namespace}})),
  ...Object.entries(accounts).flatMap(([part, account]) => [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: {name: `kyverno:${part}-controller`},
      aggregationRule: {
        clusterRoleSelectors: [
          {matchLabels: {[`rbac.kyverno.io/aggregate-to-${part}-controller`]: 'true'}},
          {
            matchLabels: {
              'app.kubernetes.io/component': `${part}-controller`,
              'app.kubernetes.io/instance': 'kyverno',
              'app.kubernetes.io/part-of': 'kyverno',
            },
          },
        ],
      },
      rules: [],
    },
    clusterBinding(`kyverno:${part}-controller`, `kyverno:${part}-controller`, account),
    ...(part === 'cleanup' ? [] : [clusterBinding(`kyverno:${part}-controller:view`, 'view', account)]),
    role(part, [{apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: read}], 'core'),
  ]),
  {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: {name: 'kyverno:duties', namespace},
    rules: [
      {
        apiGroups: [''],
        resources: ['serviceaccounts'],
        resourceNames: [accounts.background, accounts.cleanup, accounts.reports],
        verbs: ['impersonate'],
      },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: {name: 'kyverno:duties', namespace},
    roleRef: {apiGroup: rbac, kind: 'Role', name: 'kyverno:duties'},
    subjects: [{kind: 'ServiceAccount', name: 'kyverno', namespace}],
  },
];

function clusterBinding(name: string, clusterRole: string, account: string) {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: {name},
    roleRef: {apiGroup: rbac, kind: 'ClusterRole', name: clusterRole},
    subjects: [{kind: 'ServiceAccount', name: account, namespace}],
  };
}

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
