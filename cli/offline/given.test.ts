import {describe, expect, it} from 'vitest';
import {builtinResourceMap as resources} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {PolicyRef} from '../../engine/types.js';
import type {ValuesSpec} from '../files/values-file.js';
import {OfflineValues} from './given.js';
import {withKindsOf} from './known-kinds.js';
import {guessPlural, offlineRequest} from './request.js';

const policy: PolicyRef = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'p', key: 'p'};
const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a', namespace: 'n', labels: {x: '1'}}};

function values(spec: ValuesSpec, set: Record<string, string> = {}): OfflineValues {
  return new OfflineValues({values: spec, set: new Map(Object.entries(set)), resolves: () => true});
}

const request = (operation = 'CREATE', object = pod) =>
  offlineRequest({object, operation, user: undefined, resources, subresources: undefined});

describe('values', () => {
  const spec: ValuesSpec = {
    globalValues: {a: 'global', b: 'global', c: 'global', d: 'global'},
    policies: [
      {
        name: 'p',
        resources: [{name: 'a', values: {b: 'resource', c: 'resource', d: 'resource'}}],
        rules: [{name: 'r', values: {d: 'rule', 'deep.er': [1]}, foreachValues: {'element.x': ['first', 'second']}}],
      },
    ],
  };

  it.each<[rule: string, below: unknown]>([
    ['other', {a: 'global', b: 'resource', c: 'set', d: 'resource'}],
    ['r', {a: 'global', b: 'resource', c: 'set', d: 'rule', deep: {er: [1]}}],
    ['autogen-r', {a: 'global', b: 'resource', c: 'set', d: 'rule', deep: {er: [1]}}],
    ['autogen-cronjob-r', {a: 'global', b: 'resource', c: 'set', d: 'rule', deep: {er: [1]}}],
  ])('of rule %s: global, over it the resource, the command line, the rule', (rule, below) => {
    expect(values(spec, {c: 'set'}).below(policy, rule, request())).toEqual(below);
  });

  it('of loops: only the first of each', () => {
    expect(values(spec).above(policy, 'r')).toEqual({element: {x: 'first'}});
    expect(values(spec).above(policy, 'other')).toBeUndefined();
  });

  it('change the object itself', () => {
    const given = values({
      globalValues: {'request.object.metadata.labels."a.b/c"': 'd', 'request.operation': 'UPDATE'},
    });
    expect(given.overlay('p', pod)).toEqual({
      ...pod,
      metadata: {name: 'a', namespace: 'n', labels: {x: '1', 'a.b/c': 'd'}},
    });
    expect(given.operation('p', 'a')).toBe('UPDATE');
    expect(given.below(policy, 'r', request())).toEqual({request: {}});
    expect(pod['metadata']).toEqual({name: 'a', namespace: 'n', labels: {x: '1'}});
  });

  it('may show an operation that requests do not have', () => {
    expect(values({globalValues: {'request.operation': 'CONNECT'}}).below(policy, 'r', request())).toEqual({
      request: {operation: 'CONNECT'},
    });
  });

  it('hold hostile names as data', () => {
    const given = values({globalValues: {'__proto__.polluted': 'x'}});
    expect(Object.keys(given.below(policy, 'r', request()) ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('requests', () => {
  it.each<[operation: string, shape: readonly [string, boolean, boolean]]>([
    ['CREATE', ['CREATE', true, false]],
    ['UPDATE', ['UPDATE', true, true]],
    ['DELETE', ['DELETE', false, true]],
    ['CONNECT', ['CREATE', true, false]],
  ])('%s', (operation, shape) => {
    const made = request(operation);
    expect([made.operation, made.object !== undefined, made.oldObject !== undefined]).toEqual(shape);
    expect(made.raw['operation']).toBe(operation);
  });

  it('a kind may stand for a subresource', () => {
    const made = offlineRequest({
      object: {apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {name: 'a', namespace: 'n'}},
      operation: 'UPDATE',
      user: undefined,
      resources,
      subresources: [
        {
          subresource: {name: 'deployments/scale', kind: 'Scale', group: 'autoscaling', version: 'v1'},
          parentResource: {name: 'deployments', kind: 'Deployment', group: 'apps', version: 'v1'},
        },
      ],
    });
    expect([made.kind, made.subResource, made.resource.resource]).toEqual([
      {group: 'apps', version: 'v1', kind: 'Deployment'},
      'scale',
      'deployments',
    ]);
  });

  it('plurals are guessed', () => {
    expect(['Widget', 'Policy', 'Class', 'Endpoints'].map(guessPlural)).toEqual([
      'widgets',
      'policies',
      'classes',
      'endpoints',
    ]);
  });

  it('kinds of given objects and of what policies write become known', () => {
    const policies = [{spec: {rules: [{generate: {apiVersion: 'y.io/v1', kind: 'Gadget', name: 'x'}}]}}];
    const known = withKindsOf(resources, [{apiVersion: 'x.io/v1', kind: 'Widget'}], policies);
    expect(known.find('Widget')[0]?.resource).toBe('widgets');
    expect(known.kindOf({group: 'y.io', version: 'v1', resource: 'gadgets'})?.kind).toBe('Gadget');
    expect(withKindsOf(resources, [pod], [])).toBe(resources);
  });
});
