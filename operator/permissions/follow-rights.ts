import type {Clock} from '../../adapters/clock.js';
import type {OwnRights} from './own-rights.js';

export interface RightsFollower {
  /** Asks now, and again and again while something is lacking. */
  touch(): void;
  stop(): void;
}

export interface RightsFollowerOptions {
  readonly rights: OwnRights;
  readonly clock: Clock;
  /** Whether anybody waits for a right. */
  readonly isLacking: () => boolean;
  /** The answer is another one than before. */
  readonly onChange: () => void;
}

const firstMs = 2_000;
const longestMs = 60_000;

/** A right that is granted after it was wanted is no event that anybody hears of: it is asked for, ever more seldom. */
export function followRights({rights, clock, isLacking, onChange}: RightsFollowerOptions): RightsFollower {
  let waitMs = firstMs;
  let cancel: (() => void) | undefined;
  let stopped = false;

  function ask(): void {
    cancel?.();
    cancel = undefined;
    void rights.refresh().then(changed => {
      if (stopped) return;
      if (changed) {
        waitMs = firstMs;
        onChange();
      }
      if (!isLacking()) return;
      cancel ??= clock.schedule(waitMs, ask);
      waitMs = Math.min(longestMs, waitMs * 2);
    });
  }

  return {
    touch() {
      waitMs = firstMs;
      ask();
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
