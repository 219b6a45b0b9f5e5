import {setTimeout as delay} from 'node:timers/promises';

export interface EventuallyOptions {
  /** What is waited for, for the error. */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** Asked before each try; throws to give up at once. */
  readonly assertPossible?: () => void;
}

/** Repeats `attempt` until it returns something but undefined or false; the last error is told when time is up. */
export async function eventually<T>(
  attempt: () => Promise<T | undefined | false> | T | undefined | false,
  {what, timeoutMs = 60_000, everyMs = 100, assertPossible}: EventuallyOptions,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    assertPossible?.();
    let cause: unknown;
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`, {cause});
    await delay(everyMs);
  }
}
