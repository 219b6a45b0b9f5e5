import {describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import {createWorld} from '../apply/offline-world.js';
import {preparePolicy} from '../offline/prepare-policies.js';
import {convertPolicy} from './convert-documents.js';
import {type Comparison, prove} from './prove.js';

const resources = builtinResourceMap;

function policyOf(rules: readonly JsonObject[], spec: JsonObject = {}, kind = 'ClusterPolicy'): JsonObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind,
    metadata: {name: 'p', ...(kind === 'Policy' && {namespace: 'shop'}), annotations: {'example.org/title': 'kept'}},
    spec: {background: false, ...spec, rules: rules.map((rule, index) => ({name: `r${index}`, match: {any: [{resources: {kinds: ['Pod']}}]}, ...rule}))},
  } as unknown as JsonObject;
}

function yaml(text: string): JsonObject {
  return parse(text) as JsonObject;
}

function pod(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'web', namespace: 'shop', ...metadata},
    spec: {containers: [{name: 'web', image: 'web:1'}], ...spec},
  };
}

async function compare(policy: JsonObject, objects: readonly JsonObject[]): Promise<readonly Comparison[]> {
  const converted = convertPolicy(policy, resources);
  expect(converted.losses).toEqual([]);
  const world = createWorld({
    ...{policies: [], exceptions: [], objects, resources, values: undefined},
    user: {username: 'jane', groups: ['team-a'], roles: [], clusterRoles: []},
    set: new Map(),
    registry: false,
    cluster: undefined,
  });
  const before = preparePolicy({raw: policy, family: 'classic', path: '', line: 1}, resources);
  expect(before.invalid).toEqual([]);
  return prove({before, after: converted.prepared, world, resources: objects});
}

/** A rule, and objects with what both forms have to say of them. */
type Shape = readonly [name: string, rule: string, objects: ReadonlyArray<readonly [JsonObject, string]>];

const labelled = (labels: JsonObject) => pod({}, {labels});
const secure = (securityContext: JsonObject) => pod({containers: [{name: 'web', image: 'web:1', securityContext}]});
const image = (name: string) => pod({containers: [{name: 'web', image: name}]});

const shapes: readonly Shape[] = [
  [
    'a pattern of labels with wildcards',
    'validate: {message: m, pattern: {metadata: {labels: {app: "?*", "example.org/*": "a*"}}}}',
    [
      [labelled({app: 'x', 'example.org/tier': 'ab'}), 'pass'],
      [labelled({app: 'x', 'example.org/tier': 'b'}), 'fail'],
      [labelled({app: ''}), 'fail'],
      [pod({}), 'fail'],
    ],
  ],
  [
    'conditional and equality anchors',
    'validate: {message: m, pattern: {spec: {=(hostNetwork): false, containers: [{(image): "*:latest", imagePullPolicy: Always}]}}}',
    [
      [image('web:latest'), 'fail'],
      [pod({containers: [{name: 'a', image: 'a:latest', imagePullPolicy: 'Always'}]}), 'pass'],
      [pod({hostNetwork: true, containers: [{name: 'a', image: 'a:latest', imagePullPolicy: 'Always'}]}), 'fail'],
      [image('web:1'), 'skip'],
    ],
  ],
  [
    'a global anchor',
    'validate: {message: m, pattern: {spec: {containers: [{<(image): "corp/*"}], imagePullSecrets: [{name: corp}]}}}',
    [
      [image('corp/web'), 'fail'],
      [pod({containers: [{name: 'a', image: 'corp/a'}], imagePullSecrets: [{name: 'corp'}]}), 'pass'],
      [image('web:1'), 'skip'],
    ],
  ],
  [
    'negation and existence anchors',
    'validate: {message: m, pattern: {spec: {=(volumes): [{X(hostPath): null}], ^(containers): [{image: "web*"}]}}}',
    [
      [pod({}), 'pass'],
      [image('other'), 'fail'],
      [pod({volumes: [{name: 'v', hostPath: {path: '/'}}]}), 'fail'],
    ],
  ],
  [
    'operators, ranges, alternatives and amounts',
    'validate: {message: m, pattern: {spec: {containers: [{resources: {limits: {memory: "<=1Gi", cpu: "100m-2"}}, image: "!*:latest & web* | db*"}]}}}',
    [
      [pod({containers: [{name: 'a', image: 'web:1', resources: {limits: {memory: '512Mi', cpu: 1}}}]}), 'pass'],
      [pod({containers: [{name: 'a', image: 'web:1', resources: {limits: {memory: '2Gi', cpu: 1}}}]}), 'fail'],
      [pod({containers: [{name: 'a', image: 'web:1', resources: {limits: {memory: '512Mi', cpu: 3}}}]}), 'fail'],
      [pod({containers: [{name: 'a', image: 'web:latest', resources: {limits: {memory: '1', cpu: 1}}}]}), 'fail'],
      [pod({containers: [{name: 'a', image: 'db:latest', resources: {limits: {memory: '1', cpu: 1}}}]}), 'pass'],
    ],
  ],
  [
    'anyPattern',
    'validate: {message: m, anyPattern: [{spec: {securityContext: {runAsNonRoot: true}}}, {spec: {containers: [{securityContext: {runAsNonRoot: true}}]}}]}',
    [
      [secure({runAsNonRoot: true}), 'pass'],
      [pod({securityContext: {runAsNonRoot: true}}), 'pass'],
      [pod({}), 'fail'],
    ],
  ],
  [
    'deny conditions over projections',
    'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.[initContainers, containers][].securityContext.capabilities.add[] }}", operator: AnyNotIn, value: [CHOWN, "NET_*"]}]}}}',
    [
      [secure({capabilities: {add: ['CHOWN', 'NET_ADMIN']}}), 'pass'],
      [secure({capabilities: {add: ['SYS_ADMIN']}}), 'fail'],
      [pod({}), 'pass'],
    ],
  ],
  [
    'numbers, lengths and filters',
    'validate: {message: m, deny: {conditions: {any: [{key: "{{ request.object.spec.containers[?contains(image, \'bad\')] | length(@) }}", operator: GreaterThan, value: 1}]}}}',
    [
      [pod({containers: [{name: 'a', image: 'bad'}, {name: 'b', image: 'bad'}]}), 'fail'],
      [pod({containers: [{name: 'a', image: 'bad'}]}), 'pass'],
    ],
  ],
  [
    'preconditions',
    'preconditions: {all: [{key: "{{ request.object.metadata.labels.env || \'\' }}", operator: Equals, value: "prod*"}]}\nvalidate: {message: m, pattern: {metadata: {labels: {owner: "?*"}}}}',
    [
      [labelled({env: 'production'}), 'fail'],
      [labelled({env: 'production', owner: 'me'}), 'pass'],
      [labelled({env: 'dev'}), 'skip'],
      [pod({}), 'skip'],
    ],
  ],
  [
    'a loop with preconditions and a denial',
    'validate: {message: m, foreach: [{list: request.object.spec.containers, preconditions: {any: [{key: "{{ element.name }}", operator: NotEquals, value: side}]}, deny: {conditions: {any: [{key: "{{ element.image }}", operator: Equals, value: "*:latest"}]}}}]}',
    [
      [image('web:latest'), 'fail'],
      [pod({containers: [{name: 'side', image: 'web:latest'}]}), 'skip'],
      [pod({containers: [{name: 'side', image: 'web:latest'}, {name: 'a', image: 'a:1'}]}), 'pass'],
    ],
  ],
  [
    'a loop with a pattern',
    'validate: {message: m, foreach: [{list: "request.object.spec.[initContainers, containers][]", pattern: {image: "web*"}}]}',
    [
      [pod({}), 'pass'],
      [pod({initContainers: [{name: 'i', image: 'init'}]}), 'fail'],
    ],
  ],
  [
    'context variables',
    'context: [{name: images, variable: {jmesPath: "request.object.spec.containers[].image"}}]\nvalidate: {message: m, deny: {conditions: {any: [{key: "bad", operator: AnyIn, value: "{{ images }}"}]}}}'.replaceAll('images', 'pictures'),
    [
      [image('bad'), 'fail'],
      [pod({}), 'pass'],
    ],
  ],
  [
    'names, namespaces, labels and who asks',
    'match: {any: [{resources: {kinds: [Pod], names: ["web*"], namespaces: [shop]}, subjects: [{kind: User, name: jane}]}]}\nexclude: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {free: "yes"}}}}]}\nvalidate: {message: m, deny: {}}',
    [
      [pod({}), 'fail'],
      [pod({}, {namespace: 'other'}), 'skip'],
      [pod({}, {name: 'db'}), 'skip'],
      [labelled({free: 'yes'}), 'skip'],
    ],
  ],
  [
    'several kinds',
    'match: {any: [{resources: {kinds: [Service]}}, {resources: {kinds: [Pod], names: [db]}}]}\nvalidate: {message: m, pattern: {metadata: {labels: {app: "?*"}}}}',
    [
      [pod({}), 'skip'],
      [pod({}, {name: 'db'}), 'fail'],
      [{apiVersion: 'v1', kind: 'Service', metadata: {name: 's', namespace: 'shop'}, spec: {}}, 'fail'],
    ],
  ],
  [
    'Pod controllers',
    'validate: {message: m, pattern: {spec: {hostPID: false}}}',
    [
      [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: {name: 'd', namespace: 'shop'},
          spec: {template: {metadata: {}, spec: {hostPID: true, containers: [{name: 'a', image: 'a'}]}}},
        },
        'fail',
      ],
      [pod({hostPID: false}), 'pass'],
    ],
  ],
  [
    'validate.cel',
    'validate: {message: m, cel: {expressions: [{expression: "object.metadata.name == \'web\'"}]}}',
    [
      [pod({}), 'pass'],
      [pod({}, {name: 'db'}), 'fail'],
    ],
  ],
];

describe('classic rules as CEL policies', () => {
  it.each(shapes)('%s: both forms say the same', async (_name, rule, objects) => {
    const comparisons = await compare(
      policyOf([yaml(rule)]),
      objects.map(([object]) => object),
    );
    expect(comparisons.map(({before}) => before.status)).toEqual(objects.map(([, status]) => status));
    expect(comparisons.map(({differences}) => differences)).toEqual(objects.map(() => []));
  });

  it('several rules of one policy each keep their own match', async () => {
    const policy = policyOf([
      yaml('validate: {message: m, pattern: {metadata: {labels: {app: "?*"}}}}'),
      yaml('match: {any: [{resources: {kinds: [Service]}}]}\nvalidate: {message: m, pattern: {metadata: {labels: {svc: "?*"}}}}'),
    ]);
    const service = (labels: JsonObject): JsonObject => ({apiVersion: 'v1', kind: 'Service', metadata: {name: 's', namespace: 'shop', labels}, spec: {}});
    const comparisons = await compare(policy, [labelled({app: 'a'}), labelled({svc: 'a'}), service({svc: 'a'}), service({app: 'a'})]);
    expect(comparisons.map(({before, after}) => [before.status, after.status])).toEqual([
      ['pass', 'pass'],
      ['fail', 'fail'],
      ['pass', 'pass'],
      ['fail', 'fail'],
    ]);
  });
});

const changes: ReadonlyArray<readonly [name: string, rule: string, object: JsonObject]> = [
  [
    'labels, and defaults where nothing is set',
    'mutate: {patchStrategicMerge: {metadata: {labels: {team: red, "+(example.org/tier)": web}}, spec: {+(priorityClassName): low}}}',
    pod({priorityClassName: 'high'}),
  ],
  [
    'every container',
    'mutate: {patchStrategicMerge: {spec: {containers: [{(name): "*", env: [{name: A, value: b}]}], initContainers: [{(name): "*", imagePullPolicy: Always}]}}}',
    pod({initContainers: [{name: 'i', image: 'i'}]}),
  ],
  [
    'containers whose image matches',
    'mutate: {patchStrategicMerge: {spec: {containers: [{(image): "web*", imagePullPolicy: Always}]}}}',
    pod({containers: [{name: 'a', image: 'web:1'}, {name: 'b', image: 'db'}]}),
  ],
  ['a condition', 'mutate: {patchStrategicMerge: {metadata: {(name): web*, labels: {a: b}}}}', pod({})],
  ['a condition that does not hold', 'mutate: {patchStrategicMerge: {metadata: {(name): db*, labels: {a: b}}}}', pod({})],
  [
    'JSON patches',
    'mutate: {patchesJson6902: \'[{"op":"add","path":"/metadata/labels/a","value":"b"},{"op":"replace","path":"/spec/containers/0/image","value":"x"}]\'}',
    labelled({c: 'd'}),
  ],
  [
    'values of variables',
    'mutate: {patchStrategicMerge: {metadata: {labels: {named: "{{ request.object.metadata.name }}"}}}}',
    pod({}),
  ],
];

describe('classic changes as CEL policies', () => {
  it.each(changes)('%s: both forms make the same object', async (_name, rule, object) => {
    const [comparison] = await compare(policyOf([yaml(rule)]), [object]);
    expect(comparison?.differences).toEqual([]);
  });

  it('generated objects are the same', async () => {
    const rule = yaml(`match: {any: [{resources: {kinds: [Namespace]}}]}
generate: {apiVersion: v1, kind: ConfigMap, name: settings, namespace: "{{ request.object.metadata.name }}", synchronize: true, data: {data: {owner: "by {{ request.object.metadata.name }}"}}}`);
    const namespace: JsonObject = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'shop'}};
    const [comparison] = await compare(policyOf([rule]), [namespace]);
    expect(comparison?.before.generated).toHaveLength(1);
    expect(comparison?.differences).toEqual([]);
  });
});

describe('the policies made', () => {
  const made = (policy: JsonObject) => convertPolicy(policy, resources);
  const pattern = yaml('validate: {message: "{{ request.object.metadata.name }} has no label", pattern: {metadata: {labels: {a: "?*"}}}}');

  it('keep metadata, actions, failure policy and messages', () => {
    const {policies} = made(policyOf([{...pattern}], {validationFailureAction: 'Enforce', failurePolicy: 'Ignore', background: false}));
    expect(policies).toMatchObject([
      {
        apiVersion: 'policies.kyverno.io/v1',
        kind: 'ValidatingPolicy',
        metadata: {name: 'p', annotations: {'example.org/title': 'kept'}},
        spec: {
          failurePolicy: 'Ignore',
          validationActions: ['Deny'],
          evaluation: {background: {enabled: false}},
          matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], resources: ['pods']}]},
          validations: [{messageExpression: expect.stringContaining("+ ' has no label'")}],
        },
      },
    ]);
  });

  it('of a namespace stay in it', () => {
    expect(made(policyOf([pattern], {}, 'Policy')).policies).toMatchObject([
      {kind: 'NamespacedValidatingPolicy', metadata: {namespace: 'shop'}},
    ]);
  });

  it('are one per kind of action', () => {
    const {policies} = made(policyOf([pattern, yaml('mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}')]));
    expect(policies.map(({kind}) => kind)).toEqual(['ValidatingPolicy', 'MutatingPolicy']);
  });

  it.each([
    ['exclude: {any: [{clusterRoles: [admin]}]}\nvalidate: {deny: {}}', 'spec.rules[1].exclude.any[0].clusterRoles', 'requests do not tell the cluster roles'],
    ['validate: {deny: {conditions: {any: [{key: "{{ time_now_utc() }}", operator: Equals, value: a}]}}}', 'spec.rules[1].validate.deny.conditions.any[0].key', 'the function time_now_utc'],
    ['mutate: {patchStrategicMerge: {metadata: {labels: {a: null}}}}', 'spec.rules[1].mutate.patchStrategicMerge.metadata.labels.a', 'a null'],
    ['context: [{name: c, apiCall: {urlPath: /api/v1/namespaces}}]\nvalidate: {deny: {conditions: {any: [{key: "{{ c.items }}", operator: Equals, value: a}]}}}', 'spec.rules[1].context[0].apiCall', 'API calls'],
  ])('are none at all where one rule cannot be carried over: %s', (rule, path, reason) => {
    const {policies, losses} = made(policyOf([pattern, yaml(rule)]));
    expect(policies).toEqual([]);
    expect(losses).toMatchObject([{path, reason: expect.stringContaining(reason)}]);
  });
});
