import {describe, expect, it} from 'vitest';
import {createManualClock} from '../clock/manual-clock.js';
import {createRateLimit, sharedBudget} from './rate-limit.js';

/** How many of `count` that ask now have a token. */
async function taken(limits: ReadonlyArray<ReturnType<typeof createRateLimit>>, count: number): Promise<number> {
  const control = new AbortController();
  let had = 0;
  const all = Array.from({length: count}, async (_, index) => {
    if (await limits[index % limits.length]!.take(control.signal)) had += 1;
  });
  await new Promise(resolve => setImmediate(resolve));
  control.abort();
  await Promise.all(all);
  return had;
}

describe('a rate limit', () => {
  it('gives a burst at once and the rest as it is made', async () => {
    const clock = createManualClock();
    const limit = createRateLimit({qps: 10, burst: 3, clock});
    expect(await taken([limit], 8)).toBe(3);
    clock.advance(200);
    expect(await taken([limit], 8)).toBe(2);
    clock.advance(10_000);
    expect(await taken([limit], 8)).toBe(3);
  });

  it('has none at 0', async () => {
    const limit = createRateLimit({qps: 0, burst: 0, clock: createManualClock()});
    expect(await taken([limit], 50)).toBe(50);
  });

  it('lets each wait for its own token', async () => {
    const clock = createManualClock();
    const limit = createRateLimit({qps: 10, burst: 1, clock});
    const order: number[] = [];
    const all = [1, 2, 3].map(async number => {
      await limit.take();
      order.push(number);
    });
    for (let tenths = 0; tenths < 3; tenths += 1) {
      clock.advance(100);
      await new Promise(resolve => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });

  it('makes what is owed by the rate of the moment', async () => {
    const clock = createManualClock();
    const options = {qps: 1, burst: 1, clock};
    const limit = createRateLimit(options);
    for (let each = 0; each < 100; each += 1) void limit.take();
    options.qps = 100;
    let had = false;
    void limit.take().then(() => {
      had = true;
    });
    clock.advance(1_500);
    await new Promise(resolve => setImmediate(resolve));
    expect(had).toBe(true);
  });

  it('is one for all who share its memory', async () => {
    const clock = createManualClock();
    const shared = sharedBudget();
    // So slow that none is made meanwhile.
    const limits = [1, 2].map(() => createRateLimit({qps: 0.001, burst: 4, clock, shared}));
    expect(await taken(limits, 10)).toBe(4);
    expect(await taken(limits, 10)).toBe(0);
  });
});
