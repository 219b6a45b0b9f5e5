import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import {fail} from '../../adapters/kube/testing/api-server.js';
import {parseSchedule, type Schedule} from '../../engine/cleanup/schedule.js';
import {type Json, type JsonObject, ownPath} from '../../engine/json/types.js';
import {storedCleanupConditions} from '../status/background-conditions.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createCleanupFeature} from './cleanup-feature.js';
import type {CleanupJob} from './cleanup-job.js';
import {createCleanupScheduler} from './cleanup-scheduler.js';
import {readGuards} from './policy-annotations.js';

const policies = 'apis/kyverno.io/v2/clustercleanuppolicies';

function schedule(text: string): Schedule {
  const parsed = parseSchedule(text);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed.schedule;
}

describe('the schedule of clean-ups', () => {
  const job = (id: string, created: number): CleanupJob => ({id, schedule: schedule('*/5 * * * *'), created}) as CleanupJob;

  it('makes up for missed runs once, then runs when due', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1, 12, 2));
    const start = clock.now();
    const last = new Map<string, number>();
    const runs: string[] = [];
    const scheduler = createCleanupScheduler({
      clock,
      lastRun: ({id}) => last.get(id),
      onError: () => undefined,
      async run({id}) {
        runs.push(`${id} ${(clock.now() - start) / 60_000}`);
        last.set(id, clock.now());
      },
    });
    scheduler.put(job('old', start - 86_400_000));
    scheduler.put(job('new', start));
    await turns(3);
    expect(runs).toEqual([]);
    scheduler.setLeading(true);
    await turns(5);
    expect(runs).toEqual(['old 0']);
    for (let minute = 0; minute < 9; minute += 1) {
      clock.advance(60_000);
      await turns(5);
    }
    expect(runs.sort()).toEqual(['new 3', 'new 8', 'old 0', 'old 3', 'old 8']);
    await scheduler.stop();
  });
});

describe('guards', () => {
  it('spare everything when they cannot be read', () => {
    expect(readGuards({})).toEqual({dryRun: false, maxShare: undefined});
    expect(readGuards({'cleanup.kyverno.io/dry-run': 'true'}).dryRun).toBe(true);
    expect(readGuards({'cleanup.kyverno.io/dry-run': 'yes'})).toMatchObject({dryRun: true, problem: expect.stringContaining('must be')});
    expect(readGuards({'cleanup.kyverno.io/max-share': '25%'})).toEqual({dryRun: false, maxShare: 0.25});
    expect(readGuards({'cleanup.kyverno.io/max-share': 'half'})).toMatchObject({dryRun: true});
    expect(readGuards({'cleanup.kyverno.io/max-share': '101%'})).toMatchObject({dryRun: true});
  });
});

describe('clean-up policies', () => {
  let test: TestCore;

  beforeEach(async () => {
    test = await createTestCore();
  });

  afterEach(() => test.close());

  function pod(name: string, labels: Record<string, string> = {}): JsonObject {
    return {apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace: 'shop', labels}};
  }

  function policy(name: string, spec: JsonObject, annotations: Record<string, string> = {}): JsonObject {
    return {
      apiVersion: 'kyverno.io/v2',
      kind: 'ClusterCleanupPolicy',
      metadata: {name, uid: `uid-${name}`, generation: 1, creationTimestamp: '2025-01-01T00:00:00Z', annotations},
      spec: {schedule: '* * * * *', match: {any: [{resources: {kinds: ['Pod']}}]}, ...spec},
    };
  }

  const pods = () => test.server.objects('api/v1/pods').map(object => ownPath(object, 'metadata', 'name'));

  function condition(name: string, type: string): Json | undefined {
    const object = test.server.objects(policies).find(item => ownPath(item, 'metadata', 'name') === name);
    const conditions = ownPath(object, 'status', 'conditions');
    const found = (Array.isArray(conditions) ? conditions : []).find(item => ownPath(item, 'type') === type);
    return found === undefined ? undefined : ownPath(found, 'message');
  }

  const named = (name: string) => ({conditions: {all: [{key: '{{ target.metadata.name }}', operator: 'Equals', value: name}]}});

  it('delete what they match and nothing else, and say so', async () => {
    for (const name of ['a', 'b']) test.server.put('api/v1/pods', pod(name));
    test.server.put(policies, policy('p', named('a')));
    await test.run(createCleanupFeature(test.core));
    await eventually(() => condition('p', 'LastRunSucceeded') !== undefined);
    expect(pods()).toEqual(['b']);
    const stored = test.server.objects(policies)[0];
    expect(ownPath(stored, 'status', 'lastExecutionTime')).toMatch(/^20\d\d-/);
    expect(condition('p', 'Ready')).toBe('Ready');
    expect(test.events.map(({reason, note}) => `${reason}: ${note}`)).toEqual(['PolicyApplied: successfully cleaned up the target resource Pod/shop/a']);
    const written = test.server.requests.filter(({method}) => method === 'DELETE').map(({body}) => ownPath(body, 'preconditions', 'uid'));
    expect(written[0]).toMatch(/^uid-/);
  });

  it('delete nothing in a dry run, and nothing when too much would go', async () => {
    for (const name of ['a', 'b']) test.server.put('api/v1/pods', pod(name));
    test.server.put(policies, policy('dry', {}, {'cleanup.kyverno.io/dry-run': 'true'}));
    test.server.put(policies, policy('share', {}, {'cleanup.kyverno.io/max-share': '50%'}));
    await test.run(createCleanupFeature(test.core));
    await eventually(() => condition('share', 'LastRunSucceeded') !== undefined && condition('dry', 'LastRunSucceeded') !== undefined);
    expect(pods()).toEqual(['a', 'b']);
    expect(condition('dry', 'LastRunSucceeded')).toBe('the last run was a dry one: 2 of 2 objects would go');
    expect(condition('share', 'LastRunSucceeded')).toContain('2 of 2 objects would go, more than 50 %');
  });

  it('go on behind what is forbidden or cannot be judged, and name the missing right', async () => {
    for (const name of ['a', 'b']) test.server.put('api/v1/pods', pod(name));
    test.server.put('api/v1/configmaps', {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a', namespace: 'shop'}});
    test.server.intercept = (request, response) =>
      request.path === '/api/v1/secrets' || (request.method === 'DELETE' && request.path.endsWith('/pods/b')) ? fail(response, {code: 403, reason: 'Forbidden'}) : false;
    test.server.put(policies, policy('p', {match: {any: [{resources: {kinds: ['Secret', 'Pod', 'Nonsense']}}]}}));
    await test.run(createCleanupFeature(test.core));
    await eventually(() => condition('p', 'LastRunSucceeded') !== undefined);
    expect(pods()).toEqual(['b']);
    expect(condition('p', 'PermissionsGranted')).toMatch(/^grant the clean-up's service account: delete pods, list secrets \(.*aggregate-to-cleanup-controller/);
    expect(condition('p', 'LastRunSucceeded')).toContain('the cluster has no kind Nonsense');
  });

  it('that lost their leader in the middle are done as soon as there is one, not at the next date', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) test.server.put('api/v1/pods', pod(name));
    let leads = true;
    Object.assign(test.core, {isLeading: () => leads});
    test.server.intercept = request => {
      if (request.method === 'DELETE') leads = false;
      return false;
    };
    test.server.put(policies, policy('p', {schedule: '@yearly'}));
    await test.run(createCleanupFeature(test.core));
    await eventually(() => pods().length === 2);
    await turns(20);
    expect(condition('p', 'LastRunSucceeded')).toBeUndefined();
    test.server.intercept = undefined;
    leads = true;
    await eventually(() => condition('p', 'LastRunSucceeded') !== undefined);
    expect(pods()).toEqual([]);
    expect(ownPath(test.server.objects(policies)[0], 'status', 'lastExecutionTime')).toMatch(/^20\d\d-/);
  });

  it('that cannot be read are told so and delete nothing', async () => {
    test.server.put('api/v1/pods', pod('a'));
    test.server.put(policies, policy('p', {schedule: 'often'}));
    await test.run(createCleanupFeature(test.core));
    await eventually(() => condition('p', 'Ready') !== undefined);
    expect(condition('p', 'Ready')).toContain('not in proper cron format');
    expect(pods()).toEqual(['a']);
  });

  it('stand in rules, too: by the default schedule, with the last run in the status', async () => {
    test.server.put('api/v1/pods', pod('a', {old: 'true'}));
    test.server.put('api/v1/pods', pod('b'));
    const rule = {
      name: 'old-pods',
      match: {any: [{resources: {kinds: ['Pod']}}]},
      cleanup: {removeResources: [{apiVersion: 'v1', kind: 'Pod', selector: {matchLabels: {old: 'true'}}}]},
    };
    const raw = {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name: 'c', uid: 'uid-c', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z'},
      spec: {rules: [rule]},
    };
    const stored = test.server.put('apis/kyverno.io/v1/clusterpolicies', raw);
    test.core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false});
    const feature = createCleanupFeature(test.core);
    await test.run(feature);
    const state = test.core.cache.putPolicy(stored);
    expect(state.status).toBe('served');
    feature.onPolicy!('ClusterPolicy', 'c', state, undefined);
    await eventually(() => pods().length === 1);
    await eventually(() => ownPath(test.server.objects('apis/kyverno.io/v1/clusterpolicies')[0], 'status', 'cleanup') !== undefined);
    expect(ownPath(test.server.objects('apis/kyverno.io/v1/clusterpolicies')[0], 'status', 'cleanup')).toMatchObject([{rule: 'old-pods'}]);
    expect(pods()).toEqual(['b']);
  });

  it('in a rule look at all its entries in each run', async () => {
    const collections = {Pod: 'api/v1/pods', ConfigMap: 'api/v1/configmaps', Secret: 'api/v1/secrets', Service: 'api/v1/services'};
    for (const [kind, collection] of Object.entries(collections)) test.server.put(collection, {apiVersion: 'v1', kind, metadata: {name: 'tmp', namespace: 'shop'}});
    const kinds = Object.keys(collections);
    const stored = test.server.put('apis/kyverno.io/v1/clusterpolicies', {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name: 'c', uid: 'uid-c', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z'},
      spec: {
        rules: [{name: 'tmp', match: {any: [{resources: {kinds}}]}, cleanup: {removeResources: kinds.map(kind => ({apiVersion: 'v1', kind, names: ['tmp']}))}}],
      },
    });
    test.core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false});
    const feature = createCleanupFeature(test.core);
    await test.run(feature);
    feature.onPolicy!('ClusterPolicy', 'c', test.core.cache.putPolicy(stored), undefined);
    await eventually(() => ownPath(test.server.objects('apis/kyverno.io/v1/clusterpolicies')[0], 'status', 'cleanup') !== undefined);
    expect(Object.values(collections).flatMap(collection => test.server.objects(collection))).toEqual([]);
  });

  it('in rules name a missing right in a condition of the policy, beside those of others', async () => {
    test.server.put('api/v1/pods', pod('a', {old: 'true'}));
    test.server.intercept = (request, response) => (request.method === 'DELETE' ? fail(response, {code: 403, reason: 'Forbidden'}) : false);
    const collection = 'apis/kyverno.io/v1/clusterpolicies';
    const ready = {type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Ready'};
    const removeResources = [{apiVersion: 'v1', kind: 'Pod', selector: {matchLabels: {old: 'true'}}}];
    const stored = test.server.put(collection, {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name: 'c', uid: 'uid-c', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z'},
      spec: {rules: [{name: 'old-pods', match: {any: [{resources: {kinds: ['Pod']}}]}, cleanup: {removeResources}}]},
      status: {conditions: [ready]},
    });
    test.core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false});
    const feature = createCleanupFeature(test.core);
    await test.run(feature);
    feature.onPolicy!('ClusterPolicy', 'c', test.core.cache.putPolicy(stored), undefined);
    const policyNow = () => test.server.objects(collection)[0]!;
    await eventually(() => ownPath(policyNow(), 'status', 'cleanup') !== undefined);
    expect(ownPath(policyNow(), 'status', 'conditions')).toMatchObject([ready, {type: 'CleanUp-Forbidden-old-pods', message: expect.stringContaining('delete pods')}]);
    expect(storedCleanupConditions(policyNow())).toHaveLength(1);
    expect(storedCleanupConditions({...policyNow(), metadata: {generation: 2}})).toEqual([]);
  });

  it('in rules tell what kept them from deleting, in a condition and Events', async () => {
    for (const name of ['a', 'b']) test.server.put('api/v1/pods', pod(name, {old: 'true'}));
    const collection = 'apis/kyverno.io/v1/clusterpolicies';
    const removeResources = ['Pod', 'Nonsense'].map(kind => ({apiVersion: 'v1', kind, selector: {matchLabels: {old: 'true'}}}));
    const annotations = {'cleanup.kyverno.io/max-share': 'half'};
    const stored = test.server.put(collection, {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name: 'c', uid: 'uid-c', generation: 1, creationTimestamp: '2025-01-01T00:00:00Z', annotations},
      spec: {rules: [{name: 'old-pods', match: {any: [{resources: {kinds: ['Pod', 'Nonsense']}}]}, cleanup: {removeResources}}]},
    });
    test.core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false});
    const feature = createCleanupFeature(test.core);
    await test.run(feature);
    feature.onPolicy!('ClusterPolicy', 'c', test.core.cache.putPolicy(stored), undefined);
    const policyNow = () => test.server.objects(collection)[0];
    await eventually(() => ownPath(policyNow(), 'status', 'cleanup') !== undefined);
    const problems = ['annotation cleanup.kyverno.io/max-share must be a percentage such as "25%": nothing is deleted', 'the cluster has no kind Nonsense'];
    expect(ownPath(policyNow(), 'status', 'conditions')).toMatchObject([{type: 'CleanUp-Problems-old-pods', status: 'True', message: `rule old-pods: ${problems.join('; ')}`}]);
    const notes = test.events.map(({note}) => note);
    for (const problem of problems) expect(notes).toContain(`policy c error: ${problem}`);
    expect(pods()).toEqual(['a', 'b']);
  });

  it('written in CEL tell what their runs met with, in the conditions of clean-up policies', async () => {
    for (const name of ['a', 'b']) test.server.put('api/v1/pods', pod(name));
    const collection = 'apis/policies.kyverno.io/v1beta1/deletingpolicies';
    const ready = {type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Ready'};
    const put = (name: string, guards: Record<string, string>) =>
      test.server.put(collection, {
        apiVersion: 'policies.kyverno.io/v1beta1',
        kind: 'DeletingPolicy',
        metadata: {name, uid: `uid-${name}`, generation: 1, creationTimestamp: '2025-01-01T00:00:00Z', annotations: guards},
        spec: {
          schedule: '@yearly',
          matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods', 'secrets']}]},
          conditions: [{name: 'all', expression: 'true'}],
        },
        status: {conditions: [ready]},
      });
    const stored = [
      put('share', {'cleanup.kyverno.io/max-share': '50%'}),
      put('unread', {'cleanup.kyverno.io/dry-run': 'yes'}),
      put('dry', {'cleanup.kyverno.io/dry-run': 'true'}),
    ];
    test.server.intercept = (request, response) => request.path === '/api/v1/secrets' && fail(response, {code: 403, reason: 'Forbidden'});
    test.core.manager.register({key: 'deletingpolicies.policies.kyverno.io', group: 'policies.kyverno.io', version: 'v1beta1', resource: 'deletingpolicies', namespaced: false});
    const feature = createCleanupFeature(test.core);
    await test.run(feature);
    for (const object of stored) feature.onCelPolicy!('DeletingPolicy', ownPath(object, 'metadata', 'name') as string, test.core.cel.cache.putPolicy(object));
    await eventually(() => test.server.objects(collection).every(object => ownPath(object, 'status', 'lastExecutionTime') !== undefined));
    expect(pods()).toEqual(['a', 'b']);
    const [share, unread, dry] = test.server.objects(collection).map(object => ownPath(object, 'status', 'conditions'));
    const forbidden = {type: 'PermissionsGranted', status: 'False', message: expect.stringContaining('list secrets')};
    const tooMuch = '2 of 2 objects would go, more than 50 %: nothing was deleted';
    const guards = 'annotation cleanup.kyverno.io/dry-run must be "true" or "false": nothing is deleted';
    expect(share).toMatchObject([ready, forbidden, {type: 'LastRunSucceeded', status: 'False', message: expect.stringContaining(tooMuch)}]);
    expect(unread).toMatchObject([ready, {type: 'GuardsValid', status: 'False', message: guards}, forbidden, {type: 'LastRunSucceeded', status: 'False'}]);
    expect(dry).toMatchObject([ready, forbidden, {type: 'LastRunSucceeded', status: 'False'}]);
    expect(test.events.filter(({regarding}) => regarding.name === 'share').map(({note}) => note)).toContain(`policy share error: ${tooMuch}`);
  });

  it('written in CEL run, too, and keep the rest of their status', async () => {
    for (const name of ['a', 'b']) test.server.put('api/v1/pods', pod(name));
    const raw = {
      apiVersion: 'policies.kyverno.io/v1beta1',
      kind: 'DeletingPolicy',
      metadata: {name: 'd', uid: 'uid-d', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z'},
      spec: {
        schedule: '* * * * *',
        matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods']}]},
        conditions: [{name: 'named', expression: "object.metadata.name == 'a'"}],
      },
      status: {conditionStatus: {ready: true}},
    };
    const collection = 'apis/policies.kyverno.io/v1beta1/deletingpolicies';
    const stored = test.server.put(collection, raw);
    const key = 'deletingpolicies.policies.kyverno.io';
    test.core.manager.register({key, group: 'policies.kyverno.io', version: 'v1beta1', resource: 'deletingpolicies', namespaced: false});
    const feature = createCleanupFeature(test.core);
    await test.run(feature);
    const state = test.core.cel.cache.putPolicy(stored);
    expect(state.status).toBe('served');
    feature.onCelPolicy!('DeletingPolicy', 'd', state);
    await eventually(() => ownPath(test.server.objects(collection)[0], 'status', 'lastExecutionTime') !== undefined);
    expect(ownPath(test.server.objects(collection)[0], 'status', 'conditionStatus', 'ready')).toBe(true);
    expect(pods()).toEqual(['b']);
  });
});
