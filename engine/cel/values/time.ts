import {formatTime} from '../../time/format-time.js';
import {daysFromCivil, daysIn} from '../../time/instant.js';
import {rfc3339} from '../../time/layout.js';
import {parseDuration} from '../../values/duration.js';
import {CelError} from '../errors.js';
import {Duration, Timestamp} from './value.js';

const perSecond = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z in seconds. */
const minSeconds = -62_135_596_800n;
const maxSeconds = 253_402_300_799n;
const maxDurationSeconds = 315_576_000_000n;
const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** Throws `timestamp overflow` outside the years 1 to 9999. */
export function timestampOf(nanos: bigint): Timestamp {
  if (nanos < minSeconds * perSecond || nanos >= (maxSeconds + 1n) * perSecond)
    throw new CelError('timestamp overflow');
  return new Timestamp(nanos);
}

/** Throws `duration overflow` beyond 64 bits of nanoseconds (292 years), as Go's durations do. */
export function durationOf(nanos: bigint): Duration {
  const limit = maxDurationSeconds * perSecond;
  if (nanos > int64Max || nanos < int64Min || nanos > limit || nanos < -limit) throw new CelError('duration overflow');
  return new Duration(nanos);
}

const shape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const maxTimeLength = 100;

/** An RFC 3339 time with offset, as Go reads it. */
export function parseTimestamp(text: string): Timestamp {
  const match = text.length <= maxTimeLength ? shape.exec(text) : null;
  const nanos = match === null ? undefined : nanosOf(match);
  if (nanos !== undefined) return timestampOf(nanos);
  const shown = text.length <= maxTimeLength ? text : `${text.slice(0, maxTimeLength)}…`;
  throw new CelError(`invalid RFC 3339 timestamp ${JSON.stringify(shown)}`);
}

/** `undefined` when a part is out of its range. */
function nanosOf(match: RegExpExecArray): bigint | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [, , , , , , , fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = match;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || Number(zoneHours) > 24 || Number(zoneMinutes) > 59) return undefined;
  const offset = (Number(zoneHours) * 3600 + Number(zoneMinutes) * 60) * (sign === '-' ? -1 : 1);
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  return BigInt(seconds) * perSecond + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/** `2024-01-01T00:00:00.5Z`. */
export function timestampText(timestamp: Timestamp): string {
  const fraction = ((timestamp.nanos % perSecond) + perSecond) % perSecond;
  const head = formatTime({nanoseconds: timestamp.nanos - fraction, offset: 0, zone: 'UTC'}, rfc3339);
  if (fraction === 0n) return head;
  return `${head.slice(0, -1)}.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}Z`;
}

/** A duration as Go reads it: `1h30m`, `1.5s`, no days. */
export function parseDurationText(text: string): Duration {
  const nanos = parseDuration(text);
  if (nanos === undefined) throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
  return durationOf(nanos);
}

/** Seconds, as `string(duration)` has it: `5400s`, `-1.5s`. */
export function durationText(duration: Duration): string {
  const size = duration.nanos < 0n ? -duration.nanos : duration.nanos;
  const fraction = (size % perSecond).toString().padStart(9, '0').replace(/0+$/, '');
  return `${duration.nanos < 0n ? '-' : ''}${size / perSecond}${fraction === '' ? '' : `.${fraction}`}s`;
}
