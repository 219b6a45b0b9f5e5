import {describe, expect, it} from 'vitest';
import {pick, randomJson, seededRandom} from '../../engine/json/testing/random.js';
import {type Json, type JsonObject, ownPath, setOwn} from '../../engine/json/types.js';
import {parseJson} from '../../engine/json/parse.js';
import {deadline, emptyCache, engineOf, judge, mutated, policyOf, verdicts} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {frozen, pod, requestOf} from '../../engine/testing/requests.js';

const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const inPod = (more: string) => policyOf('p', `[{name: r, ${pods}, ${more}}]`);
const annotated = (annotations: JsonObject) => requestOf({object: pod('p', {metadata: {annotations}})});

async function outcome(policy: JsonObject, request = requestOf({object: pod('p')}), limits = {}) {
  const [rule] = await judge(engineOf([policy], {engine: {limits}}).engine, request);
  return rule === undefined ? 'nothing' : `${rule.status}: ${rule.message}`;
}

describe('keys of the prototype are data like any other', () => {
  const object = parseJson(
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default","labels":{"__proto__":"x","constructor":"z","toString":"w"}},"spec":{"__proto__":{"hostPID":true},"containers":[]}}',
  ) as JsonObject;
  const request = requestOf({object: frozen(object)});

  it.each<[string, string, string]>([
    [
      'a pattern does not see members of the prototype',
      'validate: {pattern: {metadata: {labels: {valueOf: "*"}}}}',
      'fail',
    ],
    ['nor does it take what is under __proto__ for its own', 'validate: {pattern: {spec: {hostPID: true}}}', 'fail'],
    [
      'a pattern finds them where they are',
      'validate: {pattern: {metadata: {labels: {constructor: z, toString: w}}}}',
      'pass',
    ],
    [
      'a selector finds them',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.metadata.labels.constructor }}", operator: NotEquals, value: z}]}}}',
      'pass',
    ],
    [
      'a variable finds them',
      'validate: {message: m, deny: {conditions: {all: [{key: \'{{ request.object.metadata.labels."__proto__" }}\', operator: NotEquals, value: x}]}}}',
      'pass',
    ],
    [
      'a variable does not find what is not there',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.hasOwnProperty || \'none\' }}", operator: NotEquals, value: none}]}}}',
      'pass',
    ],
  ])('%s', async (_title, rule, want) => {
    expect((await outcome(inPod(rule), request)).split(':')[0]).toBe(want);
  });

  it('a patch changes the object and nothing else', async () => {
    const rule = policyOf('p', '[]');
    const patch = parseJson('{"metadata":{"labels":{"__proto__":"y","new":"1"}}}') as JsonObject;
    const raw: JsonObject = {
      ...rule,
      spec: {
        background: false,
        rules: [{name: 'r', match: {any: [{resources: {kinds: ['Pod']}}]}, mutate: {patchStrategicMerge: patch}}],
      },
    };
    const answer = await mutated(engineOf([raw]).engine, request);
    const labels = ownPath(answer.object, 'metadata', 'labels') as JsonObject;
    expect(Object.keys(labels).sort()).toEqual(['__proto__', 'constructor', 'new', 'toString']);
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['new']).toBeUndefined();
  });
});

/** `{"a":{"a":…}}`, `depth` levels. */
function deep(depth: number, list = false): Json {
  let value: Json = 'x';
  for (let level = 0; level < depth; level++) value = list ? [value] : {a: value};
  return value;
}

describe('size', () => {
  const many = Array.from({length: 100_000}, (_, index) => ({name: `c${index}`, image: 'nginx:latest'}));
  const large = requestOf({object: pod('p', {spec: {containers: many}})});

  it.each<[string, string]>([
    ['a pattern', 'validate: {pattern: {spec: {containers: [{image: "*:latest"}]}}}'],
    [
      'a query',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.containers[?image==\'x\'] | length(@) }}", operator: NotEquals, value: 0}]}}}',
    ],
    [
      'a loop',
      'validate: {message: m, foreach: [{list: request.object.spec.containers, pattern: {image: "*:latest"}}]}',
    ],
    [
      'a set',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.containers[].name }}", operator: AnyIn, value: [x, z]}]}}}',
    ],
  ])('of 10^5 elements is within the budget of %s', async (_title, rule) => {
    expect(await outcome(inPod(rule), large)).toMatch(/^(pass|error: .*limit)/);
  });

  it.each<[string, string]>([
    [
      'two lists against each other',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.containers[].name }}", operator: AnyIn, value: "{{ request.object.spec.containers[].image }}"}]}}}',
    ],
    [
      'a loop in a loop',
      'validate: {message: m, foreach: [{list: request.object.spec.containers, foreach: [{list: request.object.spec.containers, pattern: {image: "*"}}]}]}',
    ],
    [
      'a query for each element',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.containers[?contains(to_string(request), \'x\')] }}", operator: Equals, value: x}]}}}',
    ],
  ])('squared ends with the budget: %s', async (_title, rule) => {
    expect(await outcome(inPod(rule), large, {steps: 500_000})).toMatch(/^(error: .*(exceeded|limit)|pass|fail)/);
  });

  it.each([100, 1_000, 5_000])('of %i levels is judged or refused, never thrown', async depth => {
    for (const list of [false, true]) {
      const request = requestOf({object: pod('p', {spec: {deep: deep(depth, list)}})});
      for (const rule of [
        'validate: {pattern: {spec: {deep: "?*"}}}',
        'validate: {message: "{{ request.object }}", pattern: {spec: {deep: {b: x}}}}',
        'context: [{name: v, variable: {value: "{{ request.object }}"}}], validate: {message: m, deny: {conditions: {all: [{key: "{{ to_string(v) }}", operator: Equals, value: x}]}}}',
      ]) {
        expect(await outcome(inPod(rule), request)).toMatch(/^(pass|fail|error)/);
      }
      const answer = await mutated(
        engineOf([inPod('mutate: {patchStrategicMerge: {spec: {deep: null, other: "{{ request.object.spec }}"}}}')])
          .engine,
        request,
      );
      expect(answer.results).toHaveLength(1);
    }
  });

  it.each([300, 3_000])('of a policy of %i levels is served or refused', depth => {
    for (const list of [false, true]) {
      const raw: JsonObject = {...inPod('validate: {pattern: {a: b}}')};
      const rule: JsonObject = {
        name: 'r',
        match: {any: [{resources: {kinds: ['Pod']}}]},
        validate: {pattern: {spec: deep(depth, list)}},
      };
      raw['spec'] = {background: false, rules: [rule]};
      expect(['served', 'refused']).toContain(emptyCache().putPolicy(raw).status);
    }
  });
});

describe('growth', () => {
  it('of entries that double ends with the limit', async () => {
    const entries = Array.from(
      {length: 40},
      (_, index) => `{name: v${index + 1}, variable: {value: "{{ v${index} }}{{ v${index} }}"}}`,
    );
    const rule = `context: [{name: v0, variable: {value: "${'x'.repeat(1024)}"}}, ${entries.join(', ')}], validate: {message: m, deny: {conditions: {all: [{key: "{{ v40 }}", operator: Equals, value: x}]}}}`;
    expect(await outcome(inPod(rule))).toContain('context size limit exceeded');
  });

  it.each<[string, string]>([
    ['join', "join('{{ request.object.metadata.annotations.a }}', request.object.metadata.annotations.list)"],
    [
      'replace_all',
      "replace_all(replace_all(request.object.metadata.annotations.a, 'x', request.object.metadata.annotations.a), 'x', request.object.metadata.annotations.a)",
    ],
    [
      'regex_replace_all',
      "regex_replace_all('x', regex_replace_all('x', request.object.metadata.annotations.a, request.object.metadata.annotations.a), request.object.metadata.annotations.a)",
    ],
    [
      'base64_encode',
      'base64_encode(base64_encode(base64_encode(base64_encode(request.object.metadata.annotations.a))))',
    ],
    ['random', "random('[a-z]{1000}[a-z]{1000}[a-z]{1000}')"],
    ['to_string', 'to_string(to_string(to_string(to_string(to_string(request)))))'],
  ])('by %s ends within the budget', async (_title, query) => {
    const request = annotated({a: 'x'.repeat(3_000), list: 'z'});
    const rule = `validate: {message: m, deny: {conditions: {all: [{key: "{{ ${query} }}", operator: Equals, value: x}]}}}`;
    expect(await outcome(inPod(rule), request, {steps: 500_000})).toMatch(/^(pass|error)/);
  });

  it('of values that name themselves ends with the budget', async () => {
    const self = '{{ request.object.metadata.annotations.a }}';
    for (const value of [self, `${self}${self}`, `x${self}`, `{{ request.object.metadata.annotations.{{ 'a' }} }}`]) {
      const found = await outcome(
        inPod('validate: {pattern: {metadata: {annotations: {b: "x{{ request.object.metadata.annotations.a }}"}}}}'),
        annotated({a: value, b: 'q'}),
      );
      expect(found).toMatch(/^(error: .*(limit|exceeded|path)|fail)/);
    }
  });

  it('of time ends at the deadline of the request', async () => {
    const loader = recordingLoader();
    const clock = {...loader, now: () => (loader.clock.now += 1)};
    const {engine} = engineOf(
      [
        inPod(
          'validate: {message: m, foreach: [{list: request.object.spec.containers, foreach: [{list: request.object.spec.containers, pattern: {image: "*"}}]}]}',
        ),
      ],
      {loader: clock},
    );
    const request = requestOf({
      object: pod('p', {spec: {containers: Array.from({length: 2_000}, () => ({image: 'x'}))}}),
    });
    const {results} = await engine.validate(request, {bucket: 'all', deadline: loader.clock.now + 20});
    expect(results[0]?.rules).toMatchObject([
      {status: 'error', message: 'evaluation exceeded the time of its request'},
    ]);
  });
});

describe('expressions meant to burn time', () => {
  const text = 'a'.repeat(30_000);
  it.each<[string, string, string]>([
    ['nested repetition', "regex_match('^(a+)+$', request.object.metadata.annotations.a)", 'pass'],
    ['alternation', "regex_match('^(a|aa)+$', request.object.metadata.annotations.a)", 'pass'],
    [
      'repetition of repetition',
      "regex_match('((a{1,10}){1,10}){1,10}', request.object.metadata.annotations.a)",
      'pass',
    ],
    [
      'more repetition than RE2 takes',
      "regex_match('(((a{1,1000}){1,1000}){1,1000})', request.object.metadata.annotations.a)",
      'error',
    ],
    ['back-references', "regex_match('(a)\\1', request.object.metadata.annotations.a)", 'error'],
    [
      'an expression from the object',
      'regex_match(request.object.metadata.annotations.re, request.object.metadata.annotations.a)',
      'pass',
    ],
  ])('by %s', async (_title, query, want) => {
    const request = annotated({a: `${text}!`, re: '^(([a-z])+.)+[A-Z]([a-z])+$'});
    const policy = inPod('validate: {pattern: {a: b}}');
    const rule: JsonObject = {
      name: 'r',
      match: {any: [{resources: {kinds: ['Pod']}}]},
      validate: {
        message: 'm',
        deny: {conditions: {all: [{key: `{{ ${query} }}`, operator: 'Equals', value: 'nothing'}]}},
      },
    };
    policy['spec'] = {background: false, rules: [rule]};
    expect((await outcome(policy, request, {})).split(':')[0]).toBe(want);
  });

  it('by wildcards', async () => {
    const rule = `validate: {pattern: {metadata: {annotations: {a: "${'a*'.repeat(60)}b"}}}}`;
    expect(await outcome(inPod(rule), annotated({a: text}))).toMatch(/^(fail|error)/);
  });

  it('by queries that nest', async () => {
    for (const query of [
      `${'('.repeat(5_000)}a${')'.repeat(5_000)}`,
      `${'!'.repeat(5_000)}a`,
      `a${'[0]'.repeat(20_000)}`,
      `a${' | a'.repeat(20_000)}`,
    ]) {
      const request = annotated({a: `{{ ${query} }}`});
      expect(
        await outcome(inPod('validate: {pattern: {kind: "x{{ request.object.metadata.annotations.a }}"}}'), request),
      ).toMatch(/^error/);
    }
  });
});

describe('numbers', () => {
  it.each([
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '123456789012345678901234567890',
    '1e308',
    '-0',
    '0.1',
    '1.0',
    '1e-400',
    '4.9e-324',
  ])('%s is judged by every kind of check', async text => {
    const object = parseJson(
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},"spec":{"n":${text},"containers":[]}}`,
    ) as JsonObject;
    for (const rule of [
      'validate: {pattern: {spec: {n: ">5"}}}',
      'validate: {pattern: {spec: {n: "1-10"}}}',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.n }}", operator: GreaterThan, value: 5}]}}}',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ multiply(request.object.spec.n, request.object.spec.n) }}", operator: GreaterThan, value: "1Gi"}]}}}',
      'validate: {message: m, deny: {conditions: {all: [{key: "{{ request.object.spec.containers[request.object.spec.n] || \'x\' }}", operator: Equals, value: x}]}}}',
    ]) {
      const cache = emptyCache();
      const state = cache.putPolicy(inPod(rule));
      if (state.status === 'refused') continue;
      const {engine} = engineOf([], {engine: {policies: cache}});
      expect((await judge(engine, requestOf({object}))).map(found => found.status)[0]).toMatch(/^(pass|fail|error)$/);
    }
    const answer = await mutated(
      engineOf([inPod('mutate: {patchStrategicMerge: {spec: {m: "{{ request.object.spec.n }}"}}}')]).engine,
      requestOf({object}),
    );
    expect(answer.denied).toBeUndefined();
  });
});

describe('objects that are not what they should be', () => {
  it.each<[string, Json]>([
    ['metadata is a text', {apiVersion: 'v1', kind: 'Pod', metadata: 'x'}],
    ['metadata is a list', {apiVersion: 'v1', kind: 'Pod', metadata: [1]}],
    ['labels are a list', {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', labels: ['a'], annotations: 3}}],
    [
      'labels hold objects',
      {apiVersion: 'v1', kind: 'Pod', metadata: {name: {}, labels: {a: {b: 'c'}}, annotations: {a: null}}},
    ],
    [
      'containers are a map',
      {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p'}, spec: {containers: {a: 1}, initContainers: 'x'}},
    ],
    [
      'containers hold nulls',
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {name: 'p'},
        spec: {containers: [null, 3, 'x', {image: 4}, {name: 5, image: ':::'}]},
      },
    ],
    ['nothing is there', {}],
  ])('%s', async (_title, object) => {
    const rules = `[
      {name: labels, match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {"*": "*"}}, annotations: {"*": "*"}}}]}, validate: {pattern: {a: b}}},
      {name: images, ${pods}, validate: {message: m, deny: {conditions: {all: [{key: "{{ images.containers.*.tag || 'none' }}", operator: AnyIn, value: [latest]}]}}}},
      {name: loop, ${pods}, validate: {message: m, foreach: [{list: request.object.spec.containers, pattern: {image: "*"}}]}},
      {name: name, match: {any: [{resources: {kinds: [Pod], names: ["*"], namespaces: ["*"]}}]}, validate: {pattern: {metadata: {name: "*"}}}}]`;
    const request = requestOf({object: object as JsonObject, kind: {group: '', version: 'v1', kind: 'Pod'}});
    const {engine} = engineOf([
      policyOf('p', rules),
      policyOf(
        'm',
        `[{name: r, ${pods}, mutate: {patchStrategicMerge: {metadata: {labels: {x: "1"}}, spec: {containers: [{(name): "*", image: x}]}}}}]`,
      ),
    ]);
    expect((await verdicts(engine, request)).length).toBeGreaterThan(0);
    expect((await mutated(engine, request)).results).toHaveLength(1);
  });
});

/** Parts from which random policies are put together, good and bad. */
const queries = [
  'request.object.spec.containers',
  'request.object.metadata.labels',
  '@',
  'keys(@)',
  'request.object.*',
  'request.object.spec.[a, b][]',
  'images',
  'element',
  'v',
  "v.a || 'x'",
  'length(v)',
  'request.object.spec.containers[?name]',
  'to_string(@)',
  "join(',', keys(request.object))",
  "items(request.object, 'k', 'v')",
];

function someText(random: () => number): string {
  const query = pick(random, queries);
  return pick(random, [
    `{{ ${query} }}`,
    `x{{ ${query} }}z`,
    `{{- ${query} }}`,
    `\\{{ ${query} }}`,
    `{{ {{ '${'a'}' }} }}`,
    '{{@}}',
    '*',
    '?*',
    '!x',
    '>=1',
    '1-5',
    '$(/a)',
    'plain',
    '',
  ]);
}

function mixed(random: () => number, depth: number): Json {
  const roll = random();
  if (depth === 0 || roll < 0.35) return random() < 0.6 ? someText(random) : randomJson(random, 1);
  if (roll < 0.55) return Array.from({length: Math.floor(random() * 3)}, () => mixed(random, depth - 1));
  const result: JsonObject = {};
  for (let count = Math.floor(random() * 4); count > 0; count--) {
    const key = pick(random, ['spec', 'containers', 'metadata', 'labels', 'a', 'name', '__proto__', someText(random)]);
    setOwn(
      result,
      pick(random, [key, key, `(${key})`, `=(${key})`, `+(${key})`, `^(${key})`, `X(${key})`, `<(${key})`]),
      mixed(random, depth - 1),
    );
  }
  return result;
}

function condition(random: () => number): JsonObject {
  return {
    key: mixed(random, 1),
    operator: pick(random, [
      'Equals',
      'NotEquals',
      'AnyIn',
      'AllNotIn',
      'GreaterThan',
      'DurationLessThan',
      'In',
      'Nonsense',
    ]),
    value: mixed(random, 2),
    message: someText(random),
  };
}

function randomRule(random: () => number, name: string): JsonObject {
  const check = (): JsonObject =>
    pick<() => JsonObject>(random, [
      () => ({pattern: mixed(random, 4)}),
      () => ({anyPattern: [mixed(random, 3), mixed(random, 3)]}),
      () => ({deny: {conditions: {any: [condition(random)], all: [condition(random)]}}}),
      () => ({foreach: [{list: pick(random, queries), deny: {conditions: {all: [condition(random)]}}}]}),
    ])();
  const patch = (): JsonObject =>
    pick<() => JsonObject>(random, [
      () => ({patchStrategicMerge: mixed(random, 4)}),
      () => ({
        patchesJson6902: JSON.stringify([
          {
            op: pick(random, ['add', 'remove', 'replace', 'copy', 'test']),
            path: pick(random, ['/spec/a', '/metadata/labels/x', '/__proto__/x', '/spec/containers/-', '/']),
            from: '/spec',
            value: someText(random),
          },
        ]),
      }),
      () => ({foreach: [{list: pick(random, queries), patchStrategicMerge: mixed(random, 3)}]}),
    ])();
  return {
    name,
    match: {any: [{resources: {kinds: ['Pod']}}]},
    ...(random() < 0.5 && {
      context: [
        {
          name: 'v',
          variable: {
            value: mixed(random, 2),
            ...(random() < 0.5 && {jmesPath: pick(random, ['a', '@', 'keys(@)']), default: mixed(random, 1)}),
          },
        },
      ],
    }),
    ...(random() < 0.3 && {preconditions: {all: [condition(random)]}}),
    ...(random() < 0.5 ? {validate: {message: someText(random), ...check()}} : {mutate: patch()}),
  };
}

describe('random policies on random objects', () => {
  it.each([1, 2, 3, 4])(
    'answer and never throw, seed %i',
    async seed => {
      const random = seededRandom(seed);
      let served = 0;
      const statuses = new Set<string>();
      for (let round = 0; round < 250; round++) {
        const cache = emptyCache();
        const raw: JsonObject = {
          ...policyOf('p', '[]'),
          spec: {background: false, failurePolicy: 'Ignore', rules: [randomRule(random, 'a'), randomRule(random, 'b')]},
        };
        const state = cache.putPolicy(raw);
        if (state.status === 'refused') {
          expect(state.problems.length).toBeGreaterThan(0);
          continue;
        }
        served += 1;
        const object = frozen(
          pod('p', {
            metadata: {labels: {a: 'b', x: someText(random)}},
            spec: {
              a: randomJson(random, 3),
              b: mixed(random, 2),
              containers: [{name: 'a', image: 'nginx'}, mixed(random, 2)],
            },
          }),
        );
        const {engine} = engineOf([], {engine: {policies: cache, limits: {steps: 200_000, bytes: 200_000}}});
        const request = pick(random, [
          requestOf({object}),
          requestOf({object, oldObject: object}),
          requestOf({operation: 'DELETE', oldObject: object}),
        ]);
        const judged = await judge(engine, request);
        const {results, denied} = await engine.mutate(request, {deadline});
        expect(denied).toBeUndefined();
        for (const rule of [...judged, ...results.flatMap(result => result.rules)]) {
          statuses.add(rule.status);
          expect(rule.message).not.toContain('internal error');
        }
      }
      expect(served).toBeGreaterThan(25);
      expect(statuses.size).toBeGreaterThan(2);
    },
    60_000,
  );
});
