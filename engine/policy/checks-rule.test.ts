import {describe, expect, it} from 'vitest';
import {loadClassicPolicy} from './load-policy.js';
import {policyWith} from './testing/build.js';
import {type CheckCase, summary} from './testing/cases.js';
import {testKinds} from './testing/kinds.js';

const rule = 'spec.rules[0]';
const noValidate = 'validate: null';

/** Broken policies for the checks of single rules, in the order of the language's list. */
const cases: readonly CheckCase[] = [
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
    title: '32 variables in variables of a JSON patch stand for one value',
    policy: policyWith(
      `${noValidate}
mutate:
  foreach:
    - list: request.object.spec.rules
      patchesJson6902: |-
        - path: /spec/rules/{{elementIndex}}/host
          op: replace
          value: {{replace_all('{{element.host}}', '.old', '.new')}}`,
    ),
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

describe('checks of a rule', () => {
  it.each(cases)('$title', ({policy, errors = [], warnings = []}) => {
    const result = loadClassicPolicy(policy, {resources: testKinds});
    expect(summary(result.errors, errors)).toEqual(errors);
    const told = result.warnings.filter(({code}) => code !== 'deprecated-field');
    expect(summary(told, warnings)).toEqual(warnings);
    expect(result.policy === undefined).toBe(errors.length > 0);
  });
});

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
