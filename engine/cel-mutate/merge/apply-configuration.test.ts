import {describe, expect, it} from 'vitest';
import {schemasOf} from '../../../adapters/definition-schemas.js';
import {Budget, defaultLimits} from '../../budget.js';
import {deepFreeze} from '../../json/clone.js';
import {parseJson} from '../../json/parse.js';
import type {Json, JsonObject} from '../../json/types.js';
import {builtInType} from '../schema/built-in.js';
import {typeOfResourceSchema} from '../schema/from-openapi.js';
import {deduced, type StructuralType} from '../schema/types.js';
import {applyConfiguration} from './apply-configuration.js';

const types = builtInType;
const pod = (spec: JsonObject, metadata: JsonObject = {name: 'p'}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec,
});

interface Case {
  readonly object: JsonObject;
  readonly patch: JsonObject;
  readonly replaceAtomics?: boolean;
  readonly type?: StructuralType | undefined;
}

function apply({object, patch, replaceAtomics = false, ...given}: Case): JsonObject {
  const type = 'type' in given ? given.type : types(String(object['apiVersion']), String(object['kind']));
  const budget = new Budget(defaultLimits, () => 0);
  return applyConfiguration(deepFreeze(object), deepFreeze(patch), {type, replaceAtomics, budget});
}

const merged = (object: JsonObject, patch: JsonObject, replaceAtomics = false): JsonObject =>
  apply({object, patch, replaceAtomics});

describe('an applied configuration', () => {
  it('merges maps and keeps what it does not name', () => {
    const object = pod(
      {containers: [{name: 'a', image: 'x'}], hostNetwork: true},
      {name: 'p', labels: {a: '1', b: '2'}},
    );
    expect(merged(object, {metadata: {labels: {b: '3', c: '4'}}, spec: {hostNetwork: false}})).toEqual(
      pod({containers: [{name: 'a', image: 'x'}], hostNetwork: false}, {name: 'p', labels: {a: '1', b: '3', c: '4'}}),
    );
  });

  it('merges elements of lists by their keys, new ones at the end', () => {
    const object = pod({
      containers: [
        {name: 'a', image: 'x', env: [{name: 'E', value: '1'}]},
        {name: 'b', image: 'y'},
      ],
    });
    const patch = {
      spec: {
        containers: [
          {
            name: 'a',
            env: [
              {name: 'F', value: '2'},
              {name: 'E', value: '3'},
            ],
          },
          {name: 'c', image: 'z'},
        ],
      },
    };
    expect(merged(object, patch)['spec']).toEqual({
      containers: [
        {
          name: 'a',
          image: 'x',
          env: [
            {name: 'F', value: '2'},
            {name: 'E', value: '3'},
          ],
        },
        {name: 'b', image: 'y'},
        {name: 'c', image: 'z'},
      ],
    });
  });

  it('knows a port by number and protocol, TCP where none is said', () => {
    const object = pod({containers: [{name: 'a', ports: [{containerPort: 80}, {containerPort: 53, protocol: 'UDP'}]}]});
    const patch = {
      spec: {
        containers: [
          {
            name: 'a',
            ports: [
              {containerPort: 80, protocol: 'TCP', name: 'web'},
              {containerPort: 53, name: 'dns'},
            ],
          },
        ],
      },
    };
    expect(merged(object, patch)['spec']).toEqual({
      containers: [
        {
          name: 'a',
          ports: [
            {containerPort: 80, protocol: 'TCP', name: 'web'},
            {containerPort: 53, protocol: 'UDP'},
            {containerPort: 53, name: 'dns'},
          ],
        },
      ],
    });
  });

  it('adds to sets what is not in them', () => {
    const object = pod({}, {name: 'p', finalizers: ['a/x', 'a/y']});
    expect(merged(object, {metadata: {finalizers: ['a/z', 'a/x']}})['metadata']).toEqual({
      name: 'p',
      finalizers: ['a/z', 'a/x', 'a/y'],
    });
  });

  it('gives the very object back when nothing changes', () => {
    const object = pod({containers: [{name: 'a', image: 'x'}]}, {name: 'p', labels: {a: '1'}});
    expect(merged(object, {metadata: {labels: {a: '1'}}, spec: {containers: [{name: 'a'}]}})).toBe(object);
  });

  it('keeps elements that are there twice', () => {
    const object = pod({
      containers: [
        {
          name: 'a',
          env: [
            {name: 'E', value: '1'},
            {name: 'E', value: '2'},
          ],
        },
      ],
    });
    expect(merged(object, {spec: {containers: [{name: 'a', image: 'x'}]}})['spec']).toEqual({
      containers: [
        {
          name: 'a',
          env: [
            {name: 'E', value: '1'},
            {name: 'E', value: '2'},
          ],
          image: 'x',
        },
      ],
    });
  });

  it.each<readonly [string, JsonObject, string]>([
    ['a list', {spec: {tolerations: [{key: 'a'}]}}, '.spec.tolerations'],
    ['a map', {spec: {nodeSelector: {a: 'b'}}}, '.spec.nodeSelector'],
    ['a struct', {metadata: {ownerReferences: [{uid: '1'}]}}, '.metadata.ownerReferences[0]'],
    [
      'several',
      {
        spec: {
          nodeSelector: {a: 'b'},
          containers: [{name: 'a', command: ['x'], securityContext: {capabilities: {drop: ['ALL']}}}],
        },
      },
      '.spec.nodeSelector, .spec.containers[0].command, .spec.containers[0].securityContext.capabilities.drop',
    ],
  ])('refuses to change %s that is atomic', (_, patch, paths) => {
    expect(() => merged(pod({}), patch)).toThrow(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${paths}`,
    );
  });

  it('replaces atomic parts where the policy says so', () => {
    const object = pod({tolerations: [{key: 'a'}], nodeSelector: {a: '1'}});
    expect(merged(object, {spec: {tolerations: [{key: 'b'}], nodeSelector: {b: '2'}}}, true)['spec']).toEqual({
      tolerations: [{key: 'b'}],
      nodeSelector: {b: '2'},
    });
  });

  it.each<readonly [string, JsonObject, string]>([
    ['null', {metadata: {labels: {app: null}}}, '.metadata.labels.app: expected string, got null'],
    ['a field that is not declared', {spec: {nope: 1}}, '.spec.nope: field not declared in schema'],
    ['a map for a list', {spec: {containers: {}}}, '.spec.containers: expected list, got {}'],
    ['a text for a number', {spec: {priority: 'high'}}, '.spec.priority: expected numeric (int or float), got "high"'],
    ['a text for a map', {metadata: {labels: 'x'}}, '.metadata.labels: expected map, got "x"'],
    [
      'a name twice',
      {spec: {containers: [{name: 'a'}, {name: 'a'}]}},
      '.spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      'a fault in an element',
      {spec: {containers: [{name: 'a', image: 1}]}},
      '.spec.containers[name="a"].image: expected string, got 1',
    ],
    [
      'several faults',
      {metadata: {labels: {a: 1}}, spec: {nope: true}},
      'errors:\n  .metadata.labels.a: expected string, got 1\n  .spec.nope: field not declared in schema',
    ],
  ])('tells where there is %s', (_, patch, message) => {
    expect(() => merged(pod({}), patch)).toThrow(
      `error applying patch: failed to convert patch object to typed object: ${message}`,
    );
  });

  it('takes numbers and texts where the field takes both', () => {
    const object = pod({containers: [{name: 'a'}]});
    const limits = (cpu: Json): JsonObject => ({spec: {containers: [{name: 'a', resources: {limits: {cpu}}}]}});
    expect(merged(object, limits(1))['spec']).toEqual({containers: [{name: 'a', resources: {limits: {cpu: 1}}}]});
    expect(merged(object, limits('100m'))['spec']).toEqual({
      containers: [{name: 'a', resources: {limits: {cpu: '100m'}}}],
    });
  });

  it('leaves alone fields of the object that it has no type for', () => {
    const object = pod({someNewField: {a: [1]}, containers: null});
    expect(merged(object, {metadata: {labels: {a: 'b'}}})['spec']).toEqual({someNewField: {a: [1]}, containers: null});
  });

  it('leaves alone what is wrong with the object where it changes nothing, and tells it where it does', () => {
    const object = pod({containers: {}, volumes: [null]});
    expect(merged(object, {metadata: {labels: {a: 'b'}}})['spec']).toBe(object['spec']);
    const what = 'error applying patch: failed to convert original object to typed object';
    expect(() => merged(object, {spec: {containers: [{name: 'a'}]}})).toThrow(
      `${what}: .spec.containers: expected list, got {}`,
    );
    expect(() => merged(object, {spec: {volumes: [{name: 'v'}]}})).toThrow(
      `${what}: .spec.volumes: element 0: associative list with keys may not have a null element`,
    );
  });

  it('needs a type', () => {
    expect(() => apply({object: {apiVersion: 'acme.io/v1', kind: 'Widget'}, patch: {}, type: undefined})).toThrow(
      'error applying patch: type converter must not be nil',
    );
  });

  it('keeps kind and version of the object', () => {
    expect(merged(pod({}), {apiVersion: 'v2', kind: 'Other'})).toEqual(pod({}));
  });

  it('takes keys like __proto__ as data', () => {
    const result = merged(pod({}), {metadata: {labels: parseJson('{"__proto__":"a","constructor":"b"}')}});
    expect(JSON.stringify(result['metadata'])).toBe('{"name":"p","labels":{"__proto__":"a","constructor":"b"}}');
  });

  it('ends with its budget', () => {
    const budget = new Budget({...defaultLimits, steps: 100}, () => 0);
    const labels = Object.fromEntries(Array.from({length: 200}, (_, index) => [`l${index}`, 'x']));
    expect(() =>
      applyConfiguration(pod({}), {metadata: {labels}}, {type: types('v1', 'Pod'), replaceAtomics: false, budget}),
    ).toThrow('limit of 100 steps');
  });
});

describe('without a schema', () => {
  it('merges maps and replaces lists', () => {
    const object: JsonObject = {apiVersion: 'v1', kind: 'Pod', spec: {containers: [{name: 'a'}], a: {b: 1}}};
    expect(
      apply({object, patch: {spec: {containers: [{name: 'c'}], a: {c: 2}}}, replaceAtomics: true, type: deduced}),
    ).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      spec: {containers: [{name: 'c'}], a: {b: 1, c: 2}},
    });
  });
});

describe('custom resources', () => {
  const definition: JsonObject = {
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'acme.io',
      names: {kind: 'Widget'},
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    tags: {type: 'array', 'x-kubernetes-list-type': 'set', items: {type: 'string'}},
                    plain: {type: 'array', items: {type: 'string'}},
                    parts: {
                      type: 'array',
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['id', 'side'],
                      items: {
                        type: 'object',
                        properties: {
                          id: {type: 'integer'},
                          side: {type: 'string', default: 'left'},
                          size: {'x-kubernetes-int-or-string': true},
                        },
                      },
                    },
                    free: {
                      type: 'object',
                      'x-kubernetes-preserve-unknown-fields': true,
                      properties: {a: {type: 'string'}},
                    },
                    fixed: {type: 'object', 'x-kubernetes-map-type': 'atomic', properties: {a: {type: 'string'}}},
                  },
                },
              },
            },
          },
        },
      ],
    },
  };
  const schemas = schemasOf([definition, {kind: 'ConfigMap'}]);
  const type = typeOfResourceSchema(schemas('acme.io/v1', 'Widget')!);
  const widget = (spec: JsonObject): JsonObject => ({
    apiVersion: 'acme.io/v1',
    kind: 'Widget',
    metadata: {name: 'w'},
    spec,
  });
  const change = (object: JsonObject, patch: JsonObject): JsonObject => apply({object, patch, type});

  it('merge as their definition says', () => {
    const object = widget({tags: ['a'], parts: [{id: 1, size: 2}], free: {b: {c: 1}}});
    const patch = {
      metadata: {labels: {l: 'x'}},
      spec: {
        tags: ['b'],
        parts: [
          {id: 1, side: 'left', size: '3'},
          {id: 1, side: 'right'},
        ],
        free: {b: {d: 2}, a: 'x'},
      },
    };
    expect(change(object, patch)).toEqual({
      ...widget({
        tags: ['a', 'b'],
        parts: [
          {id: 1, side: 'left', size: '3'},
          {id: 1, side: 'right'},
        ],
        free: {b: {c: 1, d: 2}, a: 'x'},
      }),
      metadata: {name: 'w', labels: {l: 'x'}},
    });
  });

  it('refuse what is atomic or not declared', () => {
    expect(() => change(widget({}), {spec: {plain: ['x'], fixed: {a: 'x'}}})).toThrow(
      'structs: .spec.plain, .spec.fixed',
    );
    expect(() => change(widget({}), {spec: {other: 1}})).toThrow('.spec.other: field not declared in schema');
  });

  it('have no type when they are not described', () => {
    expect(schemas('acme.io/v2', 'Widget')).toBeUndefined();
  });
});
