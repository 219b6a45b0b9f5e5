import type {Clock} from '../clock.js';
import {sleep} from '../clock.js';

export interface RateLimit {
  /** Resolves to true with a token, to false as soon as `signal` is aborted. First come, first served. */
  take(signal?: AbortSignal): Promise<boolean>;
}

/** Token bucket: `burst` at once, `qps` a second in the long run; `qps` 0 or less = no limit. Both are read each time. */
export function createRateLimit(options: {readonly qps: number; readonly burst: number; readonly clock: Clock}): RateLimit {
  const {clock} = options;
  let tokens = Math.max(1, options.burst);
  let at = clock.monotonic();
  return {
    async take(signal) {
      const {qps, burst} = options;
      if (qps <= 0) return !signal?.aborted;
      const now = clock.monotonic();
      tokens = Math.min(Math.max(1, burst), tokens + ((now - at) * qps) / 1000);
      at = now;
      // A negative balance is the queue: each waiter sleeps until its own token exists.
      tokens -= 1;
      if (tokens >= 0) return true;
      await sleep(clock, (-tokens * 1000) / qps, signal);
      if (!signal?.aborted) return true;
      tokens += 1;
      return false;
    },
  };
}
