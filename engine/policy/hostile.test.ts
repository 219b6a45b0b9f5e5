import {describe, expect, it} from 'vitest';
import {Float, isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {loadException} from './load-exception.js';
import {loadClassicPolicy} from './load-policy.js';
import {policyWith, yamlObject} from './testing/build.js';
import {testKinds} from './testing/kinds.js';

/** A small seeded generator (mulberry32), so that every run sees the same inputs. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const evilObject = JSON.parse(
  '{"__proto__": {"kinds": ["Pod"]}, "constructor": 1, "toString": [], "hasOwnProperty": null}',
) as JsonObject;
const values: readonly Json[] = [
  null,
  true,
  0,
  -1.5,
  10n ** 30n,
  new Float(1),
  '',
  'x',
  '{{',
  '{{ }}',
  '{{ request.object.[ }}',
  '{{ {{ a }} }}',
  '\\{{ a }}',
  '[{"op":',
  '*/*/*/*/*',
  [],
  [null],
  [[[]]],
  [5],
  {},
  {any: 5},
  {all: [null, 3, {}]},
  evilObject,
];

const full = yamlObject(`
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: p, namespace: n, annotations: {pod-policies.kyverno.io/autogen-controllers: "Job"}}
spec:
  validationFailureAction: enforce
  validationFailureActionOverrides: [{action: audit, namespaces: ["a*"], namespaceSelector: {matchLabels: {a: b}}}]
  webhookConfiguration: {timeoutSeconds: 3, matchConditions: [{name: a, expression: b}]}
  rules:
    - name: a
      match: {any: [{resources: {kinds: [Pod], labels: {a: b}, excludeResources: {namespaces: [a]}, selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}, operations: [create], subjects: [{kind: User, name: a}], roles: [a:b]}]}
      exclude: {resources: {names: [a]}, operations: [DELETE]}
      context: [{name: a, variable: {value: 1, jmesPath: a}}, {name: b, apiCall: {urlPath: /a, service: {url: a, headers: [{key: a, value: b}]}, data: [{key: a, value: 1}]}}, {name: c, configMap: {name: a}}]
      preconditions: {any: [{key: "{{request.operation}}", operator: In, value: [CREATE]}]}
      validation: {message: "{{ a }}", anyPattern: [{metadata: {labels: {a: b}}, "^(b)": [c]}]}
    - name: b
      match: {resources: {kinds: ["*"]}}
      mutate: {targets: [{kind: Pod, selector: {matchLabels: {a: b}}}], foreach: [{list: request.object.a, foreach: [{list: element, patchesJson6902: "- op: add\\n  path: /{{elementIndex}}"}]}]}
    - name: c
      match: {all: [{resources: {kinds: [Pod/exec]}}]}
      generate: {kind: ConfigMap, data: {a: b}, foreach: [{list: a, cloneList: {kinds: [v1/Secret], selector: {matchLabels: {a: b}}}}]}
    - name: d
      match: {all: [{resources: {kinds: [Pod]}}]}
      imageExtractors: {Pod: [{path: /a, jmesPath: b}]}
      verifyImages: [{imageReferences: [a], attestors: [{count: 1, entries: [{keys: {publicKeys: a, rekor: {url: a}}}, {attestor: {entries: [{keyless: {issuer: a}}]}}]}], attestations: [{type: a, conditions: [{all: [{key: a, operator: Equals, value: b}]}]}]}]
    - name: e
      match: {all: [{resources: {kinds: [Pod]}}]}
      cleanup: {removeResources: [{kind: Pod, selector: {matchLabels: {a: b}}}]}
    - name: f
      match: {all: [{resources: {kinds: [Pod]}}]}
      validate: {podSecurity: {level: baseline, exclude: [{controlName: Seccomp}]}, cel: {expressions: [{expression: a}], paramRef: {name: a}}, manifests: {attestors: [{entries: [{keys: {secret: {name: a}}}]}]}, foreach: [{list: a, deny: {conditions: []}}]}
`);

const oldException = yamlObject(`
apiVersion: kyverno.io/v1alpha1
kind: PolicyException
metadata: {name: p}
spec: {policies: [{name: a}], rules: [{name: a}], match: {resources: {kinds: [Pod], labels: {a: b}}}, conditions: {any: []}, podSecurity: [{controlName: a, images: [b]}]}
`);

/** Replaces one random node of a copy by one of the odd values, or adds an odd key beside it. */
function mutate(root: JsonObject, random: () => number): JsonObject {
  const copy = structuredClone(root);
  let node: Json = copy;
  for (;;) {
    const keys: readonly (string | number)[] = Array.isArray(node)
      ? [...node.keys()]
      : isObject(node)
        ? Object.keys(node)
        : [];
    if (keys.length === 0) return copy;
    const key = keys[Math.floor(random() * keys.length)]!;
    const next: Json = Array.isArray(node) ? node[key as number]! : own(node as JsonObject, key as string)!;
    const isLeaf = typeof next !== 'object' || next === null || Object.keys(next).length === 0;
    if (!isLeaf && random() > 0.2) {
      node = next;
      continue;
    }
    const value = values[Math.floor(random() * values.length)]!;
    if (Array.isArray(node)) node[key as number] = value;
    else if (random() < 0.2) setOwn(node as JsonObject, '__proto__', value);
    else setOwn(node as JsonObject, key as string, value);
    return copy;
  }
}

describe('hostile input', () => {
  it('never makes the loader throw, whatever stands where', () => {
    const random = seeded(7);
    const wrong: JsonObject[] = [];
    for (let round = 0; round < 800; round++) {
      let policy = full;
      for (let edits = 1 + Math.floor(random() * 4); edits > 0; edits--) policy = mutate(policy, random);
      const result = loadClassicPolicy(policy, {resources: testKinds, old: mutate(full, random)});
      if (result.errors.length > 0 !== (result.policy === undefined)) wrong.push(policy);
    }
    expect(wrong).toEqual([]);
  });

  it('never makes the exception loader throw', () => {
    const random = seeded(11);
    const wrong: JsonObject[] = [];
    for (let round = 0; round < 800; round++) {
      let raw = oldException;
      for (let edits = 1 + Math.floor(random() * 3); edits > 0; edits--) raw = mutate(raw, random);
      const result = loadException(raw);
      if (result.errors.length > 0 !== (result.policy === undefined)) wrong.push(raw);
    }
    expect(wrong).toEqual([]);
  });

  it('is told as an error when it is no object at all', () => {
    for (const value of [null, 5, 'x', [], true, undefined]) {
      expect(loadClassicPolicy(value as unknown as JsonObject, {resources: testKinds}).errors).toMatchObject([
        {code: 'wrong-type'},
      ]);
      expect(loadException(value as unknown as JsonObject).errors).toMatchObject([{code: 'wrong-type'}]);
    }
  });

  it('is refused as a whole when it nests without end', () => {
    let deep: Json = 'x';
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : {a: deep};
    const policy = policyWith('{}');
    const result = loadClassicPolicy(
      {...policy, spec: {rules: [{validate: {pattern: deep}}]}},
      {resources: testKinds, old: {deep}},
    );
    expect(result.errors).toMatchObject([{code: 'too-deep', path: ''}]);
  });

  it('does not take prototype members for fields', () => {
    const policy = JSON.parse(
      '{"apiVersion":"kyverno.io/v1","kind":"ClusterPolicy","metadata":{"name":"p"},"spec":{"rules":[{"name":"r","__proto__":{"match":{"any":[{"resources":{"kinds":["Pod"]}}]}},"validate":{"pattern":{}}}]}}',
    ) as JsonObject;
    const {errors} = loadClassicPolicy(policy, {resources: testKinds});
    expect(errors.map(({path}) => path)).toEqual(['spec.rules[0].__proto__', 'spec.rules[0].match']);
  });

  it('keeps free data with odd keys as it is', () => {
    const pattern = JSON.parse('{"__proto__":{"a":"b"},"constructor":{"c":1}}') as JsonObject;
    const policy = policyWith('{}');
    const rules = (policy['spec'] as JsonObject)['rules'] as JsonObject[];
    rules[0]!['validate'] = {pattern};
    const result = loadClassicPolicy(policy, {resources: testKinds});
    expect(result.errors).toEqual([]);
    expect(result.policy?.spec.rules[0]?.action).toMatchObject({check: {pattern}});
  });

  it('costs little when it is large', () => {
    const names = Array.from({length: 20_000}, (_, index) => `team-${index}-*`);
    const overrides = [
      {action: 'Enforce', namespaces: names},
      {action: 'Audit', namespaces: names.map(name => `x${name}`)},
    ];
    const {errors} = loadClassicPolicy(
      policyWith('{}', JSON.stringify({validationFailureActionOverrides: overrides})),
      {
        resources: testKinds,
      },
    );
    expect(errors).toMatchObject([{code: 'overrides-too-many'}]);
  });
});
