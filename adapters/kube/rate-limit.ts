import type {Clock} from '../clock.js';
import {sleep} from '../clock.js';

export interface RateLimit {
  /** Resolves to true with a token, to false as soon as `signal` is aborted. First come, first served. */
  take(signal?: AbortSignal): Promise<boolean>;
}

export interface RateLimitOptions {
  /** Tokens a second in the long run; 0 or less = no limit. */
  readonly qps: number;
  /** At once. Both are read each time. */
  readonly burst: number;
  readonly clock: Clock;
  /** Of `sharedBudget`: what threads take from one bucket. Absent: it is this one's alone. */
  readonly shared?: SharedArrayBuffer | undefined;
}

/** Memory of a bucket for several threads. */
export function sharedBudget(): SharedArrayBuffer {
  return new SharedArrayBuffer(16);
}

/**
 * Token bucket, kept as one number that threads can exchange at once: the time, in microseconds, at which all tokens that were taken
 * would have been made one by one.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const {clock, shared} = options;
  /** That time, and how long a token took when it was set. */
  const paid = new BigInt64Array(shared ?? new ArrayBuffer(16));
  // Threads have clocks of their own, which begin when they do.
  const now = () => (shared === undefined ? BigInt(Math.round(clock.monotonic() * 1000)) : process.hrtime.bigint() / 1000n);

  /** Takes one; microseconds until it is made. */
  function withdraw(each: bigint, burst: bigint): bigint {
    const former = Atomics.exchange(paid, 1, each);
    // Under another rate, what is owed takes another time.
    if (former !== 0n && former !== each) {
      const before = Atomics.load(paid, 0);
      const owed = before - now();
      if (owed > 0n) Atomics.compareExchange(paid, 0, before, before - owed + (owed * each) / former);
    }
    for (;;) {
      const before = Atomics.load(paid, 0);
      const time = now();
      const unused = time - before;
      const after = before + each + (unused > 0n ? unused : 0n);
      if (Atomics.compareExchange(paid, 0, before, after) === before) return after - time - each * burst;
    }
  }

  return {
    async take(signal) {
      const {qps, burst} = options;
      if (qps <= 0) return !signal?.aborted;
      const each = BigInt(Math.max(1, Math.round(1_000_000 / qps)));
      // A wait is the queue: each waiter sleeps until its own token exists.
      const wait = withdraw(each, BigInt(Math.max(1, Math.floor(burst))));
      if (wait <= 0n) return true;
      await sleep(clock, Number(wait) / 1000, signal);
      if (!signal?.aborted) return true;
      Atomics.sub(paid, 0, each);
      return false;
    },
  };
}
