import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import type {RuleStatus} from '../../engine/types.js';
import type {Expectation} from '../files/test-file.js';
import type {PolicyFamily} from '../files/policy-kinds.js';
import {keyOf, type PolicyResponse, type RuleResponse} from '../offline/responses.js';
import {type Judged, matchRows, type MatchOptions} from './match-rows.js';

const pod = (name: string, namespace = 'default', labels?: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name, namespace, ...(labels !== undefined && {labels})},
});

function rule(name: string, status: RuleStatus, more: Partial<RuleResponse> = {}): RuleResponse {
  return {
    rule: name,
    type: 'Validation',
    status,
    message: `${name} ${status}`,
    audit: false,
    properties: {},
    exceptions: [],
    generated: [],
    targets: [],
    unserved: false,
    ...more,
  };
}

function response(
  resource: JsonObject,
  rules: readonly RuleResponse[],
  more: {name?: string; family?: PolicyFamily; raw?: JsonObject; patched?: JsonObject} = {},
): PolicyResponse {
  const {name = 'p', family = 'classic', raw = {}, patched = resource} = more;
  return {
    policy: {family, kind: 'ClusterPolicy', name, namespace: '', key: name, raw},
    phase: 'validate',
    resource,
    patched,
    rules,
  };
}

const judged = (resource: JsonObject, ...responses: readonly PolicyResponse[]): Judged => ({
  key: keyOf(resource),
  responses,
});

function rows(expectation: Expectation, items: readonly Judged[], more: Partial<MatchOptions> = {}): string[] {
  const options: MatchOptions = {
    runs: new Map([['', items]]),
    targets: [],
    invalid: new Map(),
    load: () => [],
    strict: false,
    ...more,
  };
  return matchRows({policy: 'p', result: 'pass', ...expectation}, options).map(row =>
    [row.rule, row.resource, row.result, row.reason].join(' | '),
  );
}

const a = pod('a');
const b = pod('b', 'other');
const both = [
  judged(a, response(a, [rule('r', 'pass'), rule('autogen-s', 'fail')])),
  judged(b, response(b, [rule('r', 'fail')])),
];

describe('which resources an entry speaks of', () => {
  it.each<[what: string, expectation: Expectation, resources: readonly string[]]>([
    ['a name', {resources: ['a']}, ['v1/Pod/default/a']],
    ['namespace and name', {resources: ['other/b']}, ['v1/Pod/other/b']],
    ['a name in another namespace stands for all', {resources: ['other/a']}, ['v1/Pod/default/a', 'v1/Pod/other/b']],
    ['a wildcard is to the letter', {resources: ['a*']}, ['v1/Pod/default/a', 'v1/Pod/other/b']],
    ['a name twice counts twice', {resources: ['a', 'a']}, ['v1/Pod/default/a', 'v1/Pod/default/a']],
    ['no names at all', {}, ['v1/Pod/default/a', 'v1/Pod/other/b']],
    ['the kind means nothing', {resources: ['a'], kind: 'Service'}, ['v1/Pod/default/a']],
    [
      'specs beside names',
      {resources: ['a'], resourceSpecs: [{version: 'v1', namespace: 'other', name: 'b'}]},
      ['v1/Pod/default/a', 'v1/Pod/other/b'],
    ],
    [
      'specs alone mean nothing',
      {resourceSpecs: [{version: 'v1', namespace: 'other', name: 'b'}]},
      ['v1/Pod/default/a', 'v1/Pod/other/b'],
    ],
  ])('%s', (_what, expectation, resources) => {
    expect(rows({rule: 'r', ...expectation}, both).map(row => row.split(' | ')[1])).toEqual(resources);
  });

  it.each<[what: string, expectation: Expectation, wanted: readonly string[]]>([
    [
      'a name that is nowhere',
      {resources: ['absent', 'a']},
      ['r | v1/Pod/default/a | Pass | Ok', 'r | absent | Fail | Not found'],
    ],
    [
      'specs alone',
      {resourceSpecs: [{version: 'v1', namespace: 'default', name: 'a'}]},
      ['r | v1/Pod/default/a | Pass | Ok'],
    ],
  ])('strictly: %s', (_what, expectation, wanted) => {
    expect(rows({rule: 'r', ...expectation}, both, {strict: true})).toEqual(wanted);
  });
});

describe('what a row says', () => {
  it.each<[what: string, expectation: Expectation, wanted: readonly string[]]>([
    ['as expected', {resources: ['a'], rule: 'r'}, ['r | v1/Pod/default/a | Pass | Ok']],
    ['not as expected', {resources: ['b'], rule: 'r'}, ['r | v1/Pod/other/b | Fail | Want pass, got fail']],
    [
      'a derived rule by its base name',
      {resources: ['a'], rule: 's', result: 'fail'},
      ['autogen-s | v1/Pod/default/a | Pass | Ok'],
    ],
    [
      'every rule without a name',
      {resources: ['a']},
      ['r | v1/Pod/default/a | Pass | Ok', 'autogen-s | v1/Pod/default/a | Fail | Want pass, got fail'],
    ],
    [
      'a rule that says nothing',
      {resources: ['a'], rule: 'x', result: 'fail'},
      ['x | v1/Pod/default/a | Pass | Excluded'],
    ],
    ['an unknown policy', {policy: 'q', resources: ['a'], rule: 'r'}, ['r | v1/Pod/default/a | Fail | Not found']],
    [
      'a namespace before the policy',
      {policy: 'ns/p', resources: ['a'], rule: 'r'},
      ['r | v1/Pod/default/a | Pass | Ok'],
    ],
  ])('%s', (_what, expectation, wanted) => {
    expect(rows(expectation, both)).toEqual(wanted);
  });

  it('an invalid policy is skipped', () => {
    expect(rows({policy: 'q', resources: ['a']}, both, {invalid: new Map([['q', 'why']])})).toEqual([
      ' | v1/Pod/default/a | Skip | Invalid Policy',
    ]);
  });

  it('an unserved rule fails, whatever is expected', () => {
    const items = [judged(a, response(a, [rule('r', 'error', {unserved: true})]))];
    expect(rows({result: 'error', rule: 'r'}, items)).toEqual(['r | v1/Pod/default/a | Fail | Not served']);
  });

  it('a rule name means nothing to policies without rules', () => {
    const items = [judged(a, response(a, [rule('anything', 'pass')], {family: 'cel'}))];
    expect(rows({rule: 'bogus'}, items)).toEqual([' | v1/Pod/default/a | Pass | Ok']);
  });

  it('a failure of an unscored policy warns', () => {
    const raw = {metadata: {annotations: {'policies.kyverno.io/scored': 'false'}}};
    expect(rows({rule: 'r', result: 'warn'}, [judged(a, response(a, [rule('r', 'fail')], {raw}))])).toEqual([
      'r | v1/Pod/default/a | Pass | Ok',
    ]);
  });

  it('one empty phase adds an Excluded row only when it comes first', () => {
    const empty = response(a, []);
    const full = response(a, [rule('r', 'pass')]);
    expect(rows({rule: 'r'}, [judged(a, empty, full)])).toEqual([
      'r | v1/Pod/default/a | Pass | Excluded',
      'r | v1/Pod/default/a | Pass | Ok',
    ]);
    expect(rows({rule: 'r'}, [judged(a, full, empty)])).toEqual(['r | v1/Pod/default/a | Pass | Ok']);
  });

  it('an entry with an operation looks at the run of that operation', () => {
    const runs = new Map([
      ['', both],
      ['DELETE', [judged(a, response(a, [rule('r', 'skip')]))]],
    ]);
    expect(rows({rule: 'r', operation: 'DELETE', result: 'skip'}, [], {runs})).toEqual([
      'r | v1/Pod/default/a | Pass | Ok',
    ]);
  });
});

describe('expected objects', () => {
  const patched = pod('a', 'default', {x: '1'});
  const items = [judged(a, response(a, [rule('r', 'pass', {type: 'Mutation'})], {patched}))];
  const file = (...objects: JsonObject[]) => ({load: () => objects});
  it.each<[what: string, expectation: Expectation, objects: readonly JsonObject[], wanted: readonly string[]]>([
    ['equal', {patchedResources: 'f'}, [pod('a', 'default', {x: '1'})], ['r | v1/Pod/default/a | Pass | Ok']],
    [
      'different',
      {patchedResources: 'f'},
      [pod('a', 'default', {x: '2'})],
      ['r | v1/Pod/default/a | Fail | Resource diff'],
    ],
    ['absent: no row', {patchedResources: 'f'}, [pod('z')], []],
    [
      'absent, and asked for',
      {patchedResources: 'f', failOnMissingResources: true},
      [pod('z')],
      ['r | v1/Pod/default/a | Fail | Resource error'],
    ],
  ])('%s', (_what, expectation, objects, wanted) => {
    expect(rows({rule: 'r', ...expectation}, items, file(...objects))).toEqual(wanted);
  });

  it('generated objects have rows of their own and must all be in a file', () => {
    const made = [pod('x'), pod('y')];
    const generating = [judged(a, response(a, [rule('r', 'pass', {type: 'Generation', generated: made})]))];
    expect(rows({rule: 'r', generatedResource: 'f'}, generating, file(pod('x')))).toEqual([
      'r | /x | Pass | Ok',
      'r | /y | Fail | Resource error',
    ]);
  });

  it('changed targets are compared by themselves', () => {
    const secret: JsonObject = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 's', namespace: 'n'}};
    const change = {response: response(a, []), rule: rule('r', 'pass', {type: 'Mutation'}), object: secret};
    const targets = [{key: keyOf(secret), changes: [change]}];
    expect(rows({rule: 'r', resources: ['s'], patchedResources: 'f'}, [], {targets, ...file(secret)})).toEqual([
      'r | v1/Secret/n/s | Pass | Ok',
    ]);
  });
});
