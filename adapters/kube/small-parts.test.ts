import {describe, expect, it} from 'vitest';
import {createManualClock} from '../clock/manual-clock.js';
import {createBackoff} from './backoff.js';
import {collectionPath, objectPath, resourceKey} from './paths.js';
import {createRateLimit} from './rate-limit.js';
import {compareResourceVersions} from './resource-version.js';
import {turns} from './testing/eventually.js';

describe('rate limit', () => {
  it('gives a burst at once and the rest at its rate, first come, first served', async () => {
    const clock = createManualClock();
    const limit = createRateLimit({qps: 10, burst: 2, clock});
    const served: number[] = [];
    for (let caller = 0; caller < 4; caller += 1) void limit.take().then(() => served.push(caller));
    await turns(2);
    expect(served).toEqual([0, 1]);
    clock.advance(100);
    await turns(2);
    expect(served).toEqual([0, 1, 2]);
    clock.advance(100);
    await turns(2);
    expect(served).toEqual([0, 1, 2, 3]);
  });

  it('gives back the token of a caller who leaves', async () => {
    const clock = createManualClock();
    const limit = createRateLimit({qps: 1, burst: 1, clock});
    await limit.take();
    const leaving = new AbortController();
    const left = limit.take(leaving.signal);
    leaving.abort();
    expect(await left).toBe(false);
    clock.advance(1_000);
    expect(await limit.take()).toBe(true);
  });

  it('is none at a rate of 0', async () => {
    const limit = createRateLimit({qps: 0, burst: 0, clock: createManualClock()});
    for (let call = 0; call < 100; call += 1) expect(await limit.take()).toBe(true);
  });
});

describe('backoff', () => {
  it('doubles up to its limit, half by chance, and starts afresh', () => {
    let luck = 1;
    const backoff = createBackoff({firstMs: 100, maxMs: 400, random: () => luck});
    expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 200, 400, 400]);
    luck = 0;
    expect(backoff.next()).toBe(200);
    backoff.reset();
    expect(backoff.next()).toBe(50);
  });
});

describe('resource versions', () => {
  for (const [a, b, order] of [
    ['1', '2', -1],
    ['9', '10', -1],
    ['100', '99', 1],
    ['18446744073709551615', '18446744073709551614', 1],
    ['5', '5', 0],
    ['005', '5', 0],
    ['', '1', -1],
    ['opaque', '1', -1],
  ] as const) {
    it(`orders ${a || 'none'} and ${b}`, () => {
      expect(Math.sign(compareResourceVersions(a, b))).toBe(order);
      expect(Math.sign(compareResourceVersions(b, a)) + order).toBe(0);
    });
  }
});

describe('paths', () => {
  it('address collections and objects', () => {
    const deployments = {group: 'apps', version: 'v1', resource: 'deployments'};
    expect(collectionPath(deployments)).toBe('/apis/apps/v1/deployments');
    expect(objectPath({...deployments, namespace: 'a', name: 'b'}, 'scale')).toBe(
      '/apis/apps/v1/namespaces/a/deployments/b/scale',
    );
    expect(objectPath({group: '', version: 'v1', resource: 'nodes', name: 'n'})).toBe('/api/v1/nodes/n');
    for (const dots of ['.', '..']) {
      expect(() => objectPath({...deployments, namespace: 'a', name: dots})).toThrow('no name');
      expect(() => objectPath({...deployments, namespace: dots, name: 'b'})).toThrow('no name');
    }
    expect([resourceKey(deployments), resourceKey({group: '', version: 'v1', resource: 'pods'})]).toEqual([
      'deployments.v1.apps',
      'pods.v1',
    ]);
  });
});
