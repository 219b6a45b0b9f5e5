import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {eventually} from '../../test/cluster/eventually.js';
import type {LiveReplica} from '../leases/live-replicas.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createSettingsFeature} from './settings-feature.js';
import {restartNeed} from './settings-status.js';

const path = 'apis/operator.kyverno-ts.io/v1alpha1/kyvernoconfigurations';

let test: TestCore;

beforeEach(async () => {
  test = await createTestCore();
});

afterEach(() => test.close());

function put(spec: JsonObject, generation: number): void {
  const status = own(stored(), 'status');
  test.server.put(path, {
    apiVersion: 'operator.kyverno-ts.io/v1alpha1',
    kind: 'KyvernoConfiguration',
    metadata: {name: 'default', generation},
    spec,
    ...(status !== undefined && {status}),
  });
}

function stored(): JsonObject {
  return test.server.objects(path)[0] ?? {};
}

function condition(type: string): JsonObject | undefined {
  const conditions = ownPath(stored(), 'status', 'conditions');
  return (Array.isArray(conditions) ? (conditions as JsonObject[]) : []).find(each => own(each, 'type') === type);
}

describe('the KyvernoConfiguration', () => {
  it('is followed, and its status tells what came of it', async () => {
    await test.run(createSettingsFeature(test.core));
    put({v: 4, webhookTimeout: 99, webhookServerPort: 9444}, 1);
    await eventually(() => ownPath(stored(), 'status', 'observedGeneration') === 1, {what: 'status'});
    expect(test.core.settings.flags.v).toBe(4);
    expect(condition('Ready')).toMatchObject({status: 'False', reason: 'KeysRejected', observedGeneration: 1});
    expect(condition('RestartNeeded')).toMatchObject({status: 'True', message: expect.stringContaining('webhookServerPort')});
    expect(ownPath(stored(), 'status', 'rejectedKeys')).toEqual([
      {key: 'webhookTimeout', source: 'resource', reason: '"99" is not valid: it takes a whole number from 1 to 30'},
    ]);
    put({v: 3}, 2);
    await eventually(() => ownPath(stored(), 'status', 'observedGeneration') === 2, {what: 'status'});
    expect(condition('Ready')).toMatchObject({status: 'True'});
    expect(condition('RestartNeeded')).toMatchObject({status: 'False'});
    expect(own(ownPath(stored(), 'status') as JsonObject, 'rejectedKeys')).toBeUndefined();
    test.server.remove(path, 'default');
    await eventually(() => test.core.settings.flags.v === 2, {what: 'the flag in force again'});
  });

  it('comes to rest: its own status makes no other write', async () => {
    await test.run(createSettingsFeature(test.core));
    put({v: 4}, 1);
    await eventually(() => ownPath(stored(), 'status', 'observedGeneration') === 1, {what: 'status'});
    const version = ownPath(stored(), 'metadata', 'resourceVersion');
    test.core.settings.setConfigMap({});
    await test.core.manager.whenReconciled();
    expect(ownPath(stored(), 'metadata', 'resourceVersion')).toBe(version);
  });
});

describe('a restart is needed', () => {
  const replica = (started: Record<string, string>): LiveReplica => ({identity: 'a', state: {versions: {}, refused: {}, started, incomplete: false}});

  it('as long as one replica started with another value', () => {
    const wanted = {roles: 'x'};
    expect(restartNeed([replica({roles: 'x'}), replica({})], {own: {roles: 'x'}, wanted})).toEqual({keys: ['roles'], stale: 1, replicas: 2});
    expect(restartNeed([replica({roles: 'x'}), replica({roles: 'x'})], {own: {}, wanted})).toEqual({keys: [], stale: 0, replicas: 2});
  });

  it('by a replica whose Lease says nothing', () => {
    expect(restartNeed([{identity: 'a', state: undefined}], {own: {}, wanted: {roles: 'x'}}).keys).toEqual(['roles']);
  });

  it('when a key that was read at the start is gone', () => {
    expect(restartNeed([], {own: {roles: 'x'}, wanted: {}})).toEqual({keys: ['roles'], stale: 1, replicas: 1});
  });
});
