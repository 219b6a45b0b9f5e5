import {describe, expect, it} from 'vitest';
import {pod, requestOf} from '../../testing/requests.js';
import {celCache, celException, celPolicy} from '../testing/cel-engines.js';

const ok = 'validations: [{expression: "true"}]';
const request = requestOf({object: pod('a')});

describe('the cache of CEL policies', () => {
  it('keeps policies of two kinds and one name apart', () => {
    const cache = celCache();
    cache.putPolicy(celPolicy('ValidatingPolicy', ok));
    cache.putPolicy(celPolicy('NamespacedValidatingPolicy', ok));
    cache.putPolicy(celPolicy('DeletingPolicy', 'schedule: "@daily"'));
    expect([...cache.current.policies.keys()]).toEqual([
      'DeletingPolicy/p',
      'ValidatingPolicy/p',
      'NamespacedValidatingPolicy/default/p',
    ]);
    cache.dropPolicy('ValidatingPolicy', 'p');
    expect([...cache.current.policies.keys()]).toHaveLength(2);
  });

  it('a broken policy drops out alone, with its faults and what could be read of it', () => {
    const cache = celCache();
    cache.putPolicy(celPolicy('ValidatingPolicy', ok, {name: 'good'}));
    const state = cache.putPolicy(
      celPolicy('ValidatingPolicy', 'validations: [{expression: nope}]', {uid: 'u', generation: 3}),
    );
    expect(state).toMatchObject({status: 'refused', uid: 'u', generation: 3, id: 'ValidatingPolicy/p'});
    expect(state.status === 'refused' && state.source?.ref.name).toBe('p');
    expect([...cache.current.policies.keys()]).toEqual(['ValidatingPolicy/good']);
  });

  it('hands out one snapshot until something changes', () => {
    const cache = celCache();
    cache.putPolicy(celPolicy('ValidatingPolicy', ok));
    const before = cache.current;
    expect(cache.current).toBe(before);
    cache.putException(celException('{}'));
    expect(cache.current).not.toBe(before);
    expect(before.policies.size).toBe(1);
  });

  it('finds by resource, wildcards among them', () => {
    const cache = celCache();
    const all =
      'matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}';
    const apps =
      'matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments]}]}';
    cache.putPolicy(celPolicy('ValidatingPolicy', ok, {name: 'pods'}));
    cache.putPolicy(celPolicy('ValidatingPolicy', `{${all}, ${ok}}`, {name: 'all'}));
    cache.putPolicy(celPolicy('ValidatingPolicy', `{${apps}, ${ok}}`, {name: 'apps'}));
    const names = cache.current.candidates('validating', request).map(({policy}) => policy.ref.name);
    expect(names).toEqual(['all', 'pods']);
  });

  it('tells what is wrong with an exception, as the policy sees it', () => {
    const cache = celCache();
    cache.putPolicy(celPolicy('ValidatingPolicy', ok));
    cache.putException(celException('matchConditions: [{name: c, expression: nope}]'));
    const problems = cache.current.exceptionProblems().get('kyverno/e');
    expect(problems?.map(({path}) => path)).toEqual(['spec.matchConditions[0].expression']);
  });

  it('estimates what an evaluation costs', () => {
    const cache = celCache();
    const state = cache.putPolicy(
      celPolicy('ValidatingPolicy', 'validations: [{expression: "1 + 1 == 2 && object.a == 1"}]'),
    );
    if (state.status !== 'served') throw new Error('refused');
    expect(state.policy.cost.min).toBeGreaterThan(0);
    expect(state.policy.cost.max).toBeGreaterThanOrEqual(state.policy.cost.min);
  });

  it('a name with a slash is not taken for another policy', () => {
    expect(celCache().putPolicy(celPolicy('ValidatingPolicy', ok, {name: 'a/b'})).status).toBe('refused');
  });
});
