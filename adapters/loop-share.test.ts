import {beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from './clock/manual-clock.js';
import {createLoopShare, type LoopShare} from './loop-share.js';

describe('the share of the loop for work that can wait', () => {
  let clock: ManualClock;
  let share: LoopShare;
  let used: number;
  let answered: number;

  beforeEach(() => {
    clock = createManualClock();
    used = 0.9;
    answered = Number.NEGATIVE_INFINITY;
    share = createLoopShare(clock, {lastAnswer: () => answered}, since => ({idle: 0, active: 0, utilization: since === undefined ? 0 : used}));
  });

  /** Whether there is a pause before the piece of work after `milliseconds`. */
  function pauses(milliseconds: number): boolean {
    clock.advance(milliseconds);
    return share.pause() !== undefined;
  }

  /** How long the next pause is; 0 without one. */
  async function pauseMs(mostMs?: number): Promise<number> {
    const pause = share.pause(mostMs);
    if (pause === undefined) return 0;
    let over = false;
    void pause.then(() => {
      over = true;
    });
    for (let passed = 1; passed <= 1_000; passed += 1) {
      clock.advance(1);
      await Promise.resolve();
      await Promise.resolve();
      if (over) return passed;
    }
    throw new Error('the pause does not end');
  }

  it('is the whole loop while nobody waits for answers', () => {
    for (let round = 0; round < 20; round += 1) expect(pauses(250)).toBe(false);
  });

  it('gets smaller while the loop is much in use, to a piece each 200 ms', async () => {
    for (let round = 0; round < 3; round += 1) {
      answered = clock.now();
      pauses(250);
    }
    expect(pauses(0)).toBe(true);
    for (let round = 0; round < 30; round += 1) {
      answered = clock.now();
      pauses(250);
    }
    expect(await pauseMs()).toBe(200);
    expect(await pauseMs(20)).toBe(20);
  });

  it('gets whole again when the loop is not, or when nobody waits any more', () => {
    for (let round = 0; round < 10; round += 1) {
      answered = clock.now();
      pauses(250);
    }
    expect(pauses(0)).toBe(true);
    used = 0.1;
    for (let round = 0; round < 30; round += 1) {
      answered = clock.now();
      pauses(250);
    }
    expect(pauses(0)).toBe(false);
    used = 0.9;
    for (let round = 0; round < 10; round += 1) {
      answered = clock.now();
      pauses(250);
    }
    expect(pauses(0)).toBe(true);
    expect(pauses(3_000)).toBe(false);
  });

  it('is smaller where the process has less than a core', () => {
    const use = 0.15;
    const shares = [1, 0.5].map(cores => createLoopShare(clock, {lastAnswer: () => clock.now(), cores}, () => ({idle: 0, active: 0, utilization: use})));
    for (let round = 0; round < 5; round += 1) {
      clock.advance(250);
      for (const one of shares) one.pause();
    }
    expect(shares.map(one => one.pause() !== undefined)).toEqual([false, true]);
  });

  it('looks at the real loop when it is told nothing else', async () => {
    const real = createLoopShare({...clock, monotonic: () => performance.now()}, {lastAnswer: () => clock.now()});
    expect(real.pause()).toBeUndefined();
  });
});
