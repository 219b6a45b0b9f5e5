import {describe, expect, it} from 'vitest';
import {parseTtl} from './ttl.js';

const created = '2026-01-01T00:00:00Z';
const later = (milliseconds: number) => Date.parse(created) + milliseconds;
const day = 86_400_000;

describe('the end of life in a label', () => {
  const good: readonly [string, number][] = [
    ['10s', later(10_000)],
    ['1h30m', later(5_400_000)],
    ['1.5h', later(5_400_000)],
    ['0', later(0)],
    ['2d', later(2 * day)],
    ['1w', later(7 * day)],
    ['1w2d', later(9 * day)],
    ['10days', later(10 * day)],
    ['3weeks1hour', later(21 * day + 3_600_000)],
    ['5Minutes', later(300_000)],
    ['500ms', later(500)],
    ['2026-02-03', Date.UTC(2026, 1, 3)],
    ['2026-02-03T040506Z', Date.UTC(2026, 1, 3, 4, 5, 6)],
  ];
  for (const [value, wanted] of good)
    it(`reads ${value}`, () => expect(parseTtl(value, created)).toEqual({deleteAt: wanted}));

  const bad = [
    '',
    '10',
    '10ay',
    'ten',
    '1d and more',
    'x1d',
    '1dx',
    '1.5d',
    '2026-02-30',
    '2026-13-01',
    '2026-02-03T250000Z',
    `${'9'.repeat(62)}w`,
    '__proto__',
  ];
  for (const value of bad)
    it(`refuses ${JSON.stringify(value.slice(0, 30))}`, () => expect(parseTtl(value, created)).toHaveProperty('error'));

  it('needs a creation time for a duration only', () => {
    expect(parseTtl('1h', '')).toHaveProperty('error');
    expect(parseTtl('2026-02-03', '')).toHaveProperty('deleteAt');
  });

  it('answers very long texts at once', () =>
    expect(parseTtl('1d'.repeat(1_000_000), created)).toHaveProperty('error'));
});
