import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import {compileCelState} from '../cel-policies/snapshot/cel-policy-cache.js';
import {regex} from '../testing/engines.js';
import {applies, mutatingPolicy, type TestPolicy} from './testing/engine.js';

function warnings(expression: string, options: TestPolicy = {}): string[] {
  const state = compileCelState(mutatingPolicy(applies(expression), options), {
    resources: builtinResourceMap,
    compile: {regex},
  });
  return state.warnings
    .filter(({code}) => code === 'cel-configuration')
    .map(({message}) => message.replace('the mutation fails: ', ''));
}

const both = "{apiGroups: [''], apiVersions: [v1], resources: [pods, services], operations: ['*']}";

describe('configurations that cannot be applied are told before they are', () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      'none',
      'Object{metadata: Object.metadata{labels: {"a": "b"}}, spec: Object.spec{hostNetwork: true, priority: 1}}',
      [],
    ],
    ['an unknown field', 'Object{spec: Object.spec{nope: 1}}', ['.spec.nope: field not declared in schema']],
    [
      'one in a list',
      'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{nme: c.name})}}',
      ['.spec.containers.nme: field not declared in schema'],
    ],
    [
      'one in a branch',
      'true ? Object{} : Object{spec: Object.spec{nope: 1}}',
      ['.spec.nope: field not declared in schema'],
    ],
    ['one in a map', 'Object{spec: {"nope": 1}}', ['.spec.nope: field not declared in schema']],
    [
      'a text for a number',
      'Object{spec: Object.spec{priority: "high"}}',
      ['.spec.priority: expected numeric, got a string value'],
    ],
    [
      'a number for a text',
      'Object{metadata: Object.metadata{labels: {"a": 1}}}',
      ['.metadata.labels.a: expected string, got a numeric value'],
    ],
    ['null', 'Object{spec: Object.spec{hostNetwork: null}}', ['.spec.hostNetwork: expected boolean, got null']],
    [
      'a list for a map',
      'Object{spec: Object.spec{securityContext: [1]}}',
      ['.spec.securityContext: expected map, got a list'],
    ],
    [
      'an atomic list',
      'Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "k"}]}}',
      ['.spec.tolerations: may not mutate atomic arrays, maps or structs'],
    ],
    [
      'an atomic map',
      'Object{spec: Object.spec{nodeSelector: {"a": "b"}}}',
      ['.spec.nodeSelector: may not mutate atomic arrays, maps or structs'],
    ],
    [
      'a type of another place',
      'Object{spec: Object.metadata{}}',
      ['type mismatch: unexpected type name "Object.metadata", expected "Object.spec"'],
    ],
    ['what is not written out', 'Object{spec: Object.spec{nodeSelector: object.spec.nodeSelector}}', []],
  ])('%s', (_, expression, expected) => {
    expect(warnings(expression)).toEqual(expected);
  });

  it('atomic parts are fine where they are replaced', () => {
    const spec = 'evaluation: {useServerSideApply: true}';
    expect(warnings('Object{spec: Object.spec{nodeSelector: {"a": "b"}}}', {spec})).toEqual([]);
  });

  it('only what fails for every kind', () => {
    expect(warnings('Object{spec: Object.spec{hostNetwork: true}}', {rule: both})).toEqual([]);
    expect(warnings('Object{spec: Object.spec{nope: true}}', {rule: both})).toEqual([
      '.spec.nope: field not declared in schema',
    ]);
  });

  it('nothing about kinds that are not known', () => {
    const rule = "{apiGroups: [acme.io], apiVersions: [v1], resources: [widgets], operations: ['*']}";
    expect(warnings('Object{spec: Object.spec{nope: true}}', {rule})).toEqual([]);
  });
});
