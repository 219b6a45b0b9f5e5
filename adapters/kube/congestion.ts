import type {Clock} from '../clock.js';

/** How many requests of bulk work may be under way at one time, found out from how long answers take. */
export interface Congestion {
  /** Between two and `most`; for whoever starts the next piece of work. */
  width(most: number): number;
  /** An answer of `kind` (such as `create pods`) that took so long. */
  note(kind: string, milliseconds: number): void;
}

/** Answers up to so many times the quickest one of their kind did not wait for others. */
const tolerance = 2;
const least = 2;
/** The quickest answer is forgotten after one to two of these: servers move, and grow. */
const memoryMs = 60_000;
/** Kinds told apart; further ones share their quickest answer. */
const mostKinds = 200;

interface Quickest {
  now: number;
  before: number;
  since: number;
}

/**
 * A delay-based window, as TCP Vegas has it: requests that only wait behind our own others make nothing sooner, but keep
 * everybody else's waiting, too. Grows by one per round while answers come as quickly as ever, and shrinks to what was
 * answered without a queue as soon as they do not.
 */
export function createCongestion(clock: Clock): Congestion {
  const kinds = new Map<string, Quickest>();
  let window = 4;
  let used = 4;
  let noted = 0;
  let unqueued = 0;

  function quickest(kind: string, milliseconds: number): number {
    const now = clock.monotonic();
    const key = kinds.has(kind) || kinds.size < mostKinds ? kind : '';
    let entry = kinds.get(key);
    if (entry === undefined) kinds.set(key, (entry = {now: milliseconds, before: milliseconds, since: now}));
    if (now - entry.since > memoryMs) {
      entry.before = now - entry.since > 2 * memoryMs ? milliseconds : entry.now;
      entry.now = milliseconds;
      entry.since = now;
    }
    entry.now = Math.min(entry.now, milliseconds);
    return Math.min(entry.now, entry.before);
  }

  return {
    width(most) {
      used = Math.max(used, Math.min(window, most));
      return Math.max(1, Math.min(window, most));
    },
    note(kind, milliseconds) {
      unqueued += Math.min(1, (tolerance * quickest(kind, milliseconds)) / Math.max(milliseconds, 0.001));
      noted += 1;
      if (noted < window) return;
      const queued = window * (1 - unqueued / noted);
      if (queued > 2) window = Math.max(least, Math.ceil(window - queued) + 1);
      // A window that nobody fills tells nothing.
      else if (queued < 1 && used >= window) window += 1;
      noted = 0;
      unqueued = 0;
      used = 0;
    },
  };
}
