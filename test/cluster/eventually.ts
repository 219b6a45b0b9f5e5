import {setTimeout as delay} from 'node:timers/promises';

export interface EventuallyOptions {
  /** What is waited for, for the error. */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** Asked before each try; throws to give up at once. */
  readonly assertPossible?: () => void;
}

/** Tells the state of something that runs, for the error of a wait that was in vain. */
export type Witness = () => Promise<string>;

const witnesses = new Set<Witness>();
const testimonyMs = 10_000;
const longestTryMs = 35_000;

/** Has `witness` heard whenever a wait fails; the returned function ends that. */
export function addWitness(witness: Witness): () => void {
  witnesses.add(witness);
  return () => witnesses.delete(witness);
}

/** Repeats `attempt` until it returns something but undefined or false; the last error is told when time is up. */
export async function eventually<T>(
  attempt: () => Promise<T | undefined | false> | T | undefined | false,
  {what, timeoutMs = 60_000, everyMs = 100, assertPossible}: EventuallyOptions,
): Promise<T> {
  let left = timeoutMs;
  let now = performance.now();
  for (;;) {
    assertPossible?.();
    let cause: unknown;
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      cause = error;
    }
    const before = now;
    now = performance.now();
    // A machine that slept, or ran nothing for long, has not waited: one try counts for no more than `longestTryMs`.
    left -= Math.min(now - before, longestTryMs);
    if (left <= 0) {
      throw new Error(`${what}: not within ${timeoutMs / 1000} s${await testimonies()}`, {cause});
    }
    await delay(everyMs);
  }
}

/** A witness that has nothing to say in time, or fails, is no reason to tell another error. */
async function testimonies(): Promise<string> {
  const heard = [...witnesses].map(async witness => {
    const silence = delay(testimonyMs, 'a witness said nothing in time', {ref: false});
    return Promise.race([witness(), silence]).catch(error => `a witness failed: ${error}`);
  });
  const texts = await Promise.all(heard);
  return texts.map(text => `\n${text}`).join('');
}
