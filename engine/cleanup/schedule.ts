import {parseDuration} from '../values/duration.js';
import {type CronFields, parseCronFields} from './cron-fields.js';
import {findZone, utc, type Zone} from './zone.js';

/** When something is to run again and again. */
export interface Schedule {
  readonly text: string;
  /** The first time after an instant (both milliseconds since the epoch); `undefined` when none comes within nine years. */
  next(after: number): number | undefined;
}

export type ParsedSchedule = {readonly schedule: Schedule} | {readonly error: string};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Two leap years lie up to eight years apart. */
const horizon = 9 * 366 * day;
const longest = 512;

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * A schedule as CronJobs have it: five fields, `@daily` and its like, `@every <duration>`; before any of these,
 * `TZ=<zone> ` or `CRON_TZ=<zone> `. Without a zone the fields are in UTC.
 */
export function parseSchedule(text: string): ParsedSchedule {
  if (text.length > longest) return {error: `longer than ${longest} characters`};
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/s.exec(text.trim());
  const zone = zoned === null ? utc : findZone(zoned[1]!);
  if (zone === undefined) return {error: `unknown time zone ${JSON.stringify(zoned?.[1] ?? '')}`};
  const spec = (zoned === null ? text : zoned[2]!).trim();
  if (spec.startsWith('@every ')) return parseEvery(text, spec.slice('@every '.length).trim());
  const fields = spec.startsWith('@') ? macros.get(spec) : spec;
  if (fields === undefined) return {error: `unknown descriptor ${JSON.stringify(spec)}`};
  const parsed = parseCronFields(fields);
  if ('error' in parsed) return parsed;
  const schedule: Schedule = {text, next: after => nextTime(parsed.fields, zone, after)};
  // Days that no month has.
  if (schedule.next(0) === undefined) return {error: 'no such day exists'};
  return {schedule};
}

function parseEvery(text: string, duration: string): ParsedSchedule {
  const nanoseconds = parseDuration(duration);
  if (nanoseconds === undefined) return {error: `@every: ${JSON.stringify(duration)} is no duration`};
  const seconds = Number(nanoseconds / 1_000_000_000n);
  if (seconds < 1) return {error: '@every: at least one second is required'};
  return {schedule: {text, next: after => Math.floor(after / second) * second + seconds * second}};
}

/** Walks in whole months, days, hours while a field does not fit, so that years cost a few hundred steps. */
function nextTime(fields: CronFields, zone: Zone, after: number): number | undefined {
  let at = (Math.floor(after / minute) + 1) * minute;
  const end = after + horizon;
  while (at <= end) {
    const wall = at + zone.offsetAt(at);
    const date = new Date(wall);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      at = atWall(zone, at, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
    } else if (!isDay(fields, date)) {
      at = atWall(zone, at, (Math.floor(wall / day) + 1) * day);
    } else {
      const shown = date.getUTCMinutes();
      const wanted = fields.hours.has(date.getUTCHours()) ? nextMinute(fields, shown) : 60;
      if (wanted === shown) return at;
      at += (wanted - shown) * minute;
    }
  }
  return undefined;
}

/** The first wanted minute at or after `from`; 60 when the hour has no more. */
function nextMinute(fields: CronFields, from: number): number {
  for (let value = from; value < 60; value += 1) if (fields.minutes.has(value)) return value;
  return 60;
}

function isDay(fields: CronFields, date: Date): boolean {
  const ofMonth = fields.days.has(date.getUTCDate());
  const ofWeek = fields.weekdays.has(date.getUTCDay());
  return fields.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** The instant at which the wall clock shows `wall`, always later than `from`: the zone's offset may change in between. */
function atWall(zone: Zone, from: number, wall: number): number {
  const guess = wall - zone.offsetAt(from);
  const better = wall - zone.offsetAt(guess);
  if (better > from && better + zone.offsetAt(better) === wall) return better;
  return Math.max(guess, from + minute);
}
