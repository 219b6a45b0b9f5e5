import {describe, expect, it} from 'vitest';
import type {CelPolicyException, ClusterPolicy, PolicyException, PolicyReport, ValidatingPolicy} from './index.js';

/** These objects compile: that is the test; the assertions only keep them from being unused. */
const loose: ClusterPolicy = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: {name: 'p', labels: {team: 'a'}},
  spec: {
    validationFailureAction: 'enforce',
    rules: [
      {
        name: 'r',
        match: {operations: ['CREATE'], resources: {kinds: ['Pod'], excludeResources: {namespaces: ['x']}}},
        preconditions: [{key: '{{ a }}', operator: 'Equals', value: 1}],
        validation: {message: 'm', pattern: {spec: {'=(hostPath)': null}}},
      },
      {name: 'nested', validate: {foreach: [{list: 'a', foreach: [{list: 'b', deny: {}}]}]}},
    ],
  },
};

const exception: PolicyException = {
  apiVersion: 'kyverno.io/v1alpha1',
  kind: 'PolicyException',
  metadata: {name: 'e'},
  spec: {rules: [{name: 'r'}]},
};

const cel: ValidatingPolicy = {
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'ValidatingPolicy',
  metadata: {name: 'v'},
  spec: {validations: [{expression: 'true'}], validationActions: ['Deny'], evaluation: {mode: 'Kubernetes'}},
  status: {conditionStatus: {ready: true, conditions: [{type: 'WebhookConfigured', status: 'True'}]}},
};

const celException: CelPolicyException = {
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'PolicyException',
  metadata: {name: 'e'},
  spec: {policyRefs: [{name: 'v', kind: 'ValidatingPolicy'}]},
};

const report: PolicyReport = {
  apiVersion: 'wgpolicyk8s.io/v1alpha2',
  kind: 'PolicyReport',
  metadata: {name: 'x'},
  results: [{policy: 'p', result: 'fail'}],
};

describe('the types of objects as written', () => {
  it.each([loose, exception, cel, celException, report])('$kind of $apiVersion', object => {
    expect(object.metadata.name).toBeDefined();
  });

  it('refuse a misspelt field', () => {
    // @ts-expect-error no such field
    const rule: NonNullable<ClusterPolicy['spec']['rules']>[number] = {name: 'r', valdate: {}};
    expect(rule.name).toBe('r');
  });
});
