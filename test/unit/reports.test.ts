import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {yamlObject} from '../../engine/policy/testing/build.js';
import {engineOf, judge, mutated, policyOf} from '../../engine/testing/engines.js';
import {pod, requestOf, type TestRequest} from '../../engine/testing/requests.js';

const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const rule = (body: string) => policyOf('p', `[{name: r, ${body.includes('match:') ? '' : `${pods}, `}${body}}]`);
const denied = (conditions: string) => `validate: {message: m, deny: {conditions: ${conditions}}}`;
const deniedWhen = (key: string, operator: string, value: string) =>
  denied(`{all: [{key: ${key}, operator: ${operator}, value: ${value}}]}`);

/** `name status` of every rule that answers, joined. */
async function outcome(policy: JsonObject, request: TestRequest): Promise<string> {
  const rules = await judge(engineOf([policy]).engine, requestOf(request));
  return rules.map(({rule: name, status}) => `${name} ${status}`).join(', ') || 'nothing';
}

const container = (more: string) =>
  pod('a', {spec: {containers: [yamlObject(`{name: c, image: "nginx:1.27", ${more}}`)]}});
const labelled = (labels: JsonObject) => pod('a', {metadata: {labels}});
const annotated = (annotations: JsonObject) => pod('a', {metadata: {annotations}});
const workload = (apiVersion: string, kind: string, spec: string) =>
  yamlObject(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: w, namespace: team}, spec: ${spec}}`);
const deployment = workload(
  'apps/v1',
  'Deployment',
  '{replicas: 2, template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: "nginx:latest"}]}}}',
);
const cronJob = workload(
  'batch/v1',
  'CronJob',
  '{jobTemplate: {spec: {template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: "nginx:latest"}]}}}}}',
);

interface Case {
  readonly title: string;
  readonly rule: string;
  readonly request: TestRequest;
  readonly want: string;
}

const plain = {object: pod('a')};

const cases: Record<string, readonly Case[]> = {
  'rules for Pods at their controllers': [
    {
      title: 'conditions of a CronJob look into its job template',
      rule: deniedWhen('"{{ request.object.spec.containers[].image }}"', 'AnyIn', '["*:latest"]'),
      request: {object: cronJob},
      want: 'autogen-cronjob-r fail',
    },
    {
      title: 'preconditions of a CronJob do as well',
      rule: `preconditions: {all: [{key: "{{ request.object.metadata.labels.app || '' }}", operator: Equals, value: x}]}, ${deniedWhen('"{{ request.object.spec.containers[0].image }}"', 'Equals', '"nginx:latest"')}`,
      request: {object: cronJob},
      want: 'autogen-cronjob-r fail',
    },
    {
      title: 'a loop over containers of a Deployment',
      rule: 'validate: {message: m, foreach: [{list: "request.object.spec.containers", pattern: {image: "!*:latest"}}]}',
      request: {object: deployment},
      want: 'autogen-r fail',
    },
    {
      title: 'metadata of a pattern is that of the template',
      rule: 'validate: {message: m, pattern: {metadata: {labels: {app: x}}}}',
      request: {object: deployment},
      want: 'autogen-r pass',
    },
    {
      title: 'a rule on names is for Pods alone',
      rule: 'match: {any: [{resources: {kinds: [Pod], names: ["*"]}}]}, validate: {message: m, pattern: {spec: {containers: [{image: "!*:latest"}]}}}',
      request: {object: deployment},
      want: 'nothing',
    },
    {
      title: 'images of a CronJob are found',
      rule: deniedWhen('"{{ images.containers.*.tag }}"', 'AnyIn', '[latest]'),
      request: {object: cronJob},
      want: 'autogen-cronjob-r fail',
    },
  ],
  'numbers, texts, quantities and durations': [
    {
      title: 'a number pattern takes a text of digits',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{size: 5}]}}}',
      request: {object: container('size: "5"')},
      want: 'r pass',
    },
    {
      title: 'a text pattern takes a number',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{size: "5"}]}}}',
      request: {object: container('size: 5')},
      want: 'r pass',
    },
    {
      title: 'a bool pattern does not take a text',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{size: true}]}}}',
      request: {object: container('size: "true"')},
      want: 'r fail',
    },
    {
      title: 'a text pattern takes a bool',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{size: "true"}]}}}',
      request: {object: container('size: true')},
      want: 'r pass',
    },
    {
      title: '1Gi is 1024Mi',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{memory: 1Gi}]}}}',
      request: {object: container('memory: 1024Mi')},
      want: 'r pass',
    },
    {
      title: '2Gi is more than 1500Mi',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{memory: "<=1500Mi"}]}}}',
      request: {object: container('memory: 2Gi')},
      want: 'r fail',
    },
    {
      title: '500m is less than 1',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{cpu: "<1"}]}}}',
      request: {object: container('cpu: 500m')},
      want: 'r pass',
    },
    {
      title: 'a range of quantities holds its ends',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{memory: "128Mi-1Gi"}]}}}',
      request: {object: container('memory: 1Gi')},
      want: 'r pass',
    },
    {
      title: 'outside of a range',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{size: "10!-20"}]}}}',
      request: {object: container('size: 15')},
      want: 'r fail',
    },
    {
      title: 'durations are compared as such',
      rule: deniedWhen('"{{ request.object.metadata.annotations.ttl }}"', 'GreaterThan', '1h'),
      request: {object: annotated({ttl: '90m'})},
      want: 'r fail',
    },
    {
      title: 'an hour is 60 minutes',
      rule: deniedWhen('"{{ request.object.metadata.annotations.ttl }}"', 'Equals', '60m'),
      request: {object: annotated({ttl: '1h'})},
      want: 'r fail',
    },
    {
      title: 'AnyIn with a range',
      rule: deniedWhen('"{{ request.object.spec.containers[].size }}"', 'AnyIn', '"10-20"'),
      request: {object: container('size: 15')},
      want: 'r fail',
    },
    {
      title: 'AnyNotIn with a range',
      rule: deniedWhen('"{{ request.object.spec.containers[].size }}"', 'AnyNotIn', '"10-20"'),
      request: {object: container('size: 15')},
      want: 'r pass',
    },
    {
      title: 'AllIn with a range',
      rule: deniedWhen('"{{ request.object.spec.containers[].size }}"', 'AllIn', '"10-20"'),
      request: {object: container('size: 25')},
      want: 'r pass',
    },
    {
      title: 'versions are compared by their parts',
      rule: deniedWhen('"{{ request.object.metadata.annotations.v }}"', 'LessThan', '"1.2.10"'),
      request: {object: annotated({v: '1.2.9'})},
      want: 'r fail',
    },
    {
      title: 'a comparison with text that is no number is false',
      rule: deniedWhen('"{{ request.object.metadata.annotations.v }}"', 'LessThan', '5'),
      request: {object: annotated({v: 'abc'})},
      want: 'r pass',
    },
    {
      title: 'a missing limit satisfies an upper bound',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{memory: "<1Gi"}]}}}',
      request: plain,
      want: 'r pass',
    },
  ],
  'what is missing': [
    {
      title: 'a label that is not there fails ?*',
      rule: 'validate: {message: m, pattern: {metadata: {labels: {app: "?*"}}}}',
      request: {object: labelled({other: 'x'})},
      want: 'r fail',
    },
    {
      title: 'no labels at all fail ?*',
      rule: 'validate: {message: m, pattern: {metadata: {labels: {app: "?*"}}}}',
      request: plain,
      want: 'r fail',
    },
    {
      title: 'an empty label fails ?* and passes *',
      rule: 'validate: {message: m, pattern: {metadata: {labels: {app: "?*", b: "*"}}}}',
      request: {object: labelled({app: '', b: ''})},
      want: 'r fail',
    },
    {
      title: 'a variable that is not there is an error',
      rule: deniedWhen('"{{ request.object.metadata.labels.app }}"', 'Equals', 'x'),
      request: plain,
      want: 'r error',
    },
    {
      title: 'a precondition on a variable that is not there is an error',
      rule: 'preconditions: {all: [{key: "{{ request.object.metadata.labels.app }}", operator: Equals, value: x}]}, validate: {message: m, pattern: {metadata: {name: "?*"}}}',
      request: plain,
      want: 'r error',
    },
    {
      title: 'a precondition with a default is none',
      rule: `preconditions: {all: [{key: "{{ request.object.metadata.labels.app || '' }}", operator: Equals, value: x}]}, validate: {message: m, pattern: {metadata: {name: "?*"}}}`,
      request: plain,
      want: 'r skip',
    },
    {
      title: 'initContainers that are not there fail a plain pattern',
      rule: 'validate: {message: m, pattern: {spec: {initContainers: [{image: "x/*"}]}}}',
      request: plain,
      want: 'r fail',
    },
    {
      title: 'and pass one with the equality anchor',
      rule: 'validate: {message: m, pattern: {spec: {"=(initContainers)": [{image: "x/*"}]}}}',
      request: plain,
      want: 'r pass',
    },
    {
      title: 'a null pattern passes what is not there',
      rule: 'validate: {message: m, pattern: {spec: {hostNetwork: null}}}',
      request: plain,
      want: 'r pass',
    },
    {
      title: 'a null pattern passes false',
      rule: 'validate: {message: m, pattern: {spec: {hostNetwork: null}}}',
      request: {object: pod('a', {spec: {hostNetwork: false}})},
      want: 'r pass',
    },
    {
      title: 'a null pattern fails true',
      rule: 'validate: {message: m, pattern: {spec: {hostNetwork: null}}}',
      request: {object: pod('a', {spec: {hostNetwork: true}})},
      want: 'r fail',
    },
    {
      title: 'a null key makes even a negative operator false',
      rule: deniedWhen('"{{ request.object.metadata.nothing.x || request.object.metadata.more.y }}"', 'NotEquals', 'x'),
      request: {object: pod('a', {metadata: {more: {y: null}}})},
      want: 'r pass',
    },
    {
      title: 'a loop over what is not there answers nothing',
      rule: 'validate: {message: m, foreach: [{list: "request.object.spec.initContainers", pattern: {image: "x/*"}}]}',
      request: plain,
      want: 'nothing',
    },
    {
      title: 'nor does one over an empty list',
      rule: 'validate: {message: m, foreach: [{list: "request.object.spec.initContainers", pattern: {image: "x/*"}}]}',
      request: {object: pod('a', {spec: {initContainers: []}})},
      want: 'nothing',
    },
    {
      title: 'a loop over a map is one element',
      rule: 'validate: {message: m, foreach: [{list: "request.object.metadata.labels", deny: {conditions: {all: [{key: "{{ element.a }}", operator: Equals, value: x}]}}}]}',
      request: {object: labelled({a: 'x', b: 'y'})},
      want: 'r fail',
    },
  ],
  anchors: [
    {
      title: 'a negation anchor fails for presence alone',
      rule: 'validate: {message: m, pattern: {spec: {"X(hostPID)": "null"}}}',
      request: {object: pod('a', {spec: {hostPID: false}})},
      want: 'r fail',
    },
    {
      title: 'a condition that does not hold skips',
      rule: 'validate: {message: m, pattern: {spec: {"(hostNetwork)": true, x: "1"}}}',
      request: plain,
      want: 'r skip',
    },
    {
      title: 'a condition in a list leaves out its element',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{"(image)": "*:latest", imagePullPolicy: Always}]}}}',
      request: {
        object: pod('a', {
          spec: {
            containers: [
              {name: 'a', image: 'x:1'},
              {name: 'b', image: 'x:latest', imagePullPolicy: 'Never'},
            ],
          },
        }),
      },
      want: 'r fail',
    },
    {
      title: 'a global anchor in a list leaves out its element only',
      rule: 'validate: {message: m, pattern: {spec: {containers: [{"<(image)": "*:latest", imagePullPolicy: Always}]}}}',
      request: {
        object: pod('a', {
          spec: {
            containers: [
              {name: 'a', image: 'x:1'},
              {name: 'b', image: 'x:latest', imagePullPolicy: 'Always'},
            ],
          },
        }),
      },
      want: 'r pass',
    },
    {
      title: 'an existence anchor wants one element',
      rule: 'validate: {message: m, pattern: {spec: {"^(containers)": [{name: sidecar}]}}}',
      request: {object: pod('a', {spec: {containers: [{name: 'a'}, {name: 'sidecar'}]}})},
      want: 'r pass',
    },
    {
      title: 'and fails without it',
      rule: 'validate: {message: m, pattern: {spec: {"^(containers)": [{name: sidecar}]}}}',
      request: plain,
      want: 'r fail',
    },
    {
      title: 'wildcards in keys of annotations with slashes and dots',
      rule: 'validate: {message: m, pattern: {metadata: {annotations: {"example.com/*": "v?"}}}}',
      request: {object: annotated({'example.com/a.b': 'v1'})},
      want: 'r pass',
    },
    {
      title: 'one of several patterns is enough',
      rule: 'validate: {message: m, anyPattern: [{spec: {hostPID: true}}, {metadata: {name: a}}]}',
      request: plain,
      want: 'r pass',
    },
  ],
  'who and where': [
    {
      title: 'any of a condition and all of it hold together',
      rule: denied(
        '{any: [{key: a, operator: Equals, value: a}, {key: a, operator: Equals, value: b}], all: [{key: a, operator: Equals, value: b}]}',
      ),
      request: plain,
      want: 'r pass',
    },
    {
      title: 'an empty any is false',
      rule: denied('{any: [], all: [{key: a, operator: Equals, value: a}]}'),
      request: plain,
      want: 'r pass',
    },
    {
      title: 'namespaces take wildcards',
      rule: 'match: {any: [{resources: {kinds: [Pod], namespaces: ["team-*"]}}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}',
      request: {object: pod('a', {metadata: {namespace: 'team-blue'}})},
      want: 'r fail',
    },
    {
      title: 'and do not match in the middle',
      rule: 'match: {any: [{resources: {kinds: [Pod], namespaces: ["team-*"]}}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}',
      request: {object: pod('a', {metadata: {namespace: 'my-team-blue'}})},
      want: 'nothing',
    },
    {
      title: 'a subject is excluded',
      rule: `${pods}, exclude: {any: [{subjects: [{kind: User, name: "ja*"}]}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}`,
      request: plain,
      want: 'nothing',
    },
    {
      title: 'a service account is excluded',
      rule: `${pods}, exclude: {any: [{subjects: [{kind: ServiceAccount, name: ci, namespace: team}]}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}`,
      request: {object: pod('a'), user: {username: 'system:serviceaccount:team:ci'}},
      want: 'nothing',
    },
    {
      title: 'another one is not',
      rule: `${pods}, exclude: {any: [{subjects: [{kind: ServiceAccount, name: ci, namespace: team}]}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}`,
      request: {object: pod('a'), user: {username: 'system:serviceaccount:team:cd'}},
      want: 'r fail',
    },
    {
      title: 'exclusion by all wants all',
      rule: `${pods}, exclude: {all: [{resources: {namespaces: [default]}}, {resources: {names: [b]}}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}`,
      request: plain,
      want: 'r fail',
    },
    {
      title: 'an object whose name is generated matches by its prefix',
      rule: 'match: {any: [{resources: {kinds: [Pod], names: ["job-*"]}}]}, validate: {message: m, pattern: {spec: {x: "?*"}}}',
      request: {
        object: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {generateName: 'job-', namespace: 'default'},
          spec: {containers: []},
        },
      },
      want: 'r fail',
    },
    {
      title: 'variables of a DELETE speak of the old object',
      rule: deniedWhen('"{{ request.object.metadata.labels.keep }}"', 'Equals', '"yes"'),
      request: {oldObject: labelled({keep: 'yes'}), operation: 'DELETE'},
      want: 'r fail',
    },
    {
      title: 'a pattern says nothing of a DELETE',
      rule: 'validate: {message: m, pattern: {spec: {x: "?*"}}}',
      request: {oldObject: pod('a'), operation: 'DELETE'},
      want: 'nothing',
    },
    {
      title: 'a kind does not stand for its subresources',
      rule: 'validate: {message: m, pattern: {spec: {x: "?*"}}}',
      request: {object: pod('a'), subResource: 'status', operation: 'UPDATE', oldObject: pod('a')},
      want: 'nothing',
    },
    {
      title: 'annotations with slashes and dots in variables',
      rule: deniedWhen(`'{{ request.object.metadata.annotations."a.b/c-d" }}'`, 'Equals', 'x'),
      request: {object: annotated({'a.b/c-d': 'x'})},
      want: 'r fail',
    },
    {
      title: 'elements of loops in loops keep their numbers',
      rule: 'validate: {message: m, foreach: [{list: "request.object.spec.containers", foreach: [{list: "element.ports", deny: {conditions: {all: [{key: "{{ elementIndex0 }}-{{ elementIndex1 }}-{{ element0.name }}-{{ element1.containerPort }}", operator: Equals, value: 0-1-c-81}]}}}]}]}',
      request: {object: container('ports: [{containerPort: 80}, {containerPort: 81}]')},
      want: 'r fail',
    },
  ],
};

describe.each(Object.entries(cases))('%s', (_group, group) => {
  it.each(group)('$title', async ({rule: text, request, want}) => {
    expect(await outcome(rule(text), request)).toBe(want);
  });
});

interface Change {
  readonly title: string;
  readonly rule: string;
  readonly object: JsonObject;
  /** Path in the changed object and what is there. */
  readonly want: JsonObject;
}

const changes: readonly Change[] = [
  {
    title: 'a patch at a parent that is not there makes it',
    rule: 'mutate: {patchesJson6902: "[{\\"op\\": \\"add\\", \\"path\\": \\"/metadata/labels/a~1b\\", \\"value\\": \\"c\\"}]"}',
    object: pod('a'),
    want: {metadata: {name: 'a', namespace: 'default', labels: {'a/b': 'c'}}},
  },
  {
    title: 'removing what is not there is no fault',
    rule: 'mutate: {patchesJson6902: "[{\\"op\\": \\"remove\\", \\"path\\": \\"/metadata/labels/x\\"}]"}',
    object: pod('a'),
    want: pod('a'),
  },
  {
    title: 'lists of custom kinds without merge keys are replaced',
    rule: 'match: {any: [{resources: {kinds: ["example.com/v1/Widget"]}}]}, mutate: {patchStrategicMerge: {spec: {items: [{name: c}]}}}',
    object: workload('example.com/v1', 'Widget', '{items: [{name: a}, {name: b}]}'),
    want: {spec: {items: [{name: 'c'}]}},
  },
  {
    title: 'new containers come first',
    rule: 'mutate: {patchStrategicMerge: {spec: {containers: [{name: extra, image: e}]}}}',
    object: pod('a'),
    want: {
      spec: {
        containers: [
          {name: 'extra', image: 'e'},
          {name: 'main', image: 'nginx:1.27'},
        ],
      },
    },
  },
  {
    title: 'a default is added where it is missing only',
    rule: 'mutate: {patchStrategicMerge: {spec: {containers: [{"(name)": "*", "+(imagePullPolicy)": Always}]}}}',
    object: pod('a', {spec: {containers: [{name: 'a', imagePullPolicy: 'Never'}, {name: 'b'}]}}),
    want: {
      spec: {
        containers: [
          {name: 'b', imagePullPolicy: 'Always'},
          {name: 'a', imagePullPolicy: 'Never'},
        ],
      },
    },
  },
  {
    title: 'null takes a key away',
    rule: 'mutate: {patchStrategicMerge: {metadata: {labels: {a: null}}}}',
    object: labelled({a: 'x', b: 'y'}),
    want: {metadata: {name: 'a', namespace: 'default', labels: {b: 'y'}}},
  },
  {
    title: 'keys with slashes may come from variables',
    rule: 'mutate: {patchStrategicMerge: {metadata: {labels: {"example.com/{{ request.object.metadata.name }}": "{{ request.operation }}"}}}}',
    object: pod('a'),
    want: {metadata: {name: 'a', namespace: 'default', labels: {'example.com/a': 'CREATE'}}},
  },
  {
    title: '{{@}} is the value that stands there',
    rule: 'mutate: {patchStrategicMerge: {metadata: {labels: {app: "x-{{@}}"}}}}',
    object: labelled({app: 'y'}),
    want: {metadata: {name: 'a', namespace: 'default', labels: {app: 'x-y'}}},
  },
  {
    title: 'a loop patches by index',
    rule: 'mutate: {foreach: [{list: "request.object.spec.containers", patchesJson6902: "[{\\"op\\": \\"replace\\", \\"path\\": \\"/spec/containers/{{elementIndex}}/image\\", \\"value\\": \\"r/{{element.image}}\\"}]"}]}',
    object: pod('a', {
      spec: {
        containers: [
          {name: 'a', image: 'x'},
          {name: 'b', image: 'y'},
        ],
      },
    }),
    want: {
      spec: {
        containers: [
          {name: 'a', image: 'r/x'},
          {name: 'b', image: 'r/y'},
        ],
      },
    },
  },
  {
    title: 'a condition that holds in no map leaves all as it is',
    rule: 'mutate: {patchStrategicMerge: {spec: {"(hostNetwork)": true, dnsPolicy: x}}}',
    object: pod('a'),
    want: pod('a'),
  },
];

describe('changes', () => {
  it.each(changes)('$title', async ({rule: text, object, want}) => {
    const {object: changed} = await mutated(engineOf([rule(text)]).engine, requestOf({object}));
    expect(changed).toMatchObject(want);
    if (Array.isArray((want['spec'] as JsonObject | undefined)?.['containers']))
      expect((changed as JsonObject)['spec']).toEqual(want['spec']);
    if (want['metadata'] !== undefined) expect((changed as JsonObject)['metadata']).toEqual(want['metadata']);
  });
});
