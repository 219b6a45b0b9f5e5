import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {loadClassicPolicy} from './load-policy.js';
import {policyWith, yamlObject} from './testing/build.js';
import {type CheckCase, summary} from './testing/cases.js';
import {testKinds} from './testing/kinds.js';

const rule = 'spec.rules[0]';
const noValidate = 'validate: null';
const background =
  'only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule';

/** One or more broken policies per check that needs no cluster, in the order of the language's list. */
const cases: readonly CheckCase[] = [
  {
    title: '1 a namespace on a ClusterPolicy is ignored',
    policy: {...policyWith('{}'), metadata: {name: 'p', namespace: 'x'}},
    warnings: [['metadata.namespace', 'compat: metadata.namespace: ignored']],
  },
  {
    title: '3 lower-case failure actions',
    policy: policyWith(
      'validate: {failureAction: enforce, pattern: {}}',
      '{validationFailureAction: audit, validationFailureActionOverrides: [{action: enforce, namespaces: [a]}]}',
    ),
    warnings: [
      [
        'spec.validationFailureAction',
        'Validation failure actions enforce/audit are deprecated, use Enforce/Audit instead.',
      ],
      ['spec.validationFailureActionOverrides[0].action', 'Validation failure actions enforce/audit are deprecated'],
      [`${rule}.validate.failureAction`, 'Validation failure actions enforce/audit are deprecated'],
    ],
  },
  {
    title: '5 user info with background on',
    policy: policyWith(
      'match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: a}]}]}\nexclude: {clusterRoles: [admin]}',
    ),
    errors: [
      [
        `${rule}.match.any[0].subjects`,
        `${background}: invalid variable used at path: spec/rules[0]/match/any[0]/subjects`,
      ],
      [`${rule}.exclude.clusterRoles`, 'invalid variable used at path: spec/rules[0]/exclude/clusterRoles'],
    ],
  },
  {
    title: '6 user variables with background on',
    policy: policyWith(
      'validate: {message: "{{request.userInfo.username}}", pattern: {metadata: {name: "{{ serviceAccountName }}"}}}',
    ),
    errors: [
      [`${rule}.validate.message`, `${background}: variable {{request.userInfo.username}} is not allowed`],
      [`${rule}.validate.pattern.metadata.name`, `${background}: variable {{serviceAccountName}} is not allowed`],
    ],
  },
  {
    title: '7 variables in match, exclude and JSON patch paths',
    policy: policyWith(
      `${noValidate}
match: {any: [{resources: {kinds: [Pod], names: ["{{request.name}}"]}}]}
exclude: {any: [{resources: {namespaces: ["{{request.namespace}}"]}}]}
mutate: {patchesJson6902: '[{"op": "remove", "path": "/metadata/labels/{{request.name}}"}]'}`,
    ),
    errors: [
      [`${rule}.match.any[0].resources.names[0]`, 'rule should not have variables in match section'],
      [`${rule}.exclude.any[0].resources.namespaces[0]`, 'rule should not have variables in exclude section'],
      [`${rule}.mutate.patchesJson6902[0].path`, 'rule should not have variables in patchesJson6902 path section'],
    ],
  },
  {
    title: '8 unknown variables and bad queries',
    policy: policyWith('validate: {message: "{{ nobody.knows }} {{ request.[ }}", pattern: {}}'),
    errors: [
      [
        `${rule}.validate.message`,
        'policy contains invalid variables: variable substitution failed for rule r: variable {{nobody.knows}} must match',
      ],
      [`${rule}.validate.message`, 'policy contains invalid variables: invalid JMESPath query request.['],
    ],
  },
  {
    title: '9 autogen annotation all',
    policy: {
      ...policyWith('{}'),
      metadata: {name: 'p', annotations: {'pod-policies.kyverno.io/autogen-controllers': 'all'}},
    },
    errors: [
      [
        'metadata.annotations."pod-policies.kyverno.io/autogen-controllers"',
        "Autogen annotation does not support 'all' anymore",
      ],
    ],
  },
  {
    title: '10 a long policy name',
    policy: {...policyWith('{}'), metadata: {name: 'x'.repeat(64)}},
    errors: [['metadata.name', 'must be no more than 63 characters']],
  },
  {
    title: '11 deprecated fields beside their successors',
    policy: policyWith(
      '{}',
      '{failurePolicy: Fail, webhookTimeoutSeconds: 5, generateExistingOnPolicyUpdate: true, webhookConfiguration: {failurePolicy: Ignore, timeoutSeconds: 9}}',
    ),
    errors: [
      ['spec.failurePolicy', 'remove the deprecated field and use spec.webhookConfiguration.failurePolicy instead'],
      [
        'spec.webhookTimeoutSeconds',
        'remove the deprecated field and use spec.webhookConfiguration.timeoutSeconds instead',
      ],
      [
        'spec.generateExistingOnPolicyUpdate',
        'remove the deprecated field and use spec.generate[*].generateExisting instead',
      ],
    ],
  },
  {
    title: '12 mutation of existing objects without targets',
    policy: policyWith(`${noValidate}\nmutate: {mutateExistingOnPolicyUpdate: true, patchStrategicMerge: {}}`),
    errors: [
      [
        `${rule}.mutate.targets`,
        'rules[0].mutate.targets has to be specified when mutateExistingOnPolicyUpdate is set',
      ],
    ],
  },
  {
    title: '13 timeouts out of range',
    policy: policyWith('{}', '{webhookTimeoutSeconds: 31}'),
    errors: [['spec.webhookTimeoutSeconds', 'the timeout value must be between 1 and 30 seconds']],
  },
  {
    title: '15 no action',
    policy: policyWith('validate: {}'),
    errors: [
      [rule, "No operation defined in the rule 'r'.(supported operations: mutate,validate,generate,verifyImages)"],
    ],
  },
  {
    title: '15 several actions',
    policy: policyWith('mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}'),
    errors: [[rule, "Multiple operations defined in the rule 'r'"]],
  },
  {
    title: '16 image extractors alone',
    policy: policyWith('imageExtractors: {Widget: [{path: /spec/image}]}'),
    errors: [[`${rule}.imageExtractors`, 'imageExtractors can only be defined for verifyImages rule']],
  },
  {
    title: '17 identical match and exclude filters',
    policy: policyWith('exclude: {any: [{resources: {kinds: [Pod]}}]}'),
    errors: [[rule, 'Rule is matching an empty set']],
  },
  {
    title: '17 a direct exclude that covers the match',
    policy: policyWith(
      'match: {resources: {kinds: [Pod], namespaces: [a]}}\nexclude: {resources: {kinds: [Service, Pod]}}',
    ),
    errors: [[rule, 'Rule is matching an empty set']],
  },
  {
    title: '18 forms of filters',
    policy: policyWith(
      `match:
  any:
    - resources: {kinds: [Pod], name: a, names: [b], selector: {}}
      roles: [admin]
      subjects: [{kind: Robot, name: x}, {kind: User}, {kind: ServiceAccount, name: x}]
  all: [{resources: {kinds: [Pod], selector: {matchExpressions: [{key: a, operator: Like}]}}}]`,
      '{background: false}',
    ),
    errors: [
      [`${rule}.match`, "Can't specify any and all together"],
      [`${rule}.match.any[0].resources`, 'Both name and names can not be specified together'],
      [`${rule}.match.any[0].resources.selector`, 'The requirements are not specified in selector'],
      [`${rule}.match.any[0].roles[0]`, 'Role is expected to be in namespace:name format'],
      [`${rule}.match.any[0].subjects[0].kind`, "kind must be 'User', 'Group', or 'ServiceAccount'"],
      [`${rule}.match.any[0].subjects[1].name`, 'name is required'],
      [`${rule}.match.any[0].subjects[2].namespace`, 'namespace is required'],
      [
        `${rule}.match.all[0].resources.selector.matchExpressions[0].operator`,
        '"Like" is not a valid label selector operator',
      ],
    ],
  },
  {
    title: '19 a namespaced policy that reaches beyond its namespace',
    policy: policyWith(
      'match: {any: [{resources: {kinds: [Namespace], namespaces: [a]}}]}',
      '{validationFailureActionOverrides: [{action: Audit, namespaces: [a]}]}',
      'Policy',
    ),
    errors: [
      [
        'spec.validationFailureActionOverrides',
        'Use of validationFailureActionOverrides is supported only with ClusterPolicy',
      ],
      [`${rule}.match.any[0].resources.namespaces`, 'Filtering namespaces not allowed in namespaced policies'],
      [`${rule}.match.any[0].resources.kinds[0]`, "Cluster wide resource 'Namespace' not allowed in namespaced policy"],
    ],
  },
  {
    title: '19 a mutation target in another namespace',
    policy: policyWith(
      `${noValidate}\nmutate: {targets: [{apiVersion: v1, kind: Secret, namespace: other}], patchStrategicMerge: {}}`,
      '{}',
      'Policy',
    ),
    errors: [
      [
        `${rule}.mutate.targets[0].namespace`,
        'This field can be ignored or should have value of the namespace where the policy is being created',
      ],
    ],
  },
  {
    title: '20 pod security exclusions',
    policy: policyWith(
      `validate:
  podSecurity:
    level: baseline
    exclude:
      - {controlName: Volume Types}
      - {controlName: Capabilities}
      - {controlName: Host Namespaces, images: [a]}
      - {controlName: Seccomp, restrictedField: spec.x}
      - {controlName: Seccomp, values: [a]}`,
    ),
    errors: [
      [`${rule}.podSecurity.exclude[0].controlName`, 'Invalid control name defined at the given level'],
      [`${rule}.podSecurity.exclude[1].images`, 'exclude.images must be specified for the container level control'],
      [`${rule}.podSecurity.exclude[2].images`, 'exclude.images must not be specified for the pod level control'],
      [`${rule}.podSecurity.exclude[3].values`, 'values is required'],
      [`${rule}.podSecurity.exclude[4].restrictedField`, 'restrictedField is required'],
    ],
  },
  {
    title: '14 20 pod security level and version',
    policy: policyWith('validate: {podSecurity: {version: newest}}'),
    errors: [
      [`${rule}.podSecurity.level`, 'level is required'],
      [`${rule}.podSecurity.version`, 'invalid version'],
    ],
  },
  {
    title: '21 several generate patterns and empty target parts',
    policy: policyWith(`${noValidate}\ngenerate: {data: {}, clone: {name: a}}`),
    errors: [
      [`${rule}.generate`, 'only one of generate patterns(data, clone, cloneList and foreach) can be specified'],
      [`${rule}.generate.kind`, 'kind can not be empty'],
      [`${rule}.generate.name`, 'name can not be empty'],
      [`${rule}.generate.apiVersion`, 'apiVersion can not be empty'],
    ],
  },
  {
    title: '21 a target namespace that is missing',
    policy: policyWith(`${noValidate}\ngenerate: {apiVersion: v1, kind: Secret, name: a, data: {}}`),
    errors: [[`${rule}.generate.namespace`, 'target namespace must be set for a namespaced resource']],
  },
  {
    title: '21 a target namespace that must not be',
    policy: policyWith(`${noValidate}\ngenerate: {apiVersion: v1, kind: Namespace, name: a, namespace: b, data: {}}`),
    errors: [[`${rule}.generate.namespace`, 'target namespace must not be set for a cluster-wide resource']],
  },
  {
    title: '21 a Policy that writes and clones across namespaces',
    policy: policyWith(
      `${noValidate}\ngenerate: {apiVersion: v1, kind: Secret, name: a, namespace: b, clone: {name: s, namespace: c}}`,
      '{}',
      'Policy',
    ),
    errors: [
      [
        `${rule}.generate.namespace`,
        'a namespaced policy cannot generate resources in other namespaces, expected: team, received: b',
      ],
      [`${rule}.generate.clone.namespace`, 'expected: team, received: c'],
    ],
  },
  {
    title: '21 43 clone lists',
    policy: policyWith(
      `${noValidate}\ngenerate: {namespace: a, cloneList: {kinds: [v1/Secret, rbac.authorization.k8s.io/v1/ClusterRole], selector: {matchLabels: {a: "x*"}}}}`,
    ),
    errors: [
      [`${rule}.generate.cloneList.kinds`, 'mixed scope of target resources is forbidden'],
      [`${rule}.generate.cloneList.selector.matchLabels.a`, 'wildcard characters `*/?` not supported'],
    ],
  },
  {
    title: '22 variables where synchronisation needs constants',
    policy: policyWith(
      `${noValidate}\ngenerate: {apiVersion: v1, kind: Secret, name: a, namespace: b, clone: {name: "{{request.name}}", namespace: c}}`,
    ),
    warnings: [
      [`${rule}.generate.clone.name`, 'variables in clone.name would lead to incorrect synchronization behavior'],
    ],
  },
  {
    title: '23 overrides that contradict each other',
    policy: policyWith(
      '{}',
      '{validationFailureActionOverrides: [{action: Enforce, namespaces: [a, "team-*"]}, {action: Audit, namespaces: [a, team-b, "team-c*"]}, {action: deny}]}',
    ),
    errors: [
      ['spec.validationFailureActionOverrides[2].action', 'invalid action'],
      ['spec.validationFailureActionOverrides', 'conflicting namespaces found in path'],
      ['spec.validationFailureActionOverrides', "wildcard pattern 'team-*' matches with namespace 'team-b'"],
      ['spec.validationFailureActionOverrides', "wildcard pattern 'team-*' conflicts with the pattern 'team-c*'"],
    ],
  },
  {
    title: '24 neither admission nor background',
    policy: policyWith('{}', '{admission: false, background: false}'),
    errors: [['spec', 'disabling both admission and background processing is not allowed']],
  },
  {
    title: '25 no admission with a mutate rule',
    policy: policyWith(`${noValidate}\nmutate: {patchStrategicMerge: {}}`, '{admission: false}'),
    errors: [[rule, 'disabling admission processing is only allowed with validation policies']],
  },
  {
    title: '28 kind * beside others, in a foreach, beyond metadata',
    policy: policyWith(
      'match: {any: [{resources: {kinds: ["*", Pod]}}]}\nvalidate: {pattern: {spec: {a: b}}}',
      '{background: false}',
    ),
    errors: [
      [`${rule}.match.any[0].resources.kinds`, 'wildcard policy can not deal with more than one kind'],
      [
        `${rule}.match.any[0].resources.kinds`,
        'policy can only deal with the metadata field of the resource if the rule does not match any kind',
      ],
    ],
  },
  {
    title: '28 kind * for rule types that need a kind',
    policy: policyWith(
      'match: {any: [{resources: {kinds: ["*"]}}]}\nvalidate: {foreach: [{list: request.object.spec.a, deny: {}}]}',
      '{background: false}',
    ),
    errors: [[`${rule}.match.any[0].resources.kinds`, 'wildcard policy does not support rule type']],
  },
];

describe('checks of a policy', () => {
  it.each(cases)('$title', ({policy, errors = [], warnings = []}) => {
    const result = loadClassicPolicy(policy, {resources: testKinds});
    expect(summary(result.errors, errors)).toEqual(errors);
    const told = result.warnings.filter(({code}) => code !== 'deprecated-field');
    expect(summary(told, warnings)).toEqual(warnings);
    expect(result.policy === undefined).toBe(errors.length > 0);
  });

  it('14 finds a second rule of the same name', () => {
    const policy = policyWith('{}');
    const spec = policy['spec'] as JsonObject;
    spec['rules'] = [...(spec['rules'] as JsonObject[]), ...(spec['rules'] as JsonObject[])];
    expect(loadClassicPolicy(policy, {resources: testKinds}).errors).toMatchObject([
      {path: 'spec.rules[1].name', message: "Duplicate rule name: 'r'"},
    ]);
  });

  it('tells all faults of a policy in one answer', () => {
    const policy = yamlObject(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  applyRules: Some
  webhookTimeoutSeconds: 0
  rules:
    - name: one
      matches: {resources: {kinds: [Pod]}}
      validate: {patern: {a: b}}
    - name: two
      match: {resources: {kind: Pod}}
      validate: {pattern: {}, messsage: m}
    - name: three
    - 5`);
    const result = loadClassicPolicy(policy, {resources: testKinds});
    expect(result.policy).toBeUndefined();
    expect(
      result.errors.map(({path, message, hint}) => `${path}: ${message}${hint?.startsWith('did') ? ` ${hint}` : ''}`),
    ).toEqual([
      'spec.applyRules: Unsupported value: "Some": supported values: "All", "One"',
      'spec.webhookTimeoutSeconds: the timeout value must be between 1 and 30 seconds',
      'spec.rules[0].matches: unknown field "matches" did you mean "match"?',
      'spec.rules[0].validate.patern: unknown field "patern" did you mean "pattern"?',
      'spec.rules[1].match.resources.kind: unknown field "kind" did you mean "kinds"?',
      'spec.rules[1].validate.messsage: unknown field "messsage" did you mean "message"?',
      'spec.rules[3]: expected an object, found 5',
      'spec.rules[0].match: match resources not specified',
      'spec.rules[0].validate: one of pattern, anyPattern, deny, foreach, cel must be specified',
      'spec.rules[1].match: match resources not specified',
      "spec.rules[2]: rule 'three' at spec.rules[2] is unfinished: match and an action are missing",
    ]);
  });

  it('refuses unknown kinds where asked to', () => {
    const policy = policyWith('match: {any: [{resources: {kinds: [Gizmo]}}]}');
    const result = loadClassicPolicy(policy, {resources: testKinds, unknownKinds: 'refuse'});
    expect(result.errors).toMatchObject([{code: 'kind-unknown', path: `${rule}.match.any[0].resources.kinds[0]`}]);
  });
});
