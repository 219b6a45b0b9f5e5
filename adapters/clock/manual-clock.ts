import type {Clock} from '../clock.js';

export interface ManualClock extends Clock {
  /** Moves both scales on and runs what falls due, in order. */
  advance(ms: number): void;
  /** Tasks not yet due. */
  pending(): number;
}

/** A clock that stands still until told otherwise: for tests of time-outs and back-off without waiting. */
export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let sequence = 0;
  const tasks = new Map<number, {at: number; run: () => void}>();

  function nextDue(limit: number): number | undefined {
    let best: number | undefined;
    for (const [id, task] of tasks) {
      if (task.at <= limit && (best === undefined || task.at < tasks.get(best)!.at)) best = id;
    }
    return best;
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    schedule(delayMs, run) {
      const id = sequence++;
      tasks.set(id, {at: elapsed + Math.max(0, delayMs), run});
      return () => {
        tasks.delete(id);
      };
    },
    advance(ms) {
      const target = elapsed + ms;
      for (let id = nextDue(target); id !== undefined; id = nextDue(target)) {
        const task = tasks.get(id)!;
        tasks.delete(id);
        elapsed = task.at;
        task.run();
      }
      elapsed = target;
    },
    pending: () => tasks.size,
  };
}
