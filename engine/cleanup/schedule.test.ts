import {describe, expect, it} from 'vitest';
import {parseSchedule} from './schedule.js';

function next(text: string, after: string): string {
  const parsed = parseSchedule(text);
  if ('error' in parsed) return parsed.error;
  const time = parsed.schedule.next(Date.parse(after));
  return time === undefined ? 'never' : new Date(time).toISOString().replace('.000Z', 'Z');
}

describe('the next time of a schedule', () => {
  const cases: readonly [string, string, string][] = [
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z'],
    ['*/5 * * * *', '2026-01-01T00:05:00Z', '2026-01-01T00:10:00Z'],
    ['7/20 * * * *', '2026-01-01T00:30:00Z', '2026-01-01T00:47:00Z'],
    ['0 7 * * *', '2026-01-01T08:00:00Z', '2026-01-02T07:00:00Z'],
    ['15,45 9-17 * * 1-5', '2026-01-02T17:50:00Z', '2026-01-05T09:15:00Z'],
    ['0 0 1 jan *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00Z'],
    ['0 0 * * sun', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['0 0 ? * ?', '2026-01-01T12:00:00Z', '2026-01-02T00:00:00Z'],
    // Two day fields: one is enough.
    ['0 0 13 * 5', '2026-01-01T12:00:00Z', '2026-01-02T00:00:00Z'],
    ['0 0 13 * 5', '2026-01-09T12:00:00Z', '2026-01-13T00:00:00Z'],
    ['@hourly', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ['@daily', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['@midnight', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['@monthly', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['@every 1h30m', '2026-01-01T00:00:00.250Z', '2026-01-01T01:30:00Z'],
    ['TZ=Asia/Tokyo 0 9 * * *', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['CRON_TZ=America/New_York 30 12 * * *', '2026-01-01T00:00:00Z', '2026-01-01T17:30:00Z'],
    ['TZ=America/New_York @daily', '2026-01-01T00:00:00Z', '2026-01-01T05:00:00Z'],
    // Clocks go forward at 02:00 on March 8th: the hour between does not exist that day.
    ['TZ=America/New_York 30 2 * * *', '2026-03-08T05:00:00Z', '2026-03-09T06:30:00Z'],
    ['TZ=America/New_York 0 0 9 3 *', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
    ['TZ=America/New_York 0 0 2 11 *', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
    ['TZ=America/New_York 0 0 1 12 *', '2026-06-01T00:00:00Z', '2026-12-01T05:00:00Z'],
    ['TZ=Asia/Kolkata 0 0 * * *', '2026-01-01T00:00:00Z', '2026-01-01T18:30:00Z'],
  ];
  for (const [text, after, wanted] of cases) it(`${text} after ${after}`, () => expect(next(text, after)).toBe(wanted));

  it('never repeats or goes back, whatever the zone does', () => {
    for (const zone of [
      'America/New_York',
      'Europe/London',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
      'Asia/Beirut',
    ]) {
      const parsed = parseSchedule(`TZ=${zone} 0 */6 * * *`);
      if ('error' in parsed) throw new Error(parsed.error);
      let at = Date.UTC(2026, 2, 1);
      for (let turn = 0; turn < 120; turn += 1) {
        const following = parsed.schedule.next(at)!;
        expect(following).toBeGreaterThan(at);
        expect(following - at).toBeLessThanOrEqual(13 * 3_600_000);
        at = following;
      }
    }
  });

  const bad = [
    '',
    'invalid-schedule',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '0 7 * */ *',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '1/2/3 * * * *',
    'a * * * *',
    '-1 * * * *',
    '* * L * *',
    '* * 15W * *',
    '* * * * 5#2',
    '0 0 30 2 *',
    '@often',
    '@every',
    '@every soon',
    '@every 10ms',
    '@every -1h',
    'TZ=Nowhere/Land * * * * *',
    'TZ=UTC',
  ];
  for (const text of bad)
    it(`refuses ${JSON.stringify(text)}`, () => expect(parseSchedule(text)).toHaveProperty('error'));
});
