import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {emptyCache, policyOf} from '../testing/engines.js';

const rules = '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {pattern: {kind: Pod}}}]';
const exception: JsonObject = {
  apiVersion: 'kyverno.io/v2',
  kind: 'PolicyException',
  metadata: {name: 'e', namespace: 'team'},
  spec: {match: {any: [{resources: {kinds: ['Pod']}}]}, exceptions: [{policyName: 'p', ruleNames: ['r']}]},
};

describe('a cache', () => {
  it('holds policies under `name` or `namespace/name`', () => {
    const cache = emptyCache();
    expect(cache.putPolicy(policyOf('p', rules)).key).toBe('p');
    expect(cache.putPolicy(policyOf('p', rules, {namespace: 'team'})).key).toBe('team/p');
    expect([...cache.current.policies.keys()].sort()).toEqual(['p', 'team/p']);
  });

  it('does not let a cluster policy take the place of a namespaced one by its name', () => {
    const cache = emptyCache();
    cache.putPolicy(policyOf('p', rules, {namespace: 'team'}));
    const state = cache.putPolicy(policyOf('team/p', rules));
    expect(state).toMatchObject({status: 'refused', problems: [{path: 'metadata.name'}]});
    expect(cache.current.byKey('team/p')?.ref.kind).toBe('Policy');
  });

  it('tells what it holds: uid, generation, version, warnings', () => {
    const state = emptyCache().putPolicy(
      policyOf('p', rules, {metadata: {uid: 'u', generation: 3, resourceVersion: '7'}}),
    );
    expect(state).toMatchObject({status: 'served', uid: 'u', generation: 3, resourceVersion: '7'});
  });

  it('tells every fault of what it refuses', () => {
    const state = emptyCache().putPolicy(
      policyOf('p', '[{name: a}, {name: b, match: {any: [{resources: {kinds: [Pod]}}]}}]'),
    );
    expect(state.status === 'refused' && state.problems.map(problem => problem.path)).toEqual(
      expect.arrayContaining(['spec.rules[0]', 'spec.rules[1]']),
    );
  });

  it('rebuilds its view only when something changed', () => {
    const cache = emptyCache();
    cache.putPolicy(policyOf('p', rules));
    const before = cache.current;
    cache.dropPolicy('none');
    cache.dropException('none');
    expect(cache.current).toBe(before);
    cache.putException(exception);
    expect(cache.current).not.toBe(before);
    expect(cache.current.exceptionsFor('p').map(found => found.key)).toEqual(['team/e']);
    cache.dropException('team/e');
    expect(cache.current.exceptionsFor('p')).toEqual([]);
  });

  it('refuses an exception that is none, the others stay', () => {
    const cache = emptyCache();
    cache.putException(exception);
    expect(cache.putException({...exception, metadata: {name: 'bad', namespace: 'team'}, spec: {}}).status).toBe(
      'refused',
    );
    expect(cache.current.exceptionsFor('p')).toHaveLength(1);
  });
});
