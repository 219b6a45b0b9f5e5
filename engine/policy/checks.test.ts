import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {loadClassicPolicy} from './load-policy.js';
import {policyWith, yamlObject} from './testing/build.js';
import {testKinds} from './testing/kinds.js';

interface Case {
  readonly title: string;
  readonly policy: JsonObject;
  /** `path` and a part of the message of each error, in order; nothing else may be reported. */
  readonly errors?: ReadonlyArray<readonly [string, string]>;
  readonly warnings?: ReadonlyArray<readonly [string, string]>;
}

const rule = 'spec.rules[0]';
const noValidate = 'validate: null';
const background =
  'only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule';

/** One or more broken policies per check that needs no cluster, in the order of the language's list. */
const cases: readonly Case[] = [
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
  {
    title: '29 a kind that the cluster does not have',
    policy: policyWith('match: {any: [{resources: {kinds: [Gizmo, v2/Pod, Pod/nothing]}}]}', '{background: false}'),
    warnings: [
      [
        `${rule}.match.any[0].resources.kinds[0]`,
        'the kind defined in the all match resource is invalid: unable to convert GVK to GVR for kinds Gizmo',
      ],
      [`${rule}.match.any[0].resources.kinds[1]`, 'kinds v2/Pod'],
      [`${rule}.match.any[0].resources.kinds[2]`, 'kinds Pod/nothing'],
    ],
  },
  {
    title: '30 subresources with background on',
    policy: policyWith('match: {any: [{resources: {kinds: [Pod/exec, Deployment.status]}}]}'),
    errors: [
      [`${rule}.match.any[0].resources.kinds[0]`, 'background scan enabled with subresource Pod/exec'],
      [`${rule}.match.any[0].resources.kinds[1]`, 'background scan enabled with subresource Deployment.status'],
    ],
  },
  {
    title: '31 JSON patches',
    policy: policyWith(
      `${noValidate}
mutate:
  patchesJson6902: |-
    - {op: add, path: metadata/labels/a, value: b}
    - {op: put, path: /a, value: b}
    - {op: replace, path: /a}`,
    ),
    errors: [
      [`${rule}.mutate.patchesJson6902[0].path`, 'path must begin with a forward slash: metadata/labels/a'],
      [`${rule}.mutate.patchesJson6902[1].op`, 'unexpected kind: "put"'],
      [`${rule}.mutate.patchesJson6902[2].value`, 'invalid value: '],
    ],
  },
  {
    title: '32 a JSON patch on Pods',
    policy: policyWith(
      `${noValidate}\nmatch: {resources: {kinds: [Pod]}}\nmutate: {patchesJson6902: "- {op: remove, path: /a}"}`,
    ),
    warnings: [
      [`${rule}.mutate`, 'Pods managed by workload controllers should not be directly mutated using policies.'],
    ],
  },
  {
    title: '33 any beside direct resources',
    policy: policyWith('match: {any: [{resources: {kinds: [Pod]}}], resources: {kinds: [Pod]}}'),
    errors: [[`${rule}.match`, "can't specify any/all together with match resources"]],
  },
  {
    title: '33 an empty match',
    policy: policyWith('match: {}'),
    errors: [[`${rule}.match`, 'match resources not specified']],
  },
  {
    title: '34 conditions',
    policy: policyWith(
      `preconditions: {all: [{key: a, operator: Equals}, {key: a, operator: Sounds, value: b}]}
validate: {deny: {conditions: [{key: "{{request.operation}}", operator: In, value: [CREATE, MAKE]}]}}`,
    ),
    errors: [
      [`${rule}.preconditions.all[0]`, 'entered value of `key`, `value` or `operator` is missing or misspelled'],
      [`${rule}.preconditions.all[1].operator`, 'entered value of `operator` is invalid. valid values: '],
      [
        `${rule}.validate.deny.conditions[0].value`,
        "unknown value 'MAKE' found under the 'value' field. Only the following values are allowed: [CREATE, UPDATE, DELETE, CONNECT]",
      ],
    ],
    warnings: [
      [`${rule}.validate.deny.conditions[0].operator`, 'Operator In has been deprecated and will be removed soon.'],
    ],
  },
  {
    title: '35 element outside of foreach',
    policy: policyWith(
      'validate: {message: "{{element.name}}", foreach: [{list: request.object.spec.containers, deny: {conditions: {all: [{key: "{{element.name}}", operator: Equals, value: a}]}}}]}',
    ),
    errors: [
      [
        `${rule}.validate.message`,
        `variable 'element.name' present outside of foreach at path ${rule}.validate.message`,
      ],
    ],
  },
  {
    title: '36 context entries',
    policy: policyWith(
      `context:
  - {variable: {value: 1}}
  - {name: images.a, variable: {value: 1}}
  - {name: two, variable: {value: 1}, configMap: {name: a, namespace: b}}
  - {name: cm, configMap: {}}
  - {name: call, apiCall: {urlPath: /a, service: {url: "https://a"}}}
  - {name: none, apiCall: {}}
  - {name: bad, apiCall: {urlPath: /a, jmesPath: "a..b"}}
  - {name: nothing, variable: {default: 1}}
  - {name: image, imageRegistry: {reference: "a b"}}
  - {name: global, globalReference: {}}`,
    ),
    errors: [
      [`${rule}.context[0].name`, 'a name is required for context entries'],
      [`${rule}.context[1].name`, 'entry name images.a is invalid as it conflicts with a pre-defined variable images'],
      [
        `${rule}.context[2]`,
        'exactly one of configMap or apiCall or imageRegistry or variable is required for context entries',
      ],
      [`${rule}.context[3].configMap.name`, 'a name is required'],
      [`${rule}.context[3].configMap.namespace`, 'a namespace is required'],
      [`${rule}.context[4].apiCall`, 'both urlPath and service'],
      [`${rule}.context[5].apiCall`, 'either urlPath or service'],
      [`${rule}.context[6].apiCall.jmesPath`, 'invalid JMESPath query a..b'],
      [`${rule}.context[7].variable`, 'value or jmesPath is required'],
      [`${rule}.context[7].variable.default`, 'default requires jmesPath'],
      [`${rule}.context[8].imageRegistry.reference`, 'bad image reference'],
      [`${rule}.context[9].globalReference.name`, 'a name is required'],
    ],
  },
  {
    title: '37 44 image verification',
    policy: policyWith(
      `${noValidate}
imageExtractors: {Widget: [{path: /spec/image, jmesPath: to_string(@)}]}
verifyImages:
  - attestors: [{count: 2, entries: [{keys: {publicKeys: a}}]}, {entries: []}]
  - imageReferences: ["a/{{request.name}}"]
    failureAction: Audit
    type: Notary
    attestors: [{entries: [{keys: {publicKeys: a}}, {}]}]
    attestations: [{type: x, predicateType: q}, {predicateType: z, conditions: [{all: [{key: a, operator: Equals}]}]}]`,
    ),
    errors: [
      [`${rule}.verifyImages[0].imageReferences`, 'An image reference is required'],
      [`${rule}.verifyImages[0].attestors[0].count`, 'Count cannot exceed length of entries'],
      [`${rule}.verifyImages[0].attestors[1].entries`, 'An entry is required'],
      [`${rule}.verifyImages[1].imageReferences[0]`, 'rule should not have variables in image reference section'],
      [`${rule}.verifyImages[1].mutateDigest`, 'mutateDigest must be set to false for ‘Audit’ failure action'],
      [`${rule}.verifyImages[1].attestors[0].entries[0].keys`, 'keys is not allowed for type Notary'],
      [
        `${rule}.verifyImages[1].attestors[0].entries[1]`,
        'keys, certificates, keyless, or a nested attestor is required',
      ],
      [`${rule}.verifyImages[1].attestations[0].predicateType`, 'predicateType and type cannot be used together'],
      [`${rule}.verifyImages[1].attestations[1].conditions[0].all[0]`, 'is missing or misspelled'],
      [
        `${rule}.imageExtractors.Widget[0].jmesPath`,
        'jmespath may not be used in an image extractor when mutating digests with verify images',
      ],
    ],
    warnings: [
      [`${rule}.verifyImages[1].attestations[1].predicateType`, "predicateType has been deprecated use 'type: z'"],
    ],
  },
  {
    title: '38 a filter without kinds',
    policy: policyWith('match: {resources: {namespaces: [a]}}'),
    errors: [
      [
        `${rule}.match.resources.kinds`,
        'at least one element must be specified in a kind block, the kind attribute is mandatory when working with the resources element',
      ],
    ],
  },
  {
    title: '39 patches beside each other and in nested loops',
    policy: policyWith(
      `${noValidate}
mutate:
  patchStrategicMerge: {}
  foreach:
    - list: request.object.a
      preconditions: {}
      foreach: [{list: element.b, patchStrategicMerge: {}}]
    - list: request.object.a`,
    ),
    errors: [
      [`${rule}.mutate`, 'only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed'],
      [`${rule}.mutate.foreach[0]`, 'a nested foreach cannot contain other declarations'],
      [`${rule}.mutate.foreach[1]`, 'only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed'],
    ],
  },
  {
    title: '40 CEL preconditions without CEL',
    policy: policyWith('celPreconditions: [{name: a, expression: "true"}]'),
    errors: [[`${rule}.celPreconditions`, 'celPrecondition can only be used with validate.cel']],
  },
  {
    title: '41 validation elements',
    policy: policyWith('validate: {pattern: {}, deny: {}}'),
    errors: [[`${rule}.validate`, 'one of pattern, anyPattern, deny, foreach, cel must be specified']],
  },
  {
    title: '41 no validation element',
    policy: policyWith('validate: {message: m}'),
    errors: [[`${rule}.validate`, 'one of pattern, anyPattern, deny, foreach, cel must be specified']],
  },
  {
    title: '41 anchors',
    policy: policyWith('validate: {anyPattern: [{"+(a)": b}, {a: {"^(b)": c}}]}'),
    errors: [
      [`${rule}.validate.anyPattern[0]."+(a)"`, 'unsupported anchor +(a)'],
      [`${rule}.validate.anyPattern[1].a."^(b)"`, 'existence anchor should have value of type list'],
    ],
  },
  {
    title: '41 foreach entries',
    policy: policyWith('validate: {foreach: [{deny: {}}, {list: request.object.a}]}'),
    errors: [
      [`${rule}.validate.foreach[0].list`, 'foreach.list is required'],
      [`${rule}.validate.foreach[1]`, 'one of pattern, anyPattern, deny, or a nested foreach must be specified'],
    ],
  },
  {
    title: '36 41 CEL rules',
    policy: policyWith(
      `context: [{name: a, variable: {value: 1}}]
validate:
  cel:
    expressions: [{message: m}]
    paramKind: {apiVersion: v1, kind: ConfigMap}
    paramRef: {name: a}
    auditAnnotations: [{key: a}]`,
    ),
    errors: [
      [`${rule}.validate.cel`, 'context variables are not supported for CEL expressions in validate rules'],
      [`${rule}.validate.cel.expressions[0].expression`, 'cel.expressions.expression is required'],
      [`${rule}.validate.cel.auditAnnotations[0].valueExpression`, 'cel.auditAnnotations.valueExpression is required'],
      [`${rule}.validate.cel.paramRef.parameterNotFoundAction`, 'cel.paramRef.parameterNotFoundAction is required'],
    ],
  },
  {
    title: '43 anchors in generated data',
    policy: policyWith(
      `${noValidate}\ngenerate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {data: {"+(x)": "1"}}}`,
    ),
    errors: [[`${rule}.generate.data.data."+(x)"`, 'anchors not supported on generate resources']],
  },
  {
    title: '45 autogen for some controllers',
    policy: {
      ...policyWith('{}'),
      metadata: {name: 'p', annotations: {'pod-policies.kyverno.io/autogen-controllers': 'Deployment'}},
    },
    warnings: [
      [
        'metadata.annotations."pod-policies.kyverno.io/autogen-controllers"',
        'Policies that match Pods apply to all Pods including those created and managed by controllers excluded from autogen.',
      ],
    ],
  },
  {
    title: '46 labels that are no strings',
    policy: policyWith('validate: {pattern: {metadata: {labels: {a: 1}, "=(annotations)": {b: true}}}}'),
    errors: [
      [`${rule}.validate.pattern.metadata.labels.a`, 'labels and annotations supports only string values'],
      [`${rule}.validate.pattern.metadata."=(annotations)".b`, 'labels and annotations supports only string values'],
    ],
  },
  {
    title: '47 replicas and status without their subresource',
    policy: policyWith(
      'match: {any: [{resources: {kinds: [Deployment]}}]}\nvalidate: {pattern: {spec: {replicas: ">1"}, status: {a: b}}}',
    ),
    warnings: [
      [rule, 'You are matching on replicas but not including the scale subresource in the policy.'],
      [rule, 'You are matching on status but not including the status subresource in the policy.'],
    ],
  },
  {
    title: '48 deprecated operators',
    policy: policyWith(
      'preconditions: {any: [{key: a, operator: NotIn, value: [b]}, {key: 1h, operator: DurationGreaterThan, value: 1m}]}',
    ),
    warnings: [
      [
        `${rule}.preconditions.any[0].operator`,
        'Operator NotIn has been deprecated and will be removed soon. Use these instead: ["AllNotIn" "AnyNotIn"]',
      ],
      [`${rule}.preconditions.any[1].operator`, 'Operator DurationGreaterThan has been deprecated'],
    ],
  },
];

function summary(items: readonly {readonly path: string; readonly message: string}[], expected: Case['errors'] = []) {
  return items.map(({path, message}, index) => [
    path,
    expected[index] && message.includes(expected[index][1]) ? expected[index][1] : message,
  ]);
}

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

const generate = (changes: string) =>
  policyWith(`${noValidate}
match: {any: [{resources: {kinds: [Namespace]}}]}
generate: {apiVersion: v1, kind: Secret, name: a, namespace: b, synchronize: true, data: {data: {}}}
${changes}`);

describe('deprecated fields', () => {
  it('are told, each with its successor', () => {
    const spec =
      '{failurePolicy: Ignore, webhookTimeoutSeconds: 3, schemaValidation: true, validationFailureAction: Audit, generateExisting: true}';
    const result = loadClassicPolicy(policyWith('{}', spec), {resources: testKinds});
    expect(result.errors).toEqual([]);
    expect(result.warnings.map(({message}) => message)).toEqual([
      'spec.failurePolicy is deprecated: use spec.webhookConfiguration.failurePolicy instead',
      'spec.webhookTimeoutSeconds is deprecated: use spec.webhookConfiguration.timeoutSeconds instead',
      'spec.schemaValidation is deprecated: it has no effect',
      'spec.validationFailureAction is deprecated: use spec.rules[*].validate.failureAction instead',
      'spec.generateExisting is deprecated: use spec.rules[*].generate.generateExisting instead',
    ]);
  });

  it('of image verification are told too', () => {
    const policy = policyWith('validate: null\nverifyImages: [{image: "a/*", key: k}]');
    expect(loadClassicPolicy(policy, {resources: testKinds}).warnings).toMatchObject([
      {
        path: 'spec.rules[0].verifyImages[0]',
        message: 'image, key: deprecated, use imageReferences and attestors instead',
      },
    ]);
  });
});

describe('verifiers', () => {
  it('have no part that nobody reads', () => {
    const policy = policyWith(`validate: null
verifyImages:
  - imageReferences: [a]
    attestors: [{entries: [{keyless: {issuers: x, rekor: {url: u, key: 1}}}, {attestor: {entries: [{keys: {kms: a, public: b}}]}}]}]`);
    const path = 'spec.rules[0].verifyImages[0].attestors[0].entries';
    expect(loadClassicPolicy(policy, {resources: testKinds}).errors.map(error => [error.path, error.message])).toEqual([
      [`${path}[0].keyless.issuers`, 'unknown field "issuers"'],
      [`${path}[0].keyless.rekor.key`, 'unknown field "key"'],
      [`${path}[1].attestor.entries[0].keys.public`, 'unknown field "public"'],
    ]);
  });
});

describe('updates of generate rules', () => {
  it.each([
    {title: 'name', changes: 'name: other', path: 'spec.rules[0].name'},
    {title: 'match', changes: 'match: {any: [{resources: {kinds: [Namespace, Pod]}}]}', path: 'spec.rules[0].match'},
    {title: 'exclude', changes: 'exclude: {any: [{resources: {namespaces: [a]}}]}', path: 'spec.rules[0].exclude'},
    {title: 'preconditions', changes: 'preconditions: {all: []}', path: 'spec.rules[0].preconditions'},
  ])('27 refuse another $title', ({changes, path}) => {
    const {errors} = loadClassicPolicy(generate(changes), {resources: testKinds, old: generate('')});
    expect(errors).toMatchObject([
      {path, message: 'changes of immutable fields of a rule spec in a generate rule is disallowed'},
    ]);
  });

  it('26 warn about another target', () => {
    const changed = generate(
      'generate: {apiVersion: v1, kind: Secret, name: c, namespace: b, synchronize: true, data: {data: {}}}',
    );
    const result = loadClassicPolicy(changed, {resources: testKinds, old: generate('')});
    expect(result.errors).toEqual([]);
    expect(result.warnings[0]?.message).toMatch(
      /^no synchronization will be performed to the old target resource upon policy updates/,
    );
  });

  it('take other data and switches as they come', () => {
    const changed = generate(
      'generate: {apiVersion: v1, kind: Secret, name: a, namespace: b, synchronize: false, data: {data: {a: b}}}',
    );
    const result = loadClassicPolicy(changed, {resources: testKinds, old: generate('skipBackgroundRequests: true')});
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([]);
  });
});
