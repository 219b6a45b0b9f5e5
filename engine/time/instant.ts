/** A point in time with the offset it is shown in, as Go's `time.Time` prints it. */
export interface Instant {
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly nanoseconds: bigint;
  /** Seconds east of UTC. */
  readonly offset: number;
  /** Abbreviation for the layout element `MST`; empty when only the offset is known. */
  readonly zone: string;
}

/** Calendar fields of an instant at its own offset. */
export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 1 to 366. */
  readonly yearDay: number;
}

export const second = 1_000_000_000n;
const secondsPerDay = 86_400;
/** Days from 0001-01-01 to 1970-01-01, from which truncation counts. */
const daysToEpoch = 719_162;
const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

export function instantFromMillis(milliseconds: number): Instant {
  return {nanoseconds: BigInt(Math.floor(milliseconds)) * 1_000_000n, offset: 0, zone: 'UTC'};
}

export function instantFromSeconds(seconds: bigint): Instant {
  return {nanoseconds: seconds * second, offset: 0, zone: 'UTC'};
}

export function inUtc(instant: Instant): Instant {
  return {nanoseconds: instant.nanoseconds, offset: 0, zone: 'UTC'};
}

export function addDuration(instant: Instant, duration: bigint): Instant {
  return {...instant, nanoseconds: instant.nanoseconds + duration};
}

/** `later - earlier`, held within 64 bits of nanoseconds (about 292 years) as Go does. */
export function durationBetween(earlier: Instant, later: Instant): bigint {
  const difference = later.nanoseconds - earlier.nanoseconds;
  if (difference > int64Max) return int64Max;
  return difference < int64Min ? int64Min : difference;
}

/** Rounds down to a multiple of `duration` since the year 1 in UTC; the offset stays. Not positive: unchanged. */
export function truncateTo(instant: Instant, duration: bigint): Instant {
  if (duration <= 0n) return instant;
  const sinceZero = instant.nanoseconds + BigInt(daysToEpoch * secondsPerDay) * second;
  const rest = ((sinceZero % duration) + duration) % duration;
  return {...instant, nanoseconds: instant.nanoseconds - rest};
}

/** Days from 1970-01-01 of a date in the proleptic Gregorian calendar. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): {year: number; month: number; day: number} {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const march = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  return {year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

export function civilOf(instant: Instant): Civil {
  const local = instant.nanoseconds + BigInt(instant.offset) * second;
  const nanosecond = Number(((local % second) + second) % second);
  const seconds = Number((local - BigInt(nanosecond)) / second);
  const days = Math.floor(seconds / secondsPerDay);
  const ofDay = seconds - days * secondsPerDay;
  const {year, month, day} = civilFromDays(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor((ofDay % 3600) / 60),
    second: ofDay % 60,
    nanosecond,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysFromCivil(year, 1, 1) + 1,
  };
}

export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
