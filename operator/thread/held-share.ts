import {type Clock, sleep} from '../../adapters/clock.js';
import type {LoopShare} from '../../adapters/loop-share.js';
import type {Mark} from '../../adapters/mark.js';

/** Less than a Lease that is not renewed is kept: by then another replica may do the same work. */
const longestSilenceMs = 8_000;
const lookMs = 200;

/** Work waits, too, while the main thread, which renews the Leases, has had no turn for long. */
export function heldShare(share: LoopShare, heart: Pick<Mark, 'last'>, clock: Clock): LoopShare {
  const isSilent = () => clock.now() - heart.last() > longestSilenceMs;

  async function untilHeard(mostMs: number | undefined): Promise<void> {
    while (isSilent()) await sleep(clock, lookMs);
    await share.pause(mostMs);
  }

  return {pause: mostMs => (isSilent() ? untilHeard(mostMs) : share.pause(mostMs))};
}
