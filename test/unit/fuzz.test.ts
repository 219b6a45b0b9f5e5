import {describe, expect, it, vi} from 'vitest';
import {createWorld} from '../../cli/apply/offline-world.js';
import {FileError} from '../../cli/files/file-error.js';
import {readPolicies} from '../../cli/files/load-policies.js';
import {readResources} from '../../cli/files/load-resources.js';
import {Evaluator} from '../../cli/offline/evaluate.js';
import {type PreparedPolicy, preparePolicy} from '../../cli/offline/prepare-policies.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {pick, randomJson, seededRandom} from '../../engine/json/testing/random.js';
import {isObject, type Json, type JsonObject, setOwn} from '../../engine/json/types.js';
import {yamlObject} from '../../engine/policy/testing/build.js';
import {pod} from '../../engine/testing/requests.js';

// Bounded in cases, not in seconds: machines under load take longer.
vi.setConfig({testTimeout: 60_000});

const resources = builtinResourceMap;
const texts = [
  '{{ request.object.metadata.name }}',
  '{{ request.object }}',
  '{{ request.object.spec.containers[*].image }}x',
  '{{ {{ element }} }}',
  '{{@}}',
  '{{',
  '\\{{ x }}',
  '{{- request.object.metadata.labels }}',
  '$(./../name)',
  '$(',
  '{{ a | b(`1`) }}',
  '{{ element.image }}-{{ elementIndex }}',
  '{{ constructor }}',
  '>=1Gi & <2Gi | !x',
  '1-',
  '10!-5',
  '<=',
  '*?*?',
  '!',
  '(name)',
  '^(containers)',
  '+(x)',
  'X(__proto__)',
  '<(spec)',
  '=(metadata)',
  '/spec/containers/-',
  '/~2',
  'Pod',
  '*/*',
  'v1/Pod/status',
  'AnyIn',
  'Equals',
  'request.object.spec.containers',
  'Enforce',
];

const policies = [
  'validate: {message: "{{ request.object.metadata.name }} bad", pattern: {metadata: {"=(labels)": {app: "?*"}}, spec: {"^(containers)": [{"(image)": "*:latest", size: ">1Gi"}]}}}',
  'validate: {message: m, anyPattern: [{spec: {"X(hostPID)": "null"}}, {spec: {containers: [{name: "a | b"}]}}]}',
  'preconditions: {any: [{key: "{{ request.operation }}", operator: AnyIn, value: [CREATE]}]}, validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.containers[].image }}", operator: AnyNotIn, value: "1-10"}]}}}',
  'context: [{name: v, variable: {jmesPath: "request.object.spec.containers[].name", default: []}}, {name: w, variable: {value: {a: "{{ v }}"}}}], validate: {message: m, foreach: [{list: "request.object.spec.containers", context: [{name: x, variable: {value: "{{ element.name }}-{{ w.a[0] }}"}}], deny: {conditions: {all: [{key: "{{ x }}", operator: Equals, value: "?*"}]}}}]}',
  'mutate: {patchStrategicMerge: {metadata: {labels: {"+(app)": "x-{{ request.object.metadata.name }}"}}, spec: {containers: [{"(name)": "*", imagePullPolicy: Always}]}}}',
  'mutate: {patchesJson6902: "- {op: add, path: /metadata/labels/a, value: b}\\n- {op: test, path: /kind, value: Pod}"}',
  'mutate: {foreach: [{list: "request.object.spec.containers", patchesJson6902: "- {op: replace, path: \\"/spec/containers/{{elementIndex}}/image\\", value: \\"r/{{element.image}}\\"}"}]}',
  'generate: {apiVersion: v1, kind: ConfigMap, name: "c-{{ request.object.metadata.name }}", namespace: default, synchronize: true, data: {data: {a: "{{ request.object.metadata.labels.app || \'x\' }}"}}}',
  'validate: {message: m, podSecurity: {level: restricted, version: latest, exclude: [{controlName: Capabilities, images: ["nginx*"]}]}}',
  'exclude: {any: [{subjects: [{kind: User, name: a}], resources: {namespaces: ["k*"], selector: {matchLabels: {a: "?"}}}}]}, validate: {message: m, pattern: {spec: {n: "1-10"}}}',
].map(body =>
  yamlObject(
    `{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {background: false, rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, ${body}}]}}`,
  ),
);
const object = pod('a', {
  metadata: {labels: {app: 'x'}},
  spec: {
    containers: [
      {name: 'a', image: 'nginx:latest', size: '2Gi'},
      {name: 'b', image: 'b'},
    ],
  },
});

/** The value with one node replaced, dropped, doubled or renamed. */
function disturbed(value: Json, random: () => number): Json {
  const keys = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : [];
  if (keys.length === 0 || random() < 0.12) return random() < 0.5 ? pick(random, texts) : randomJson(random, 2);
  const chosen = pick(random, keys as readonly (string | number)[]);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== chosen) return [item];
      const change = random();
      return change < 0.05 ? [] : change < 0.1 ? [item, item] : [disturbed(item, random)];
    });
  }
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const change = key === chosen ? random() : 1;
    if (change < 0.05) continue;
    if (change < 0.1) setOwn(result, pick(random, texts), item);
    else setOwn(result, key, key === chosen ? disturbed(item, random) : item);
  }
  return result;
}

function prepare(raw: JsonObject): PreparedPolicy {
  return preparePolicy({raw, family: 'classic', path: 'p.yaml', line: 1}, resources);
}

function evaluatorOf(policy: PreparedPolicy): Evaluator {
  const given = {
    exceptions: [],
    objects: [],
    resources,
    values: undefined,
    set: new Map(),
    user: undefined,
    registry: false,
    cluster: undefined,
  };
  return new Evaluator(createWorld({policies: [policy], ...given}));
}

describe('a policy with nodes replaced at random', () => {
  it.each(policies.map((policy, index) => ({policy, index})))(
    'is judged or refused with reasons, never thrown: policy $index',
    async ({policy, index}) => {
      const random = seededRandom(7_000 + index);
      let judged = 0;
      for (let round = 0; round < 150; round++) {
        let raw: Json = policy;
        for (let times = 1 + Math.floor(random() * 2); times > 0; times--) raw = setSpec(raw as JsonObject, random);
        const prepared = prepare(raw as JsonObject);
        for (const problem of prepared.invalid)
          expect(problem.message).not.toMatch(/undefined is not|Cannot read prop|is not a function/);
        if (prepared.invalid.length > 0) continue;
        judged++;
        const target = random() < 0.5 ? object : (disturbed(object, random) as JsonObject);
        if (!isObject(target)) continue;
        const responses = await evaluatorOf(prepared).evaluate(target, pick(random, ['CREATE', 'UPDATE', 'DELETE']));
        for (const {message} of responses.flatMap(response => response.rules))
          expect(message).not.toMatch(/undefined is not|Cannot read prop|is not a function|call stack/);
      }
      expect(judged).toBeGreaterThan(3);
    },
  );
});

function setSpec(raw: JsonObject, random: () => number): JsonObject {
  const spec = raw['spec'];
  return {...raw, spec: disturbed(spec ?? null, random)};
}

describe('texts with characters replaced at random', () => {
  const source = policies
    .map(policy => JSON.stringify(policy, null, 1))
    .concat(
      'a: &a [1, *b]\nb: !!int "x"\nc: |\n  text\n   more\n? d\n: <<: *a\n---\n# x\ne: "\\u00e9"\n...\n',
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a, labels: {a: b}}\n- kind: Pod\n',
    );
  const characters = [...'{}[]:,-&*!|>%@"\'#?\\\n\t \u0000\uFEFF~0aé😀', '---\n', '<<: ', '...\n', '\r\n'];

  it('are read, or refused with file and line', () => {
    const random = seededRandom(99);
    for (let round = 0; round < 400; round++) {
      let text = pick(random, source);
      for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
        const at = Math.floor(random() * text.length);
        text = text.slice(0, at) + pick(random, characters) + text.slice(at + Math.floor(random() * 3));
      }
      for (const read of [
        () => readPolicies(text, 'f.yaml', resources),
        () => readResources(text, 'f.yaml', {resources}),
      ]) {
        try {
          read();
        } catch (error) {
          expect(error).toBeInstanceOf(FileError);
          expect((error as Error).message).toMatch(/^f\.yaml:\d+/);
        }
      }
    }
  });
});

describe('merging at random', () => {
  const keys = ['a', 'labels', '+(b)', 'x/y', 'name', '__proto__'];

  function overlay(random: () => number, depth: number): Json {
    if (depth === 0 || random() < 0.3) return pick(random, ['v', 1, true, null, [1, 2], ['a']] as readonly Json[]);
    const result: JsonObject = {};
    for (let count = Math.floor(random() * 4); count > 0; count--)
      setOwn(result, pick(random, keys), overlay(random, depth - 1));
    return result;
  }

  it('twice is the same as once', async () => {
    const random = seededRandom(5);
    for (let round = 0; round < 100; round++) {
      const rule: JsonObject = {
        name: 'r',
        match: {any: [{resources: {kinds: ['Pod']}}]},
        mutate: {
          patchStrategicMerge: {
            spec: {
              extra: overlay(random, 3),
              containers: [{name: pick(random, ['a', 'b', 'new']), size: overlay(random, 1)}],
            },
          },
        },
      };
      const prepared = prepare({...policies[0]!, spec: {background: false, rules: [rule]}});
      if (prepared.invalid.length > 0) continue;
      const evaluator = evaluatorOf(prepared);
      const start: JsonObject = {...object, spec: {...(object['spec'] as JsonObject), extra: overlay(random, 3)}};
      const once = (await evaluator.evaluate(start)).at(-1)!.patched;
      const twice = (await evaluator.evaluate(once)).at(-1)!.patched;
      expect(twice).toEqual(once);
    }
  });
});

describe('texts in policies that nest without end', () => {
  it.each([
    ['? '.repeat(100_000), 'explicit keys'],
    ['- '.repeat(100_000), 'lists'],
    ['['.repeat(100_000), 'brackets'],
  ])('a JSON patch is refused, with the process going on: %#', patch => {
    const rule: JsonObject = {
      name: 'r',
      match: {any: [{resources: {kinds: ['Pod']}}]},
      mutate: {patchesJson6902: patch},
    };
    const {invalid} = prepare({...policies[0]!, spec: {background: false, rules: [rule]}});
    expect(invalid.map(({message}) => message).join()).toContain('nested too deeply');
  });
});
