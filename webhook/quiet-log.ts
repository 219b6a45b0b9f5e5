import type {Clock} from '../adapters/clock.js';
import type {Logger} from '../adapters/log/logger.js';

/** Lines of one sort are at least this far apart. */
const quietMs = 60_000;

/**
 * Error lines that a flood of the same trouble cannot multiply: of each sort one a minute is written, those between are
 * counted into the next.
 */
export function createQuietLog(log: Logger, clock: Clock): (sort: string, text: string) => void {
  const lastLine = new Map<string, {at: number; more: number}>();
  return (sort, text) => {
    const last = lastLine.get(sort);
    const now = clock.monotonic();
    if (last !== undefined && now - last.at < quietMs) {
      last.more++;
      return;
    }
    const more = last === undefined || last.more === 0 ? '' : ` (and ${last.more} more since)`;
    lastLine.set(sort, {at: now, more: 0});
    log.error(`${text}${more}`);
  };
}
