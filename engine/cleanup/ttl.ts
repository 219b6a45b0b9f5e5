import {parseDuration} from '../values/duration.js';

/** The label that gives an object an end, and the annotation that says how its dependents go. */
export const ttlLabel = 'cleanup.kyverno.io/ttl';
export const propagationAnnotation = 'cleanup.kyverno.io/propagation-policy';

/** When an object is to be deleted, milliseconds since the epoch; or why the label says nothing. */
export type Ttl = {readonly deleteAt: number} | {readonly error: string};

const units: ReadonlyMap<string, bigint> = new Map(
  (
    [
      [1n, ['ns', 'nsec', 'nsecs', 'nanosecond', 'nanoseconds']],
      [1_000n, ['us', 'µs', 'usec', 'usecs', 'microsecond', 'microseconds']],
      [1_000_000n, ['ms', 'msec', 'msecs', 'millisecond', 'milliseconds']],
      [1_000_000_000n, ['s', 'sec', 'secs', 'second', 'seconds']],
      [60_000_000_000n, ['m', 'min', 'mins', 'minute', 'minutes']],
      [3_600_000_000_000n, ['h', 'hr', 'hrs', 'hour', 'hours']],
      [86_400_000_000_000n, ['d', 'day', 'days']],
      [604_800_000_000_000n, ['w', 'wk', 'wks', 'week', 'weeks']],
    ] as const
  ).flatMap(([size, names]) => names.map(name => [name, size] as const)),
);
const limit = 2n ** 63n;
const longest = 63;
const part = /(\d+)([a-zµ]+)/gi;
const wholeDuration = /^(?:\d+[a-zµ]+)+$/i;
const absolute = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/;
const nanosecondsPerMillisecond = 1_000_000n;

/**
 * A `cleanup.kyverno.io/ttl` label: a duration after the object's creation (`10s`, `1h30m`, `2d`, `1w`, `10days`), or a
 * time (`2026-01-02T150405Z`) or day (`2026-01-02`, its first moment in UTC). A text with anything else in it is no
 * duration: nothing is deleted on a guess.
 */
export function parseTtl(value: string, creationTimestamp: string): Ttl {
  if (value.length > longest) return {error: `longer than a label value may be (${longest} characters)`};
  const moment = parseMoment(value);
  if (moment !== undefined) return {deleteAt: moment};
  const duration = parseDuration(value) ?? sumOfUnits(value);
  if (duration === undefined) {
    return {
      error: `${JSON.stringify(value)} is neither a duration (10s, 2d, 1w) nor a time (2026-01-02, 2026-01-02T150405Z)`,
    };
  }
  const created = Date.parse(creationTimestamp);
  if (Number.isNaN(created))
    return {error: `the object has no creation time to count from: ${JSON.stringify(creationTimestamp)}`};
  return {deleteAt: created + Number(duration / nanosecondsPerMillisecond)};
}

function parseMoment(value: string): number | undefined {
  const match = absolute.exec(value);
  if (match === null) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(1).map(text => Number(text ?? 0));
  const time = Date.UTC(year!, month! - 1, day, hour, minute, second);
  // Dates that roll over (February 30th) are typing errors.
  const same = new Date(time);
  const valid =
    same.getUTCMonth() === month! - 1 && same.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return valid ? time : undefined;
}

/** Nanoseconds of `<int><unit>…`, with units that Go's durations lack. */
function sumOfUnits(value: string): bigint | undefined {
  if (!wholeDuration.test(value)) return undefined;
  let total = 0n;
  for (const [, digits = '', unit = ''] of value.matchAll(part)) {
    const size = units.get(unit) ?? units.get(unit.toLowerCase());
    if (size === undefined) return undefined;
    total += BigInt(digits) * size;
    if (total >= limit) return undefined;
  }
  return total;
}
