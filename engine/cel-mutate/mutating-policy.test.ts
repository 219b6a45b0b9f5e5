import {describe, expect, it} from 'vitest';
import {createResourceMap} from '../builtin-resources.js';
import {deepFreeze} from '../json/clone.js';
import type {JsonObject} from '../json/types.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import type {EngineRequest, MutateResponse} from '../types.js';
import {applies, mutatingEngine, mutatingPolicy, patches, refusals, type TestWorld} from './testing/engine.js';

const deadline = Number.POSITIVE_INFINITY;

async function mutate(
  policies: readonly JsonObject[],
  request: EngineRequest,
  world?: TestWorld,
): Promise<MutateResponse> {
  return mutatingEngine(policies, world).mutate(request, {phase: 'admission', deadline});
}

const onPod = (policy: JsonObject | readonly JsonObject[], object = pod('a')): Promise<MutateResponse> =>
  mutate(Array.isArray(policy) ? policy : [policy as JsonObject], requestOf({object: deepFreeze(object)}));

function told({results}: MutateResponse): string[] {
  return results.flatMap(({policy, rules}) =>
    rules.map(rule => `${policy.name} ${rule.rule} ${rule.status}: ${rule.message}`),
  );
}

const label = (key: string, value: string) => `Object{metadata: Object.metadata{labels: {"${key}": ${value}}}}`;

describe('a mutation', () => {
  it('merges what an Object says', async () => {
    const expression = `Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{
      name: c.name, imagePullPolicy: "Always"})}}`;
    const {object, patch, results} = await onPod(mutatingPolicy(applies(expression)));
    expect(object!['spec']).toEqual({containers: [{name: 'main', image: 'nginx:1.27', imagePullPolicy: 'Always'}]});
    expect(patch).toEqual([{op: 'add', path: '/spec/containers/0/imagePullPolicy', value: 'Always'}]);
    expect(results[0]!.rules).toMatchObject([{rule: '', type: 'Mutation', status: 'pass', message: 'success'}]);
  });

  it('applies JSON patches', async () => {
    const expression = `[JSONPatch{op: "add", path: "/metadata/labels", value: {"a/b": "c"}},
      JSONPatch{op: "replace", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "d"},
      JSONPatch{op: "add", path: "/spec/tolerations", value: [Object.spec.tolerations{key: "k", operator: "Exists"}]},
      JSONPatch{op: "add", path: "/spec/priority", value: 5}]`;
    const {object} = await onPod(mutatingPolicy(patches(expression)));
    expect(object).toMatchObject({
      metadata: {labels: {'a/b': 'd'}},
      spec: {tolerations: [{key: 'k', operator: 'Exists'}], priority: 5},
    });
  });

  it('passes when there is nothing to change', async () => {
    const given = pod('a', {metadata: {labels: {a: '1'}}});
    const response = await onPod(mutatingPolicy(applies(label('a', '"1"'))), given);
    expect(response.object).toBe(given);
    expect(told(response)).toEqual(['p  pass: success']);
  });

  it('changes nothing when a test of its patch does not hold', async () => {
    const expression = `[JSONPatch{op: "test", path: "/metadata/name", value: "b"}, JSONPatch{op: "remove", path: "/spec"}]`;
    const response = await onPod(mutatingPolicy(patches(expression)));
    expect([response.patch, told(response)]).toEqual([[], ['p  pass: success']]);
  });

  it('sees what the one before left, variables too', async () => {
    const mutations = JSON.stringify([
      {patchType: 'ApplyConfiguration', applyConfiguration: {expression: label('a', '"1"')}},
      {patchType: 'ApplyConfiguration', applyConfiguration: {expression: label('b', 'variables.a + "2"')}},
    ]);
    const spec = `variables: [{name: a, expression: "object.metadata.?labels.?a.orValue('none')"}]`;
    const {object} = await onPod(mutatingPolicy(mutations, {spec}));
    expect(object!['metadata']).toMatchObject({labels: {a: '1', b: '12'}});
  });

  it('of a later policy sees the earlier ones; the request stays what was asked', async () => {
    const expression = `Object{metadata: Object.metadata{labels: {
      "now": string(object.metadata.labels.a), "asked": string(has(request.object.metadata.labels))}}}`;
    const {object} = await onPod([
      mutatingPolicy(applies(label('a', '"1"')), {name: 'p1'}),
      mutatingPolicy(applies(expression), {name: 'p2'}),
    ]);
    expect(object!['metadata']).toMatchObject({labels: {a: '1', now: '1', asked: 'false'}});
  });

  it('waits for what it asks for', async () => {
    const loader = recordingLoader({objects: {'configmaps/default/c': {data: {x: 'y'}}}, later: true});
    const expression = label('a', 'resource.Get("v1", "configmaps", "default", "c").data.x');
    const response = await mutate([mutatingPolicy(applies(expression))], requestOf({object: pod('a')}), {loader});
    expect(response.object!['metadata']).toMatchObject({labels: {a: 'y'}});
    expect(loader.calls).toEqual(['get configmaps/default/c']);
  });
});

describe('conditions, exceptions and annotations', () => {
  it('skip the policy when they do not hold; they know the variables', async () => {
    const spec = `{variables: [{name: x, expression: "'b'"}], matchConditions: [{name: c, expression: "object.metadata.name == variables.x"}]}`;
    const policy = mutatingPolicy(applies(label('a', '"1"')), {spec});
    expect(told(await onPod(policy))).toEqual(['p  skip: skip']);
    expect(told(await onPod(policy, pod('b')))).toEqual(['p  pass: success']);
  });

  const exception = (more: JsonObject): JsonObject => ({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'PolicyException',
    metadata: {name: 'e', namespace: 'default'},
    spec: {policyRefs: [{name: 'p', kind: 'MutatingPolicy'}], ...more},
  });

  it('free an object wholly', async () => {
    const free = exception({matchConditions: [{name: 'c', expression: "object.metadata.name == 'a'"}]});
    const response = await onPod([mutatingPolicy(applies(label('a', '"1"'))), free]);
    expect(told(response)).toEqual(['p exception skip: rule is skipped due to policy exception: default/e']);
    expect(response.patch).toEqual([]);
  });

  it('tell the mutations what is allowed', async () => {
    const policy = mutatingPolicy(applies(label('a', "exceptions.allowedValues.join('-')")));
    const {object} = await onPod([policy, exception({allowedValues: ['x', 'y']})]);
    expect(object!['metadata']).toMatchObject({labels: {a: 'x-y'}});
  });

  it('see the patched object in annotations', async () => {
    const spec = `auditAnnotations: [{key: k, valueExpression: "string(object.metadata.labels.a)"}]`;
    const {results} = await onPod(mutatingPolicy(applies(label('a', '"1"')), {spec}));
    expect(results[0]!.rules[0]!.properties).toEqual({k: '1'});
  });
});

describe('a mutation that fails', () => {
  const failing: ReadonlyArray<readonly [string, string, string]> = [
    [
      'names a field that is not there',
      applies('Object{spec: Object.spec{nope: 1}}'),
      'error applying patch: failed to convert patch object to typed object: .spec.nope: field not declared in schema',
    ],
    [
      'sets null',
      applies(label('a', 'null').replace('{"a": null}', 'Object.metadata.labels{a: null}')),
      'error applying patch: failed to convert patch object to typed object: .metadata.labels.a: expected string, got null',
    ],
    [
      'changes an atomic part',
      applies('Object{spec: Object.spec{nodeSelector: {"a": "b"}}}'),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector',
    ],
    [
      'names a type of another place',
      applies('Object{spec: Object.wrong{}}'),
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
    ],
    [
      'removes what is not there',
      patches('[JSONPatch{op: "remove", path: "/metadata/annotations/z"}]'),
      'JSON Patch: remove operation does not apply: doc is missing path: "/metadata/annotations/z": missing value',
    ],
    ['reads what is not there', applies(label('a', 'object.spec.nope')), 'no such key: nope'],
  ];

  it.each(failing)('because it %s denies', async (_, mutations, message) => {
    const response = await onPod(mutatingPolicy(mutations));
    expect(told(response)).toEqual([`p evaluation error: failed to evaluate policy: ${message}`]);
    expect(response.denied).toBe(
      `Resource: default/a, Kind: Pod, Errors: [Policy p: failed to evaluate policy: ${message}]`,
    );
    expect(response.patch).toEqual([]);
  });

  it('takes nothing of its policy along where failures are ignored', async () => {
    const mutations = JSON.stringify([
      {patchType: 'ApplyConfiguration', applyConfiguration: {expression: label('a', '"1"')}},
      {patchType: 'ApplyConfiguration', applyConfiguration: {expression: label('b', 'object.spec.nope')}},
    ]);
    const response = await onPod([
      mutatingPolicy(mutations, {name: 'p1', spec: 'failurePolicy: Ignore'}),
      mutatingPolicy(applies(label('c', '"3"')), {name: 'p2'}),
    ]);
    expect(response.denied).toBeUndefined();
    expect(response.object!['metadata']).toMatchObject({labels: {c: '3'}});
    expect(Object.keys((response.object!['metadata'] as JsonObject)['labels'] as JsonObject)).toEqual(['c']);
  });

  it('may change atomic parts where the policy says so', async () => {
    const spec = 'evaluation: {useServerSideApply: true}';
    const {object} = await onPod(
      mutatingPolicy(applies('Object{spec: Object.spec{nodeSelector: {"a": "b"}}}'), {spec}),
    );
    expect(object!['spec']).toMatchObject({nodeSelector: {a: 'b'}});
  });
});

describe('what does not compile', () => {
  it.each<readonly [string, string, string]>([
    [
      'a map as configuration',
      applies('{"spec": {}}'),
      'spec.mutations[0].applyConfiguration.expression: Invalid value: "{\\"spec\\": {}}": output is expected to be of type Object',
    ],
    ['a part as configuration', applies('Object.spec{}'), 'output is expected to be of type Object'],
    ['a list of maps as patch', patches('[{"op": "add"}]'), 'output is expected to be of type list(JSONPatch)'],
    ['an unknown field of an operation', patches('[JSONPatch{opp: "add"}]'), 'opp'],
  ])('is %s', (_, mutations, message) => {
    expect(refusals(mutatingPolicy(mutations)).join('\n')).toContain(message);
  });

  it('is an expression for targets that comes to no map', () => {
    const spec = `targetMatchConstraints: {expression: "object.metadata.name"}`;
    expect(refusals(mutatingPolicy(applies('Object{}'), {spec})).join('\n')).toContain('output type must be a map');
  });
});

describe('custom resources', () => {
  const widgets = createResourceMap([
    {group: 'acme.io', version: 'v1', kind: 'Widget', resource: 'widgets', namespaced: true, subResources: []},
  ]);
  const schema: JsonObject = {
    type: 'object',
    properties: {spec: {type: 'object', properties: {size: {type: 'integer'}}}},
  };
  const rule = "{apiGroups: [acme.io], apiVersions: [v1], resources: [widgets], operations: ['*']}";
  const policy = mutatingPolicy(applies('Object{spec: Object.spec{size: 3}}'), {rule});
  const request = requestOf({
    object: {apiVersion: 'acme.io/v1', kind: 'Widget', metadata: {name: 'w', namespace: 'default'}, spec: {}},
  });

  it('merge by the schema that the cluster has', async () => {
    const loader = {...recordingLoader(), kindSchema: async () => schema};
    const {object} = await mutate([policy], request, {loader, resources: widgets});
    expect(object!['spec']).toEqual({size: 3});
  });

  it('cannot be merged without one', async () => {
    const response = await mutate([policy], request, {resources: widgets});
    expect(told(response)).toEqual([
      'p evaluation error: failed to evaluate policy: error applying patch: type converter must not be nil',
    ]);
  });
});

describe('fields that are newer than what we know', () => {
  const policy = mutatingPolicy(applies('Object{spec: Object.spec{brandNew: "x"}}'));
  const document = {
    components: {
      schemas: {
        Pod: {
          type: 'object',
          'x-kubernetes-group-version-kind': [{group: '', version: 'v1', kind: 'Pod'}],
          properties: {
            apiVersion: {type: 'string'},
            kind: {type: 'string'},
            metadata: {type: 'object'},
            spec: {allOf: [{$ref: '#/components/schemas/PodSpec'}]},
          },
        },
        PodSpec: {type: 'object', properties: {brandNew: {type: 'string'}, containers: {type: 'array'}}},
      },
    },
  };

  it('are taken from the API server', async () => {
    const asked: string[] = [];
    const openApi = async (groupVersion: string) => {
      asked.push(groupVersion);
      return document;
    };
    const loader = {...recordingLoader(), openApi};
    const {object} = await mutate([policy], requestOf({object: pod('a')}), {loader});
    expect(object!['spec']).toMatchObject({brandNew: 'x'});
    expect(asked).toEqual(['v1']);
  });

  it('are refused where nobody knows them', async () => {
    expect(told(await onPod(policy)).join()).toContain('.spec.brandNew: field not declared in schema');
  });
});
