export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface Backoff {
  /** Milliseconds to wait before the next try: doubling, of which half is drawn by chance. */
  next(): number;
  reset(): void;
}

export function createBackoff({firstMs, maxMs, random}: BackoffOptions): Backoff {
  let failures = 0;
  return {
    next() {
      const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 40));
      failures += 1;
      return full / 2 + (full / 2) * random();
    },
    reset() {
      failures = 0;
    },
  };
}
