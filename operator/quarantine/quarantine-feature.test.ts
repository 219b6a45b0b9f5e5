import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {PolicyRef} from '../../engine/types.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createQuarantineFeature} from './quarantine-feature.js';

const policy: PolicyRef = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'p', key: 'p'};
const message = 'policy p is quarantined after 10 internal errors in a row; it is tried again every 5 minutes';

describe('a policy in quarantine', () => {
  let test: TestCore;

  beforeEach(async () => {
    test = await createTestCore();
  });

  afterEach(() => test.close());

  const conditions = () => test.core.conditions.of('ClusterPolicy', 'p');
  const metric = () => test.core.metrics.registry.getSingleMetricAsString('kyverno_policy_quarantined');

  it('is told of by condition, Event and metric until it is let go', async () => {
    await test.run(createQuarantineFeature(test.core));
    test.core.quarantined.tell(policy, {message});
    expect(conditions()).toEqual([{type: 'Quarantined', status: 'True', reason: 'FailedAgainAndAgain', message}]);
    expect(test.events).toMatchObject([{reason: 'PolicyError', regarding: {kind: 'ClusterPolicy', name: 'p'}, note: message}]);
    expect(await metric()).toContain('policy_name="p"} 1');
    test.core.quarantined.tell(policy, undefined);
    expect(conditions()).toEqual([]);
    expect(await metric()).not.toContain('policy_name="p"');
  });

  it('is another one when its wording changes', async () => {
    const feature = createQuarantineFeature(test.core);
    await test.run(feature);
    test.core.quarantined.tell(policy, {message});
    feature.onPolicy?.('ClusterPolicy', 'p', undefined, undefined);
    expect(conditions()).toEqual([]);
  });
});
