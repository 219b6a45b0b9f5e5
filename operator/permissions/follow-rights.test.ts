import {describe, expect, it} from 'vitest';
import {followRights} from './follow-rights.js';

describe('rights that come later', () => {
  it('are asked for until they are there, ever more seldom, and told once', async () => {
    const waits: number[] = [];
    let next: (() => void) | undefined;
    const schedule = (ms: number, task: () => void) => {
      waits.push(ms);
      next = task;
      return () => undefined;
    };
    const clock = {schedule} as never;
    let granted = false;
    let told = 0;
    const rights = {can: () => granted, refresh: async () => granted};
    const follower = followRights({rights, clock, isLacking: () => !granted, onChange: () => told++});
    const settle = () => new Promise(done => setImmediate(done));
    follower.touch();
    await settle();
    for (let round = 0; round < 6; round++) {
      next?.();
      await settle();
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(told).toBe(0);
    granted = true;
    next?.();
    await settle();
    expect(told).toBe(1);
    expect(waits).toHaveLength(7);
    follower.stop();
  });
});
