import type {Clock} from '../../adapters/clock.js';

/** Which grants were told of lately: one after which the work misses the same right again was told in vain. */
export interface GrantMemory {
  granted(right: string, places: readonly string[], delayMs: number): void;
  /** Whether the right was told to be there for that place a short while ago. */
  isVain(right: string, place: string): boolean;
  /** Milliseconds between questions as they were by then. */
  delayOf(right: string): number;
}

/** By then work that goes on has long come to where the right was missing; what is missing later was taken away. */
const shortWhileMs = 60_000;

export function createGrantMemory(clock: Pick<Clock, 'monotonic'>): GrantMemory {
  const last = new Map<string, {readonly at: number; readonly delayMs: number; readonly places: ReadonlySet<string>}>();
  return {
    granted(right, places, delayMs) {
      last.set(right, {at: clock.monotonic(), delayMs, places: new Set(places)});
    },
    isVain(right, place) {
      const grant = last.get(right);
      return grant?.places.has(place) === true && clock.monotonic() - grant.at <= shortWhileMs;
    },
    delayOf: right => last.get(right)?.delayMs ?? 0,
  };
}
