import type {Clock} from '../../adapters/clock.js';
import {sleep} from '../../adapters/clock.js';
import type {LoopShare} from '../../adapters/loop-share.js';

/** Keeps long work on the main loop from being felt by requests. */
export interface Pacer {
  /** To be asked after each small piece of work; a promise has to be waited for before the next one. */
  turn(): Promise<void> | undefined;
}

/** So long the event loop is kept at most before others have their turn. */
const sliceMs = 2;
/** An idle loop is back sooner than this. */
const busyMs = 0.5;
/** On a loop that others use too, the work rests as long as it worked; not for long, for it may have been kept waiting itself. */
const longestRestMs = 4;

/**
 * Slices of two milliseconds. A loop that comes back late was busy with others: then the work rests as
 * long as it took, and longer while requests are answered on a loop that is much in use. On an idle loop it goes on at once.
 */
export function createPacer(clock: Clock, share?: LoopShare): Pacer {
  let started = clock.monotonic();
  async function rest(worked: number): Promise<void> {
    const left = clock.monotonic();
    await new Promise<void>(resolve => setImmediate(resolve));
    const others = clock.monotonic() - left;
    if (others >= busyMs) await sleep(clock, Math.min(longestRestMs, Math.max(sliceMs, worked)));
    const pause = share?.pause();
    if (pause !== undefined) await pause;
    started = clock.monotonic();
  }
  return {
    turn() {
      const worked = clock.monotonic() - started;
      return worked < sliceMs ? undefined : rest(worked);
    },
  };
}
