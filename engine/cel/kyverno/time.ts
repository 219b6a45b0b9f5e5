import {civilOf, truncateTo} from '../../time/instant.js';
import type {CelHost, Library} from '../library/library.js';
import {durationType, stringType, timestampType} from '../types/type.js';
import {timestampOf} from '../values/index.js';
import type {Duration, Timestamp} from '../values/value.js';
import {declare} from './declare.js';

const inUtc = ({nanos}: Timestamp) => ({nanoseconds: nanos, offset: 0, zone: 'UTC'});

/** The clock of the host, and schedules made of it; all in UTC. */
export const timeLibrary: Library = {
  name: 'kyverno.time',
  functions: [
    ...declare(
      'time',
      ['time.now'],
      [
        {
          id: 'timestamp',
          receiver: false,
          params: [],
          result: timestampType,
          host: true,
          call: (host: CelHost) => timestampOf(BigInt(Math.floor(host.loader.now() * 1000)) * 1000n),
        },
      ],
    ),
    ...declare(
      'time',
      ['time.truncate'],
      [
        {
          id: 'timestamp_duration',
          receiver: false,
          params: [timestampType, durationType],
          result: timestampType,
          call: (time: Timestamp, duration: Duration) =>
            timestampOf(truncateTo(inUtc(time), duration.nanos).nanoseconds),
        },
      ],
    ),
    ...declare(
      'time',
      ['time.toCron'],
      [
        {
          id: 'timestamp',
          receiver: false,
          params: [timestampType],
          result: stringType,
          call(time: Timestamp) {
            const {minute, hour, day, month, weekday} = civilOf(inUtc(time));
            return `${minute} ${hour} ${day} ${month} ${weekday}`;
          },
        },
      ],
    ),
  ],
};
