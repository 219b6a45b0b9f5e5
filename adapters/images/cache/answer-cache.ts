import type {Clock} from '../../clock.js';

export interface AnswerCacheOptions {
  readonly clock: Clock;
  /** Least recently used ones go first; 0 keeps nothing. */
  readonly maxSize: number;
  /** Milliseconds for which an answer counts. */
  readonly ttlMs: number;
  /** Milliseconds for which an answer can still be peeked at; `ttlMs` when absent. */
  readonly peekMs?: number | undefined;
  /** Milliseconds for which a failure counts; 0 = not kept. */
  readonly failureTtlMs: (error: unknown) => number;
  readonly onLookup?: ((outcome: 'hit' | 'miss' | 'shared') => void) | undefined;
}

/**
 * Answers and failures by key, each fetched once at a time: who asks meanwhile waits for the same one. What is kept comes
 * back without a Promise, a kept failure is thrown.
 */
export interface AnswerCache<T> {
  get(key: string, load: () => Promise<T>): T | Promise<T>;
  /** What is at hand, perhaps no longer fresh; nothing is fetched. */
  peek(key: string): {readonly value: T} | undefined;
  clear(): void;
}

type Kept<T> = {readonly until: number; readonly peekUntil: number} & ({readonly value: T} | {readonly error: unknown});

export function createAnswerCache<T>(options: AnswerCacheOptions): AnswerCache<T> {
  const {clock, maxSize, ttlMs, peekMs = ttlMs, failureTtlMs, onLookup} = options;
  const kept = new Map<string, Kept<T>>();
  const running = new Map<string, Promise<T>>();

  function keep(key: string, entry: Kept<T>): void {
    kept.delete(key);
    if (maxSize === 0 || entry.peekUntil <= clock.monotonic()) return;
    if (kept.size >= maxSize) kept.delete(kept.keys().next().value!);
    kept.set(key, entry);
  }

  return {
    get(key, load) {
      const found = kept.get(key);
      if (found !== undefined && found.until > clock.monotonic()) {
        kept.delete(key);
        kept.set(key, found);
        onLookup?.('hit');
        if ('error' in found) throw found.error;
        return found.value;
      }
      const shared = running.get(key);
      onLookup?.(shared === undefined ? 'miss' : 'shared');
      if (shared !== undefined) return shared;
      const started = load().then(
        value => {
          const now = clock.monotonic();
          keep(key, {until: now + ttlMs, peekUntil: now + Math.max(ttlMs, peekMs), value});
          return value;
        },
        (error: unknown) => {
          const until = clock.monotonic() + failureTtlMs(error);
          keep(key, {until, peekUntil: until, error});
          throw error;
        },
      );
      running.set(key, started);
      // Nobody may be waiting any more: whoever waits has this promise and hears of the failure.
      started.catch(() => undefined).finally(() => running.delete(key));
      return started;
    },
    peek(key) {
      const found = kept.get(key);
      if (found === undefined || found.peekUntil <= clock.monotonic()) return undefined;
      if ('error' in found) throw found.error;
      return {value: found.value};
    },
    clear: () => kept.clear(),
  };
}
