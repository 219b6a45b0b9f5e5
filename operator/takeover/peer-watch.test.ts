import {Registry} from 'prom-client';
import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createObjectStore} from '../../adapters/kube/object-store.js';
import {silentLog} from '../../adapters/log.js';
import {createPeerWatch} from './peer-watch.js';

const leaseMs = 12_000;

function setUp() {
  const clock = createManualClock();
  const deployments = createObjectStore();
  const own = ['a', 'b'];
  let changes = 0;
  const watch = createPeerWatch({
    clock,
    log: silentLog,
    registry: new Registry(),
    deployments: () => deployments,
    ownDeployment: 'kyverno',
    replicas: () => own,
    leaseMs,
    onChange: () => void (changes += 1),
  });
  const put = (name: string, readyReplicas: number) => {
    deployments.put(`kyverno/${name}`, {metadata: {name, namespace: 'kyverno'}, status: {readyReplicas}});
    watch.touch();
  };
  return {clock, own, watch, put, changes: () => changes};
}

describe('a peer beside us', () => {
  it('is active while one of its Deployments has a ready replica', () => {
    const {watch, put, changes} = setUp();
    put('kyverno-reports-controller', 0);
    expect([watch.isActive, watch.message]).toEqual([false, undefined]);
    put('kyverno-reports-controller', 1);
    expect(watch.isActive).toBe(true);
    expect(watch.message).toContain('Deployment kyverno-reports-controller has ready replicas');
    put('kyverno-reports-controller', 0);
    expect([watch.isActive, watch.message, changes()]).toEqual([false, undefined, 2]);
  });

  it('is none when it is our own Deployment', () => {
    const {watch, put} = setUp();
    put('kyverno', 2);
    expect(watch.isActive).toBe(false);
  });

  it('is told of when a Lease stays in hands that are none of ours', () => {
    const {clock, watch} = setUp();
    watch.held('kyverno', 'kyverno-admission-controller-0');
    clock.advance(leaseMs);
    expect(watch.message).toBeUndefined();
    clock.advance(2 * leaseMs + 1);
    expect(watch.message).toContain('Lease kyverno is held by kyverno-admission-controller-0');
    // Whoever holds it leads; that is all there is to it.
    expect(watch.isActive).toBe(false);
    watch.held('kyverno', 'a');
    expect(watch.message).toBeUndefined();
  });

  it('is no replica of ours that holds one', () => {
    const {clock, watch} = setUp();
    watch.held('kyverno', 'b');
    clock.advance(10 * leaseMs);
    expect(watch.message).toBeUndefined();
  });
});
