import {describe, expect, it} from 'vitest';
import {celCache, celPolicy} from '../../engine/cel-policies/testing/cel-engines.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {JsonObject} from '../../engine/json/types.js';
import {bootstrapMatchCondition} from './bootstrap-kinds.js';
import {triedConditions} from './cel-conditions.js';
import {planCelWebhooks} from './plan-cel-webhooks.js';

const created = (resource: string, more = '') =>
  `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: ["${resource}"]}]${more}}`;
const passes = 'validations: [{expression: "true"}]';

function compiled(kind: string, spec: string, metadata: JsonObject = {}): CompiledCelPolicy {
  const state = celCache().putPolicy(celPolicy(kind, `{${spec}}`, metadata));
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  return state.policy;
}

function entries(policies: readonly CompiledCelPolicy[]) {
  return planCelWebhooks({policies, defaultTimeout: 10, forceIgnore: false, offloads: () => true, offloadsCondition: () => true}).validating;
}

describe('entries of policies with conditions of their own', () => {
  it('stand once each, though names of namespaces and policies come to one', () => {
    const exact = `${created('configmaps', ', matchPolicy: Exact')}, ${passes}`;
    const found = entries([
      compiled('NamespacedValidatingPolicy', exact, {name: 'b-c', namespace: 'a'}),
      compiled('NamespacedValidatingPolicy', exact, {name: 'c', namespace: 'a-b'}),
    ]);
    expect(found.map(({path}) => path).sort()).toEqual(['/nvpol/b-c', '/nvpol/c']);
    expect(new Set(found.map(({name}) => name)).size).toBe(2);
    expect(found.map(({name}) => name)).toContain('nvpol.validate.kyverno.svc-fail-finegrained-a-b-c');
  });

  it('have names that the API server takes, however long the policy is called', () => {
    const exact = `${created('configmaps', ', matchPolicy: Exact')}, ${passes}`;
    const long = `${'n'.repeat(201)}.${'m'.repeat(40)}`;
    const found = entries([`${long}a`, `${long}b`].map(name => compiled('ValidatingPolicy', exact, {name})));
    for (const {name} of found) expect(name).toMatch(/^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(new Set(found.map(({name}) => name)).size).toBe(2);
  });

  it('keep a comment of a condition inside of what they put around it', () => {
    const commented = `matchConditions: [{name: c, expression: "true // always"}]`;
    const synchronized = compiled(
      'GeneratingPolicy',
      `${created('namespaces')}, ${commented}, evaluation: {synchronize: {enabled: true}}, generate: [{expression: "true"}]`,
    );
    expect(triedConditions(synchronized, () => true).map(({expression}) => expression)).toEqual([
      "request.operation != 'CREATE' || (true // always\n)",
    ]);
    const guarded = triedConditions(compiled('ValidatingPolicy', `${created('pods')}, ${commented}, ${passes}`), () => true);
    expect(guarded).toHaveLength(3);
    for (const {expression} of guarded) expect(expression).toMatch(/ \|\| \(true \/\/ always\n\)$/);
  });

  it('are tried with everything that is written besides', () => {
    const wild = compiled('ValidatingPolicy', `${created('*')}, matchConditions: [{name: c, expression: "true"}], ${passes}`);
    const [entry] = entries([wild]);
    expect(entry?.matchConditions.map(({name}) => name)).toEqual(['c', bootstrapMatchCondition.name]);
    expect(triedConditions(wild, () => true)).toEqual(entry?.matchConditions);
  });
});

describe('entries of MutatingPolicies', () => {
  const mutates = `mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: Object.metadata.labels{a: 'b'}}}"}}]`;
  const paths = (spec: string) => {
    const plan = planCelWebhooks({policies: [compiled('MutatingPolicy', `${created('configmaps')}, ${mutates}${spec}`)], defaultTimeout: 10, forceIgnore: false, offloads: () => false, offloadsCondition: () => false});
    return {mutating: plan.mutating.map(({path}) => path), validating: plan.validating.map(({path}) => path.replace(/\/[^/]*$/, ''))};
  };

  it('that change what is asked for are in the mutating configuration', () => {
    expect(paths('')).toMatchObject({mutating: [expect.stringMatching(/^\/mpol\//)], validating: []});
  });

  it('with targets of their own hear of triggers that are named and let in', () => {
    expect(paths(`, targetMatchConstraints: {expression: "resource.Get('v1', 'configmaps', 'a', 'b')"}`)).toEqual({mutating: [], validating: ['/mpol-existing']});
  });

  it('that change what is there, too, are in both', () => {
    const found = paths(', evaluation: {mutateExisting: {enabled: true}}');
    expect(found.mutating).toHaveLength(1);
    expect(found.validating).toEqual(['/mpol-existing']);
  });

  it('fail no request where all failure policies are to be Ignore', () => {
    const policies = [compiled('MutatingPolicy', `${created('configmaps')}, ${mutates}, failurePolicy: Fail, targetMatchConstraints: {expression: "resource.Get('v1', 'configmaps', 'a', 'b')"}`)];
    const {validating} = planCelWebhooks({policies, defaultTimeout: 10, forceIgnore: true, offloads: () => false, offloadsCondition: () => false});
    expect(validating.map(({name, failurePolicy}) => [name, failurePolicy])).toEqual([['mpol.existing.kyverno.svc-ignore', 'Ignore']]);
  });
});

describe('entries of policies on images', () => {
  const spec = `${created('configmaps')}, attestors: [], ${passes}`;
  const plan = (policies: readonly CompiledCelPolicy[]) => {
    const {validating, mutating} = planCelWebhooks({policies, defaultTimeout: 10, forceIgnore: false, offloads: () => true, offloadsCondition: () => true});
    const shown = (list: typeof validating) => list.map(({name, path, matchPolicy}) => [name, path, matchPolicy ?? '']);
    return {validating: shown(validating), mutating: shown(mutating)};
  };

  it('stand in both configurations, each kind under a name of its own', () => {
    expect(plan([compiled('ImageValidatingPolicy', spec, {name: 'a'}), compiled('NamespacedImageValidatingPolicy', spec, {name: 'a'})])).toEqual({
      validating: [['ivpol.validate.kyverno.svc-fail', '/ivpol/validate/a', ''], ['nivpol.validate.kyverno.svc-fail', '/nivpol/validate/a', '']],
      mutating: [['ivpol.mutate.kyverno.svc-fail', '/ivpol/mutate/a', ''], ['nivpol.mutate.kyverno.svc-fail', '/nivpol/mutate/a', '']],
    });
  });

  it('only judge where digests are not to be filled in', () => {
    const {mutating} = plan([compiled('ImageValidatingPolicy', `${spec}, validationConfigurations: {mutateDigest: false}`)]);
    expect(mutating).toEqual([]);
  });

  it('have settings of their own; digests are filled in whatever version an object is sent in', () => {
    const exact = `${created('configmaps', ', matchPolicy: Exact')}, attestors: [], ${passes}`;
    expect(plan([compiled('ImageValidatingPolicy', exact, {name: 'a'})])).toEqual({
      validating: [['ivpol.validate.kyverno.svc-fail-finegrained-a', '/ivpol/validate/a', 'Exact']],
      mutating: [['ivpol.mutate.kyverno.svc-fail-finegrained-a', '/ivpol/mutate/a', '']],
    });
  });
});
