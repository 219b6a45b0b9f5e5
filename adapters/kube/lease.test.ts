import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createManualClock, type ManualClock} from '../clock/manual-clock.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createLeaseElection, type LeaseElection} from './lease.js';
import {fail, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import {eventually, eventuallyBy, turns} from './testing/eventually.js';
import type {KubeClient} from './types.js';

const leases = 'apis/coordination.k8s.io/v1/leases';
let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let happened: string[];
let elections: LeaseElection[];

beforeEach(async () => {
  server = await startTestApiServer();
  // Its own clock runs: only the election's time stands still.
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  clock = createManualClock();
  happened = [];
  elections = [];
});

afterEach(async () => {
  server.intercept = undefined;
  await Promise.all(elections.map(election => election.stop()));
  client.close();
  await server.close();
});

function candidate(identity: string): LeaseElection {
  const election = createLeaseElection({
    client,
    namespace: 'kyverno',
    name: 'kyverno',
    identity,
    clock,
    log: silentLog,
    random: () => 0,
    onStartedLeading: () => happened.push(`${identity} leads`),
    onStoppedLeading: () => happened.push(`${identity} stops`),
  });
  elections.push(election);
  election.start();
  return election;
}

function lease(): JsonObject | undefined {
  return server.objects(leases)[0];
}

function spec(field: string) {
  return ownPath(lease(), 'spec', field);
}

/** Lets time pass in small steps with I/O in between. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 500) {
    clock.advance(Math.min(500, left));
    await turns(6);
  }
}

describe('lease election', () => {
  it('takes a Lease that nobody has made yet', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    expect([spec('holderIdentity'), spec('leaseDurationSeconds'), spec('leaseTransitions')]).toEqual(['a', 12, 0]);
    expect(spec('renewTime')).toBe('2026-01-01T00:00:00.000000Z');
  });

  it('renews every two seconds and keeps when it was acquired', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    const acquired = spec('acquireTime');
    await pass(4_500);
    expect(spec('acquireTime')).toBe(acquired);
    expect(spec('renewTime')).toBe('2026-01-01T00:00:04.000000Z');
  });

  it('has one leader among several candidates', async () => {
    candidate('a');
    candidate('b');
    candidate('c');
    await eventually(() => happened.length > 0);
    await pass(30_000);
    expect(happened.length).toBe(1);
  });

  it('lets another lead a lease duration after a leader fell silent, by its own clock', async () => {
    server.put(leases, {
      metadata: {name: 'kyverno', namespace: 'kyverno'},
      // Its wall clock is years ahead: that must not matter.
      spec: {
        holderIdentity: 'dead',
        leaseDurationSeconds: 12,
        renewTime: '2031-01-01T00:00:00.000000Z',
        leaseTransitions: 4,
      },
    });
    const a = candidate('a');
    await pass(11_000);
    expect(a.isLeader).toBe(false);
    expect(a.leader).toBe('dead');
    await pass(4_000);
    expect(a.isLeader).toBe(true);
    expect(spec('leaseTransitions')).toBe(5);
  });

  it('gives the Lease back on a clean exit, so that another leads within a retry period', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    const b = candidate('b');
    await pass(3_000);
    await a.stop();
    expect(spec('holderIdentity')).toBe('');
    await pass(3_000);
    expect(b.isLeader).toBe(true);
    expect(happened).toEqual(['a leads', 'a stops', 'b leads']);
  });

  it('gives the Lease back although a renewal that arrived was never answered', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    let swallowed = 0;
    server.intercept = ({method}) => {
      if (method !== 'PUT' || swallowed > 0) return false;
      swallowed += 1;
      server.put(leases, {...lease()!});
      return true;
    };
    await eventuallyBy(clock, 500, () => swallowed === 1);
    await a.stop();
    expect(spec('holderIdentity')).toBe('');
  });

  it('does not give back what another has taken meanwhile', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    const current = lease()!;
    server.put(leases, {...current, spec: {...(current['spec'] as JsonObject), holderIdentity: 'b'}});
    await a.stop();
    expect(spec('holderIdentity')).toBe('b');
  });

  it('steps down at the renew deadline without an API server, and leads again when it is back', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    await server.down();
    await pass(9_000);
    expect(a.isLeader).toBe(true);
    await pass(1_500);
    expect(a.isLeader).toBe(false);
    await server.up();
    await pass(3_000);
    expect(a.isLeader).toBe(true);
    expect(happened).toEqual(['a leads', 'a stops', 'a leads']);
  });

  it('steps down at the renew deadline when the API server answers nothing', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    server.intercept = () => true;
    await pass(10_500);
    expect(a.isLeader).toBe(false);
  });

  it('steps down when the Lease is seen in other hands', async () => {
    const a = candidate('a');
    await eventually(() => a.isLeader);
    const current = lease()!;
    server.put(leases, {...current, spec: {...(current['spec'] as JsonObject), holderIdentity: 'b'}});
    await pass(2_500);
    expect(a.isLeader).toBe(false);
    expect(a.leader).toBe('b');
  });

  it('loses a race for an expired Lease without a word', async () => {
    server.put(leases, {metadata: {name: 'kyverno', namespace: 'kyverno'}, spec: {holderIdentity: ''}});
    server.intercept = ({method}, response) => {
      if (method === 'PUT') fail(response, {code: 409, reason: 'Conflict'});
      return method === 'PUT';
    };
    const a = candidate('a');
    await pass(5_000);
    expect(a.isLeader).toBe(false);
  });

  it('stops at once while a request hangs', async () => {
    server.intercept = () => true;
    const a = candidate('a');
    await turns();
    await a.stop();
    expect(happened).toEqual([]);
  });
});
