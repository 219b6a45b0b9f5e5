import {describe, expect, it} from 'vitest';
import type {Json, JsonObject} from '../json/types.js';
import {RequestContext} from '../context/request-context.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {EngineRequest} from '../types.js';
import {PolicyCache} from './policy-cache.js';

function policy(name: string, match: Json): JsonObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name},
    spec: {
      rules: [
        {name: 'r', match, validate: {failureAction: 'Enforce', message: 'm', pattern: {metadata: {name: '?*'}}}},
      ],
    },
  };
}

const pods = (more: JsonObject): JsonObject => ({resources: {kinds: ['Pod'], ...more}});
const policies = [
  policy('a-named', {any: [pods({names: ['web', 'db-*']})]}),
  policy('b-labelled', {any: [pods({selector: {matchLabels: {tier: 'front'}}})]}),
  policy('c-any', {any: [pods({})]}),
  policy('d-wild', {any: [pods({names: ['*-job']})]}),
  policy('e-either', {any: [pods({names: ['web*']}), pods({selector: {matchLabels: {tier: 'back'}}})]}),
  policy('f-both', {all: [pods({names: ['web*']}), pods({selector: {matchLabels: {tier: 'back'}}})]}),
  policy('g-wild-label', {any: [pods({selector: {matchLabels: {tier: 'f*'}}})]}),
  policy('h-half', {any: [pods({names: ['web*']}), pods({})]}),
];

function request(name: string, labels: JsonObject): EngineRequest {
  return {
    uid: 'u',
    kind: {group: '', version: 'v1', kind: 'Pod'},
    resource: {group: '', version: 'v1', resource: 'pods'},
    subResource: '',
    namespace: 'default',
    name,
    operation: 'CREATE',
    object: {apiVersion: 'v1', kind: 'Pod', metadata: {name, labels}},
    oldObject: undefined,
    user: undefined,
    dryRun: false,
    raw: {},
  };
}

const cache = new PolicyCache({
  resources: () => builtinResourceMap,
  compile: {matchConditions: 'not-available'},
  exceptions: {enabled: false, operatorNamespace: '', exceptionNamespace: ''},
});
for (const raw of policies) expect(cache.putPolicy(raw)).toMatchObject({status: 'served'});

/** Policies that are walked, by the first letter of their names. */
function walked(name: string, labels: JsonObject = {}): string {
  const asked = request(name, labels);
  const index = cache.current.validateCandidates(asked, {phase: 'admission', bucket: 'enforce'});
  return index
    .select(new RequestContext(asked))
    .map(({policy}) => policy.ref.name.charAt(0))
    .join('');
}

describe('a request walks', () => {
  it.each<[string, string, JsonObject, string]>([
    ['policies without a name or label to look for', 'x', {}, 'cdgh'],
    ['those of its name', 'web', {}, 'acdefgh'],
    ['those of a prefix of its name', 'db-1', {}, 'acdgh'],
    ['no exact name that is longer', 'we', {}, 'cdgh'],
    ['those of its label', 'x', {tier: 'front'}, 'bcdgh'],
    ['either way of `any`', 'x', {tier: 'back'}, 'cdegh'],
    ['no label of the prototype', 'x', JSON.parse('{"__proto__":"front","constructor":"front"}') as JsonObject, 'cdgh'],
  ])('%s', (_title, name, labels, want) => {
    expect(walked(name, labels)).toBe(want);
  });

  it('never less than what matches, whatever the labels and names', () => {
    const names = ['web', 'web-1', 'db-', 'db-x', 'x-job', 'job', 'w'];
    const labels = [{}, {tier: 'front'}, {tier: 'back'}, {tier: ''}, {other: 'front'}];
    for (const name of names) {
      for (const set of labels) {
        const asked = request(name, set);
        const context = new RequestContext(asked);
        const {all} = cache.current.validateCandidates(asked, {phase: 'admission', bucket: 'all'});
        const matching = all.filter(({rules}) => rules.some(rule => rule.mayMatch(context)));
        const chosen = cache.current.validateCandidates(asked, {phase: 'admission', bucket: 'all'}).select(context);
        expect(chosen).toEqual(expect.arrayContaining(matching));
      }
    }
  });
});

describe('a run', () => {
  it('has only rules of its bucket', () => {
    const asked = request('web', {});
    const sizes = (['enforce', 'audit', 'audit-warn', 'all'] as const).map(
      bucket => cache.current.validateCandidates(asked, {phase: 'admission', bucket}).all.length,
    );
    expect(sizes).toEqual([8, 0, 0, 8]);
  });
});
