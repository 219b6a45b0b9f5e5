import {describe, expect, it} from 'vitest';
import {fault, query} from '../testing/run.js';

const t = '2021-01-02T15:04:05-07:00';

describe('time functions', () => {
  it.each([
    [`time_since('', '${t}', '2021-01-10T03:14:05-07:00')`, '180h10m0s'],
    [
      "time_since('Mon Jan _2 15:04:05 MST 2006', 'Mon Jan 02 15:04:05 MST 2021', 'Mon Jan 10 03:14:16 MST 2021')",
      '180h10m11s',
    ],
    [`time_since('', '${t}', '${t}')`, '0s'],
    ["time_since('', '2023-11-14T22:13:19Z', '')", '1s'],
    ['time_now()', '2023-11-14T22:13:20Z'],
    ['time_now_utc()', '2023-11-14T22:13:20Z'],
    ["time_now('ignored')", '2023-11-14T22:13:20Z'],
    [`time_add('${t}', '3h')`, '2021-01-02T18:04:05-07:00'],
    [`time_add('${t}', '-1h')`, '2021-01-02T14:04:05-07:00'],
    [
      "time_add(time_parse('Mon Jan 02 15:04:05 -0700 2006', 'Sat Jan 02 15:04:05 -0700 2021'), '5h30m40s')",
      '2021-01-02T20:34:45-07:00',
    ],
    [`time_parse('2006-01-02T15:04:05Z07:00', '${t}')`, t],
    ["time_parse('1702691171', '1702691171')", '2023-12-16T01:46:11Z'],
    ["time_parse('2006-01-02', '2024-02-29')", '2024-02-29T00:00:00Z'],
    ["time_to_cron('2023-02-02T15:04:05Z')", '4 15 2 2 4'],
    ["time_to_cron(time_utc('2023-02-02T15:04:05-07:00'))", '4 22 2 2 4'],
    ["time_to_cron('2023-02-05T00:00:00Z')", '0 0 5 2 0'],
    ["time_to_cron('2024-05-06T07:08:09Z')", '8 7 6 5 1'],
    ["time_utc('2023-02-02T15:04:05Z')", '2023-02-02T15:04:05Z'],
    ["time_utc('2023-02-02T15:04:05-07:00')", '2023-02-02T22:04:05Z'],
    ["time_utc('2023-02-02T15:04:05+05:30')", '2023-02-02T09:34:05Z'],
    [`time_diff('${t}', '2021-01-10T03:14:05-07:00')`, '180h10m0s'],
    ["time_diff('2021-01-02T15:04:05Z', '2021-01-02T15:04:04Z')", '-1s'],
    ["time_truncate('2021-01-02T15:04:05Z', '1h')", '2021-01-02T15:00:00Z'],
    ["time_truncate('2021-01-02T15:04:05Z', '10m')", '2021-01-02T15:00:00Z'],
    [`time_truncate('${t}', '24h')`, '2021-01-01T17:00:00-07:00'],
    [`time_truncate('${t}', '0s')`, t],
  ])('%s is %s', (text, want) => {
    expect(query(text)).toBe(JSON.stringify(want));
  });

  it.each([
    ["time_before('2021-01-02T15:04:05Z', '2021-01-02T16:04:05Z')", 'true'],
    [`time_before('${t}', '${t}')`, 'false'],
    ["time_before('2021-01-02T15:04:05Z', '2021-01-02T15:04:05+01:00')", 'false'],
    ["time_after('2021-01-02T17:04:05Z', '2021-01-02T16:04:05Z')", 'true'],
    [`time_after('${t}', '${t}')`, 'false'],
    ["time_between('2021-01-02T15:04:05Z', '2021-01-01T00:00:00Z', '2021-01-03T00:00:00Z')", 'true'],
    ["time_between('2021-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '2021-01-03T00:00:00Z')", 'false'],
    ["time_between('2021-01-03T00:00:00Z', '2021-01-01T00:00:00Z', '2021-01-03T00:00:00Z')", 'false'],
  ])('%s is %s', (text, want) => {
    expect(query(text)).toBe(want);
  });

  it.each([
    ["time_utc('')", `'time_utc': parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"`],
    ["time_add('2021-01-02', '1h')", 'cannot parse "" as "T"'],
    ["time_add('2021-01-02T15:04:05Z', '1d')", `'time_add': time: invalid duration "1d"`],
    ["time_parse('2006-01-02', '2023-02-29')", 'day out of range'],
    ["time_parse('5', 'soon')", `'time_parse': parsing "soon": invalid epoch seconds`],
    ["time_parse('5', '999999999999999999')", 'epoch seconds out of range'],
    ["time_before(`1`, '2021-01-02T15:04:05Z')", 'Invalid type for: 1, expected: [string]'],
    ["time_since('', 'x', '')", `'time_since': parsing time "x"`],
  ])('%s is an error: %s', (text, want) => {
    expect(fault(text)).toContain(want);
  });
});
