import {type Civil, civilOf} from '../../time/instant.js';
import {CelError} from '../errors.js';
import {fn, method} from '../library/declare.js';
import type {FunctionDeclaration} from '../library/library.js';
import {durationType, intType, stringType, timestampType} from '../types/type.js';
import {intOf} from '../values/index.js';
import type {Duration, Timestamp, Value} from '../values/value.js';
import {zoneOffset} from './zone.js';

const fields: ReadonlyArray<readonly [name: string, id: string, read: (civil: Civil) => number]> = [
  ['getFullYear', 'timestamp_to_year', civil => civil.year],
  ['getMonth', 'timestamp_to_month', civil => civil.month - 1],
  ['getDayOfYear', 'timestamp_to_day_of_year', civil => civil.yearDay - 1],
  ['getDayOfMonth', 'timestamp_to_day_of_month', civil => civil.day - 1],
  ['getDate', 'timestamp_to_day_of_month_1_based', civil => civil.day],
  ['getDayOfWeek', 'timestamp_to_day_of_week', civil => civil.weekday],
  ['getHours', 'timestamp_to_hours', civil => civil.hour],
  ['getMinutes', 'timestamp_to_minutes', civil => civil.minute],
  ['getSeconds', 'timestamp_to_seconds', civil => civil.second],
  ['getMilliseconds', 'timestamp_to_milliseconds', civil => Math.floor(civil.nanosecond / 1_000_000)],
];

/** Whole units in a duration, towards zero. */
const units: ReadonlyMap<string, readonly [id: string, nanos: bigint]> = new Map([
  ['getHours', ['duration_to_hours', 3_600_000_000_000n]],
  ['getMinutes', ['duration_to_minutes', 60_000_000_000n]],
  ['getSeconds', ['duration_to_seconds', 1_000_000_000n]],
  ['getMilliseconds', ['duration_to_milliseconds', 1_000_000n]],
]);

/** Units of looking up a zone's offset, which takes as long as about that many plain steps. */
const zoneCost = 50;

function civilAt(timestamp: Timestamp, offset: number): Civil {
  return civilOf({nanoseconds: timestamp.nanos, offset, zone: ''});
}

function offsetAt(timestamp: Timestamp, zone: string): number {
  const offset = zoneOffset(zone, timestamp.nanos);
  if (offset === undefined) throw new CelError(`unknown time zone ${zone}`);
  return offset;
}

/** Parts of timestamps, in UTC or a named zone, and of durations. */
export const calendar: readonly FunctionDeclaration[] = fields.map(([name, id, read]) => {
  const zoned = name === 'getSeconds' ? `${id}_tz` : `${id}_with_tz`;
  const unit = units.get(name);
  return fn(
    name,
    method(id, [[timestampType], intType], (time: Timestamp): Value => read(civilAt(time, 0))),
    method(
      zoned,
      [[timestampType, stringType], intType],
      (time: Timestamp, zone: string): Value => read(civilAt(time, offsetAt(time, zone))),
      () => zoneCost,
    ),
    ...(unit
      ? [method(unit[0], [[durationType], intType], (duration: Duration): Value => intOf(duration.nanos / unit[1]))]
      : []),
  );
});
