import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {AdmissionCore} from '../feature.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createNativePoliciesFeature} from './native-policies-feature.js';

const policies = 'apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = `${policies.slice(0, -3)}ybindings`;

/** Time goes a hundred times as fast. */
const clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 100,
  schedule: (ms: number, run: () => void) => systemClock.schedule(Math.min(ms / 100, 2 ** 30), run),
};

let test: TestCore;
let core: AdmissionCore;
let covered: boolean;
let rights: boolean;
let feature: ReturnType<typeof createNativePoliciesFeature>;

beforeEach(async () => {
  test = await createTestCore({clock});
  covered = false;
  rights = true;
  core = {
    ...test.core,
    clock,
    covered: (kind, key) => {
      const state = core.cel.cache.policy(kind, key);
      return covered && state !== undefined ? {uid: state.uid, generation: state.generation} : undefined;
    },
    rights: {can: () => rights, refresh: async () => false},
  };
  feature = createNativePoliciesFeature(core);
  await test.run(feature);
});
afterEach(() => test.close());

function put(generation: number, expression: string, enabled = true): void {
  const matchConstraints = {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps']}]};
  const spec = {autogen: {validatingAdmissionPolicy: {enabled}}, matchConstraints, validations: [{expression}]};
  const state = core.cel.cache.putPolicy({apiVersion: 'policies.kyverno.io/v1beta1', kind: 'ValidatingPolicy', metadata: {name: 'p', uid: 'u', generation}, spec});
  feature.onCelPolicy?.('ValidatingPolicy', 'p', state);
}

const live = (collection: string): JsonObject | undefined => test.server.objects(collection)[0];
const isServed = () => core.cel.cache.current.policies.has('ValidatingPolicy/p');
const stateNow = () => {
  const state = core.cel.cache.policy('ValidatingPolicy', 'p');
  return state?.status === 'served' ? core.native.stateOf(state.policy) : undefined;
};
const expressionNow = () => ownPath(live(policies), 'spec', 'validations');
const writes = () => test.server.requests.filter(({method}) => method !== 'GET').length;

describe('native copies', () => {
  it('are written, take over, follow edits without a gap, and end when webhooks stand in', async () => {
    put(1, 'true');
    expect(isServed()).toBe(true);
    await eventually(() => stateNow()?.generated === true);
    expect(isServed()).toBe(false);
    expect(live(bindings)).toMatchObject({spec: {policyName: 'vpol-p', validationActions: ['Deny']}, metadata: {ownerReferences: [{kind: 'ValidatingPolicy', name: 'p', uid: 'u'}]}});
    expect(test.events.map(({note}) => note)).toEqual([
      'successfully generated validating admission policy vpol-p from policy p',
      'successfully generated validating admission policy binding vpol-p-binding from policy p',
    ]);

    put(2, 'false');
    expect(stateNow()).toEqual({generated: true, message: '', outdated: true});
    expect(isServed()).toBe(false);
    await eventually(() => stateNow()?.outdated === undefined);
    expect(expressionNow()).toEqual([{expression: 'false'}]);

    put(3, 'false', false);
    expect(stateNow()).toEqual({generated: false, message: 'skip generating ValidatingAdmissionPolicy: not enabled.'});
    expect(isServed()).toBe(true);
    await new Promise(resolve => setTimeout(resolve, 100));
    expect(live(policies)).toBeDefined();
    covered = true;
    await eventually(() => live(policies) === undefined && live(bindings) === undefined);
  });

  it('are written once, put right when others change them, and deleted with their policy', async () => {
    put(1, 'true');
    await eventually(() => stateNow()?.generated === true);
    const before = writes();
    feature.onException?.();
    feature.onDiscovery?.();
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(writes()).toBe(before);
    const changed = live(policies)!;
    test.server.put(policies, {...changed, spec: {...(changed['spec'] as JsonObject), failurePolicy: 'Ignore'}});
    await eventually(() => ownPath(live(policies), 'spec', 'failurePolicy') === 'Fail');
    core.cel.cache.dropPolicy('ValidatingPolicy', 'p');
    feature.onCelPolicy?.('ValidatingPolicy', 'p', undefined);
    await eventually(() => live(policies) === undefined && live(bindings) === undefined);
  });

  it('whose binding is taken away stand in no longer', async () => {
    put(1, 'true');
    await eventually(() => stateNow()?.generated === true);
    feature.setLeading?.(false);
    test.server.remove(bindings, 'vpol-p-binding');
    await eventually(() => isServed());
    feature.setLeading?.(true);
    await eventually(() => !isServed());
  });

  it('do not take over what somebody else made', async () => {
    const theirs = {apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: {name: 'vpol-p'}, spec: {}};
    test.server.put(policies, theirs);
    put(1, 'true');
    await eventually(() => stateNow()?.message.includes('was not generated from it') === true);
    expect([live(policies)?.['spec'], live(bindings)]).toEqual([{}, undefined]);
  });

  it('are not tried without permission', async () => {
    rights = false;
    put(1, 'true');
    await eventually(() => stateNow()?.message === 'insufficient permissions to generate ValidatingAdmissionPolicies');
    expect([isServed(), live(policies)]).toEqual([true, undefined]);
    rights = true;
    await eventually(() => stateNow()?.generated === true);
  });
});
