import {describe, expect, it} from 'vitest';
import {celCache, celException, celPolicy} from '../../engine/cel-policies/testing/cel-engines.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {NativePlan} from './native-plan.js';
import {planCelPolicy} from './plan-cel.js';

const now = Date.UTC(2026, 0, 1);
const constraints = 'matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}';
const asks = `${constraints}\nautogen: {validatingAdmissionPolicy: {enabled: true}}`;

function wish(kind: string, spec: string, exceptions: readonly JsonObject[] = [], exceptionNamespace = '*') {
  const cache = celCache(exceptionNamespace);
  const state = cache.putPolicy(celPolicy(kind, spec));
  for (const exception of exceptions) cache.putException(exception);
  if (state.status !== 'served') throw new Error(JSON.stringify(state));
  const [variant] = state.policy.variants;
  return planCelPolicy(state.policy, {exceptions: cache.current.exceptionsFor(state.policy, variant!).exceptions, now});
}

function plan(...args: Parameters<typeof wish>): NativePlan {
  const {plan: found, skip} = wish(...args) ?? {};
  if (found === undefined) throw new Error(skip);
  return found;
}

const validating = (rest: string) => `${asks}\n${rest}`;
const simple = validating('validations: [{expression: "object.spec.replicas > 1", message: few}]');

describe('the native copy of a ValidatingPolicy', () => {
  it('says what the policy says', () => {
    const made = plan(
      'ValidatingPolicy',
      `
matchConstraints:
  resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments], scope: Namespaced}]
  excludeResourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments], resourceNames: [free]}]
  namespaceSelector: {matchExpressions: [{key: a, operator: Exists}]}
  objectSelector: {matchLabels: {b: c}}
  matchPolicy: Exact
autogen: {validatingAdmissionPolicy: {enabled: true}}
failurePolicy: Ignore
matchConditions: [{name: m, expression: "true"}]
variables: [{name: v, expression: object.spec}]
validations: [{expression: variables.v.replicas > 1, messageExpression: "'few'", reason: Forbidden}]
auditAnnotations: [{key: k, valueExpression: "'x'"}]
validationActions: [Warn, Audit]`,
    );
    expect(made).toMatchObject({name: 'vpol-p', bindingName: 'vpol-p-binding', until: undefined});
    expect(made.binding).toEqual({policyName: 'vpol-p', validationActions: ['Warn', 'Audit']});
    expect(made.spec).toEqual({
      failurePolicy: 'Ignore',
      matchConstraints: {
        resourceRules: [{apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'], scope: 'Namespaced'}],
        excludeResourceRules: [{apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'], resourceNames: ['free'], scope: '*'}],
        namespaceSelector: {matchExpressions: [{key: 'a', operator: 'Exists'}]},
        objectSelector: {matchLabels: {b: 'c'}},
        matchPolicy: 'Exact',
      },
      matchConditions: [{name: 'm', expression: 'true'}],
      variables: [{name: 'v', expression: 'object.spec'}],
      validations: [{expression: 'variables.v.replicas > 1', messageExpression: "'few'", reason: 'Forbidden'}],
      auditAnnotations: [{key: 'k', valueExpression: "'x'"}],
    });
  });

  it.each([
    [`${constraints}\nvalidations: [{expression: "true"}]`, 'not enabled.'],
    ['autogen: {validatingAdmissionPolicy: {enabled: true}}\nvalidations: [{expression: "true"}]', 'pod controllers autogen is enabled.'],
    [`${asks}\nevaluation: {admission: {enabled: false}}\nvalidations: [{expression: "true"}]`, 'admission is disabled.'],
  ])('is not made: %#', (spec, why) => {
    expect(wish('ValidatingPolicy', spec)).toEqual({skip: `skip generating ValidatingAdmissionPolicy: ${why}`});
  });

  it('is not made for namespaces', () => {
    expect(wish('NamespacedValidatingPolicy', simple)).toBeUndefined();
  });
});

describe('exceptions of a native copy', () => {
  const conditions = (...exceptions: readonly JsonObject[]) => plan('ValidatingPolicy', simple, exceptions).spec['matchConditions'];
  const condition = (name: string, expression: string) => `{name: ${name}, expression: ${JSON.stringify(expression)}}`;

  it('free when all their conditions hold, and wholly without conditions', () => {
    expect(conditions(celException(`matchConditions: [${condition('only', 'object.kind == "A"')}]`))).toEqual([{name: 'only', expression: '!(object.kind == "A")'}]);
    expect(conditions(celException(`matchConditions: [${condition('a', 'object.x == 1 || object.y == 2')}, ${condition('b', 'object.z == 3 // so')}]`))).toEqual([
      {name: 'e', expression: '!((object.x == 1 || object.y == 2) && (object.z == 3 // so\n)\n)'},
    ]);
    expect(conditions(celException('{}'))).toEqual([{name: 'e', expression: 'false'}]);
  });

  it('of one name are kept apart', () => {
    const same = `matchConditions: [${condition('c', 'true')}]`;
    expect(conditions(celException(same, {name: 'e1'}), celException(same, {name: 'e2'}))).toMatchObject([{name: 'c'}, {name: 'c-2'}]);
  });

  it('that are over or mean another kind free nothing; the next one that ends is known', () => {
    const over = celException('expiresAt: "2025-12-31T23:00:00Z"', {name: 'over'});
    const other = celException('policyRefs: [{name: p, kind: MutatingPolicy}]', {name: 'other'});
    const later = celException('expiresAt: "2026-02-01T00:00:00Z"\nallowedValues: [x]', {name: 'later'});
    const made = plan('ValidatingPolicy', simple, [over, other, later]);
    expect(made.spec['matchConditions']).toBeUndefined();
    expect(made.until).toBe(Date.UTC(2026, 1, 1));
  });

  it('free only within their namespace where no other is given', () => {
    const made = plan('ValidatingPolicy', simple, [celException('{}', {namespace: 'shop'})], '');
    expect(made.spec['matchConditions']).toEqual([
      {name: 'e', expression: "!(has(request.namespace) && request.namespace == 'shop' && !(request.kind.group == \"\" && request.kind.kind == \"Namespace\"))"},
    ]);
  });

  it('in parts are one variable, whatever their number, and none where nothing reads it', () => {
    const reads = validating(`
variables: [{name: allowedValues, expression: "['mine']"}]
validations:
  - expression: "object.kind in exceptions.allowedValues || object.kind == 'exceptions.allowedValues' || object.exceptions.allowedValues == 1"
    messageExpression: "'no ' + exceptions.allowedImages.join()"`);
    const parts = [
      celException(`allowedValues: ["it's", "a\\\\b"]`, {name: 'e1'}),
      celException(`allowedValues: [z]\nimages: ["r/*"]\nmatchConditions: [${condition('c', 'object.x == 1')}]`, {name: 'e2'}),
    ];
    const {spec} = plan('ValidatingPolicy', reads, parts);
    expect(spec['matchConditions']).toBeUndefined();
    expect(spec['variables']).toEqual([
      {name: 'allowedImages', expression: "((object.x == 1) ? ['r/*'] : [])"},
      {name: 'allowedValues_2', expression: "['it\\'s', 'a\\\\b'] + ((object.x == 1) ? ['z'] : [])"},
      {name: 'allowedValues', expression: "['mine']"},
    ]);
    expect(spec['validations']).toEqual([
      {
        expression: "object.kind in variables.allowedValues_2 || object.kind == 'exceptions.allowedValues' || object.exceptions.allowedValues == 1",
        messageExpression: "'no ' + variables.allowedImages.join()",
      },
    ]);
    expect(plan('ValidatingPolicy', reads).spec['variables']).toMatchObject([{expression: '[]'}, {expression: '[]'}, {}]);
    expect(plan('ValidatingPolicy', simple, parts).spec['variables']).toBeUndefined();
  });
});

describe('the native copy of a MutatingPolicy', () => {
  const mutations = `mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'remove', path: '/data'}]"}}]`;
  const mutating = (rest: string) => `${constraints}\nautogen: {mutatingAdmissionPolicy: {enabled: true}}\n${mutations}\n${rest}`;

  it('says what the policy says, exceptions first', () => {
    const exception = celException('policyRefs: [{name: p, kind: MutatingPolicy}]');
    const made = plan('MutatingPolicy', mutating('failurePolicy: Ignore\nreinvocationPolicy: IfNeeded\nmatchConditions: [{name: m, expression: "true"}]'), [exception]);
    expect(made.binding).toEqual({policyName: 'mpol-p'});
    expect(made.spec).toMatchObject({
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
      matchConstraints: {matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}},
      matchConditions: [{name: 'e', expression: 'false'}, {name: 'm', expression: 'true'}],
      mutations: [{patchType: 'JSONPatch', jsonPatch: {expression: "[JSONPatch{op: 'remove', path: '/data'}]"}}],
    });
  });

  it.each([
    [`${constraints}\n${mutations}`, 'not enabled.'],
    [mutating('evaluation: {useServerSideApply: true}'), 'useServerSideApply is enabled, which mutates atomic fields that a native MutatingAdmissionPolicy rejects.'],
    [mutating('targetMatchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}\nevaluation: {mutateExisting: {enabled: true}}'), 'it changes existing objects, which a native MutatingAdmissionPolicy does not.'],
  ])('is not made: %#', (spec, why) => {
    expect(wish('MutatingPolicy', spec)).toEqual({skip: `skip generating MutatingAdmissionPolicy: ${why}`});
  });
});
