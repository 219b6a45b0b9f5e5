import {performance} from 'node:perf_hooks';
import {type Clock, sleep} from './clock.js';

/** How much of the event loop work may take that can wait, while somebody waits for answers. */
export interface LoopShare {
  /** To be asked before each piece of work of some milliseconds; a promise has to be waited for. `mostMs`: where the work has to be done soon. */
  pause(mostMs?: number): Promise<void> | undefined;
}

export interface LoopShareOptions {
  /** When an answer left last, milliseconds since the epoch. */
  readonly lastAnswer: () => number;
  /** That the process may use in the long run; with less than one, what is spent here early is missing to answers later. 1 when absent. */
  readonly cores?: number | undefined;
}

/** Answers within so long: somebody waits for the next one, too. */
const servingMs = 2_000;
/** Part of the loop's time that is in use beyond which work that can wait is made rarer: the slowest answers then take less than twice their time at rest. */
const target = 0.2;
/** The loop is looked at so often. */
const lookMs = 200;
const firstPauseMs = 2;
/** Work that can wait goes on all the same. */
const longestPauseMs = 200;

/**
 * Work that is cut into small pieces is still felt where pieces come one after the other: what they ask of the API server comes before
 * what others do. So pieces are kept apart by pauses that grow while the loop is in use for more than a fifth of its time, and shrink
 * when it is not. Time in which the thread was ready to run but had no core counts as use. Nobody waits for answers: no pauses.
 */
export function createLoopShare(clock: Clock, {lastAnswer, cores = 1}: LoopShareOptions, utilization: (since?: Utilization) => Utilization = since => performance.eventLoopUtilization(since)): LoopShare {
  let looked: {readonly at: number; readonly state: Utilization} | undefined;
  let pauseMs = 0;

  function look(now: number): void {
    if (looked === undefined || now - looked.at >= 2 * servingMs) {
      looked = {at: now, state: utilization()};
      return;
    }
    if (now - looked.at < lookMs) return;
    const used = utilization(looked.state).utilization;
    pauseMs = used > target * Math.min(1, cores) ? Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 1.5)) : pauseMs < firstPauseMs ? 0 : pauseMs * 0.8;
    looked = {at: now, state: utilization()};
  }

  return {
    pause(mostMs = longestPauseMs) {
      const now = clock.monotonic();
      if (clock.now() - lastAnswer() > servingMs) {
        pauseMs = 0;
        looked = undefined;
        return undefined;
      }
      look(now);
      return pauseMs === 0 ? undefined : sleep(clock, Math.min(pauseMs, mostMs));
    },
  };
}

interface Utilization {
  readonly idle: number;
  readonly active: number;
  readonly utilization: number;
}
