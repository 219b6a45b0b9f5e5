import {formatTime} from '../../time/format-time.js';
import {rfc3339} from '../../time/layout.js';
import {parseTime} from '../../time/parse-time.js';
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

/** An RFC 3339 time with offset. */
export function parseTimestamp(text: string): Timestamp {
  const read = parseTime(text, rfc3339);
  if ('error' in read || !shape.test(text)) throw new CelError(`invalid RFC 3339 timestamp ${JSON.stringify(text)}`);
  return timestampOf(read.instant.nanoseconds);
}

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

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
