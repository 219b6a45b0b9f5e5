import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createMark} from '../../adapters/mark.js';
import {heldShare} from './held-share.js';

describe('work beside a main thread that has no turn', () => {
  it('waits until that goes on', async () => {
    const clock = createManualClock();
    const heart = createMark();
    heart.note(clock.now());
    const share = heldShare({pause: () => undefined}, heart, clock);
    expect(share.pause()).toBeUndefined();
    clock.advance(9_000);
    let over = false;
    const pause = share.pause()?.then(() => {
      over = true;
    });
    for (let look = 0; look < 5; look += 1) {
      clock.advance(200);
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(over).toBe(false);
    heart.note(clock.now());
    clock.advance(200);
    await pause;
    expect(share.pause()).toBeUndefined();
  });
});
