import {describe, expect, it} from 'vitest';
import {formatTime} from './format-time.js';
import {
  addDuration,
  civilOf,
  durationBetween,
  instantFromMillis,
  instantFromSeconds,
  inUtc,
  truncateTo,
} from './instant.js';
import {rfc3339, splitLayout} from './layout.js';
import {parseTime} from './parse-time.js';

function parsed(text: string, layout: string): string {
  const result = parseTime(text, layout);
  return 'error' in result ? result.error : formatTime(result.instant, '2006-01-02T15:04:05.999999999Z07:00:00');
}

describe('a time is formatted by its layout', () => {
  // Monday 6 May 2024, 07:08:09.012345 at +05:30.
  const instant = {nanoseconds: 1_714_959_489_012_345_000n, offset: 19_800, zone: 'IST'};
  it.each([
    [rfc3339, '2024-05-06T07:08:09+05:30'],
    ['Monday, 02-Jan-06 15:04:05 MST', 'Monday, 06-May-24 07:08:09 IST'],
    ['Mon Jan _2 15:04:05 2006', 'Mon May  6 07:08:09 2024'],
    ['January 2, 2006 at 3:04pm (MST)', 'May 6, 2024 at 7:08am (IST)'],
    ['1/2/06 03:4:5 PM', '5/6/24 07:8:9 AM'],
    ['002 __2 _2006', '127 127 _2024'],
    ['15:04:05.000', '07:08:09.012'],
    ['15:04:05,000000000', '07:08:09,012345000'],
    ['15:04:05.999999999', '07:08:09.012345'],
    ['.9 .00', ' .01'],
    ['-0700 -07:00 -07 -070000 -07:00:00', '+0530 +05:30 +05 +053000 +05:30:00'],
    ['Z0700 Z07:00 Z07 Z070000 Z07:00:00', '+0530 +05:30 +05 +053000 +05:30:00'],
    ['Janet and Monster', 'Janet and Monster'],
    ['no elements', 'no elements'],
  ])('%s', (layout, want) => {
    expect(formatTime(instant, layout)).toBe(want);
  });

  it('prints Z for UTC and an offset for a zone without a name', () => {
    const utc = inUtc(instant);
    expect(formatTime(utc, `${rfc3339} MST`)).toBe('2024-05-06T01:38:09Z UTC');
    expect(formatTime({...utc, offset: -12_600, zone: ''}, 'Z07:00 MST')).toBe('-03:30 -0330');
    expect(formatTime({...utc, offset: 3600, zone: ''}, 'MST')).toBe('+01');
  });

  it('prints midnight and noon on twelve-hour clocks', () => {
    expect(formatTime(instantFromSeconds(0n), '3:04PM')).toBe('12:00AM');
    expect(formatTime(instantFromSeconds(43_200n), '3:04PM')).toBe('12:00PM');
  });
});

describe('a time is parsed by its layout', () => {
  it.each([
    ['2021-01-02T15:04:05Z', rfc3339, '2021-01-02T15:04:05Z'],
    ['2021-01-02T15:04:05-07:00', rfc3339, '2021-01-02T15:04:05-07:00:00'],
    ['2021-01-02T15:04:05.25Z', rfc3339, '2021-01-02T15:04:05.25Z'],
    ['2021-01-02T15:04:05,123456789123Z', rfc3339, '2021-01-02T15:04:05.123456789Z'],
    ['Sat Jan  2 15:04:05 2021', 'Mon Jan _2 15:04:05 2006', '2021-01-02T15:04:05Z'],
    ['Sat Jan 12 15:04:05 UTC 2021', 'Mon Jan _2 15:04:05 MST 2006', '2021-01-12T15:04:05Z'],
    ['SATURDAY january 2 2021', 'Monday January 2 2006', '2021-01-02T00:00:00Z'],
    ['1/2/69', '1/2/06', '1969-01-02T00:00:00Z'],
    ['1/2/68', '1/2/06', '2068-01-02T00:00:00Z'],
    ['12:30AM', '3:04PM', '0000-01-01T00:30:00Z'],
    ['12:30PM', '3:04PM', '0000-01-01T12:30:00Z'],
    ['1:30pm', '3:04pm', '0000-01-01T13:30:00Z'],
    ['2024 060', '2006 002', '2024-02-29T00:00:00Z'],
    ['2024  60', '2006 __2', '2024-02-29T00:00:00Z'],
    ['10:11:12.345', '15:04:05.000', '0000-01-01T10:11:12.345Z'],
    ['10:11:12', '15:04:05.999', '0000-01-01T10:11:12Z'],
    ['10:00 GMT+3', '15:04 MST', '0000-01-01T10:00:00+03:00:00'],
    ['10:00 CEST', '15:04 MST', '0000-01-01T10:00:00Z'],
    ['10:00 +013015', '15:04 -070000', '0000-01-01T10:00:00+01:30:15'],
    ['10:00 +01', '15:04 Z07', '0000-01-01T10:00:00+01:00:00'],
    ['2000-02-29', '2006-01-02', '2000-02-29T00:00:00Z'],
    ['5:06', '15:04', '0000-01-01T05:06:00Z'],
  ])('%j as %s', (text, layout, want) => {
    expect(parsed(text, layout)).toBe(want);
  });

  it.each([
    ['', rfc3339, 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    ['2021-13-02T15:04:05Z', rfc3339, 'parsing time "2021-13-02T15:04:05Z": month out of range'],
    ['2021-00-02T15:04:05Z', rfc3339, 'parsing time "2021-00-02T15:04:05Z": month out of range'],
    ['2021-02-29T15:04:05Z', rfc3339, 'parsing time "2021-02-29T15:04:05Z": day out of range'],
    ['1900-02-29', '2006-01-02', 'parsing time "1900-02-29": day out of range'],
    ['2021-01-00', '2006-01-02', 'parsing time "2021-01-00": day out of range'],
    ['2021-01-02T24:04:05Z', rfc3339, 'parsing time "2021-01-02T24:04:05Z": hour out of range'],
    ['2021-01-02T23:60:05Z', rfc3339, 'parsing time "2021-01-02T23:60:05Z": minute out of range'],
    ['2021-01-02T23:59:60Z', rfc3339, 'parsing time "2021-01-02T23:59:60Z": second out of range'],
    ['13:00PM', '3:04PM', 'parsing time "13:00PM": hour out of range'],
    ['2021-01-02T15:04:05Z!', rfc3339, 'parsing time "2021-01-02T15:04:05Z!": extra text: "!"'],
    ['2021-01-02 15:04:05Z', rfc3339, 'cannot parse " 15:04:05Z" as "T"'],
    ['Foo 2', 'Jan 2', 'cannot parse "Foo 2" as "Jan"'],
    ['10:00 xx', '15:04 PM', 'cannot parse "xx" as "PM"'],
    ['10:00 lower', '15:04 MST', 'cannot parse "lower" as "MST"'],
    ['10:00 +25:00', '15:04 -07:00', 'time zone offset hour out of range'],
    ['10:11:12.34', '15:04:05.000', 'cannot parse ".34" as ".000"'],
    ['2024 366 13', '2006 002 01', 'month out of range'],
    ['2023 366', '2006 002', 'day out of range'],
    ['2024 060 01', '2006 002 01', 'day out of range'],
  ])('%j is no time as %s', (text, layout, want) => {
    expect(parsed(text, layout)).toContain(want);
  });
});

describe('instants', () => {
  it.each([
    '0001-01-01T00:00:00Z',
    '1600-02-29T12:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '2000-03-01T00:00:00Z',
    '2100-02-28T23:59:59Z',
    '9999-12-31T23:59:59Z',
  ])('%s comes back as it went', text => {
    expect(parsed(text, rfc3339)).toBe(text);
  });

  it('agree with the calendar of the platform', () => {
    for (let day = -300_000; day < 300_000; day += 997) {
      const date = new Date(day * 86_400_000 + 12_345_000);
      const civil = civilOf(instantFromMillis(date.getTime()));
      expect([civil.year, civil.month, civil.day, civil.weekday, civil.hour]).toEqual([
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCDay(),
        date.getUTCHours(),
      ]);
    }
  });

  it('move, differ and truncate in nanoseconds', () => {
    const start = instantFromSeconds(-1n);
    expect(addDuration(start, 1_500_000_000n).nanoseconds).toBe(500_000_000n);
    expect(durationBetween(start, instantFromSeconds(1n))).toBe(2_000_000_000n);
    expect(durationBetween(instantFromSeconds(0n), instantFromSeconds(100_000_000_000n))).toBe(2n ** 63n - 1n);
    expect(durationBetween(instantFromSeconds(100_000_000_000n), instantFromSeconds(0n))).toBe(-(2n ** 63n));
    expect(truncateTo(start, 60_000_000_000n).nanoseconds).toBe(-60_000_000_000n);
    expect(truncateTo(start, -5n)).toBe(start);
  });
});

describe('a layout', () => {
  it('is split into what it says', () => {
    expect(splitLayout('2006-Jan-_2.000x').map(element => element.text)).toEqual([
      '2006',
      '-',
      'Jan',
      '-',
      '_2',
      '.000',
      'x',
    ]);
    expect(splitLayout('15.0001')).toEqual([
      {kind: 'field', text: '15'},
      {kind: 'text', text: '.00'},
      {kind: 'field', text: '01'},
    ]);
  });
});
