import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {fail, startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, eventuallyBy, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {ownPath} from '../../engine/json/types.js';
import {createLiveReplicas, type LiveReplicas} from './live-replicas.js';
import {createReplicaLease, type ReplicaLease} from './replica-lease.js';
import type {ReplicaState} from './replica-state.js';

const leases = 'apis/coordination.k8s.io/v1/leases';
let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let stops: Array<() => Promise<void>>;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  clock = createManualClock();
  stops = [];
});

afterEach(async () => {
  server.intercept = undefined;
  await Promise.all(stops.map(stop => stop()));
  client.close();
  await server.close();
});

function replica(identity: string, state: () => ReplicaState): ReplicaLease {
  const lease = createReplicaLease({
    client,
    namespace: 'kyverno',
    identity,
    state,
    clock,
    log: silentLog,
    owner: {name: identity, uid: 'pod-uid'},
  });
  lease.start();
  return lease;
}

function watchReplicas(onChange: () => void = () => undefined): LiveReplicas {
  const live = createLiveReplicas({client, namespace: 'kyverno', clock, log: silentLog, onChange});
  live.start();
  stops.push(() => live.stop());
  return live;
}

function leaseNames(): unknown[] {
  return server.objects(leases).map(lease => ownPath(lease, 'metadata', 'name'));
}

describe('replica leases', () => {
  it('carries what the replica serves and refuses, and goes with the Pod', async () => {
    const lease = replica('pod-1', () => ({versions: {ClusterPolicy: '12'}, refused: {'ClusterPolicy/x': 'no rules'}}));
    const live = watchReplicas();
    await eventually(() => live.list().length === 1);
    expect(live.list()).toEqual([
      {
        identity: 'pod-1',
        state: {versions: {ClusterPolicy: '12'}, refused: {'ClusterPolicy/x': 'no rules'}, incomplete: false, started: {}},
      },
    ]);
    expect(leaseNames()).toEqual(['kyverno-replica-pod-1']);
    expect(ownPath(server.objects(leases)[0], 'metadata', 'ownerReferences')).toMatchObject([
      {kind: 'Pod', uid: 'pod-uid'},
    ]);
    await lease.stop();
    await eventually(() => live.list().length === 0);
  });

  it('renews soon when the state has changed, and seldom else', async () => {
    let version = '1';
    const lease = replica('pod-1', () => ({versions: {ClusterPolicy: version}, refused: {}}));
    stops.push(() => lease.stop());
    const live = watchReplicas();
    const seen = () => live.list()[0]?.state?.versions['ClusterPolicy'];
    await eventually(() => seen() === '1');
    const before = server.requests.length;
    clock.advance(200);
    await turns();
    expect(server.requests.length).toBe(before);
    version = '2';
    lease.touch();
    await eventually(() => seen() === '2');
  });

  it('counts a replica as gone when its Lease stays as it is, and clears it away much later', async () => {
    let changes = 0;
    const lease = replica('dead', () => ({versions: {}, refused: {}}));
    await eventually(() => server.objects(leases).length === 1);
    // Dies without a word.
    server.intercept = ({method}, response) => {
      if (method === 'PATCH' || method === 'DELETE') fail(response, {code: 403, reason: 'Forbidden'});
      return method === 'PATCH' || method === 'DELETE';
    };
    await lease.stop();
    server.intercept = undefined;
    const live = watchReplicas(() => {
      changes += 1;
    });
    await eventually(() => live.list().length === 1);
    clock.advance(12_000);
    expect(live.list().length).toBe(1);
    const before = changes;
    clock.advance(2);
    expect(live.list()).toEqual([]);
    expect(changes).toBe(before + 1);
    await live.cleanUp();
    expect(leaseNames().length).toBe(1);
    clock.advance(50_000);
    await live.cleanUp();
    expect(leaseNames()).toEqual([]);
  });

  it('makes its Lease again when somebody deleted it, and outlives an API server that is away', async () => {
    const lease = replica('pod-1', () => ({versions: {}, refused: {}}));
    stops.push(() => lease.stop());
    await eventually(() => server.objects(leases).length === 1);
    await turns();
    server.remove(leases, 'kyverno/kyverno-replica-pod-1');
    await server.down();
    clock.advance(200);
    await turns();
    clock.advance(4_000);
    await turns();
    await server.up();
    clock.advance(200);
    await turns();
    await eventuallyBy(clock, 500, () => server.objects(leases).length === 1);
  });

  it('leaves other Leases alone', async () => {
    server.put(leases, {metadata: {name: 'kyverno', namespace: 'kyverno'}, spec: {holderIdentity: 'x'}});
    const live = watchReplicas();
    await live.synced;
    expect(live.list()).toEqual([]);
  });
});
