import {describe, expect, it} from 'vitest';
import {formatDuration, parseDuration} from './duration.js';

const second = 1_000_000_000n;

const parsed: ReadonlyArray<readonly [string, bigint]> = [
  ['0', 0n],
  ['+0', 0n],
  ['-0', 0n],
  ['0s', 0n],
  ['5s', 5n * second],
  ['+5s', 5n * second],
  ['-5s', -5n * second],
  ['1h30m', 5400n * second],
  ['1h30m0s', 5400n * second],
  ['90s', 90n * second],
  ['1.5s', 1_500_000_000n],
  ['.5s', 500_000_000n],
  ['5.s', 5n * second],
  ['1ns', 1n],
  ['1us', 1_000n],
  ['1\u00b5s', 1_000n],
  ['1\u03bcs', 1_000n],
  ['1ms', 1_000_000n],
  ['3h2m1s1ms', 10_921_001_000_000n],
  ['0.3333333333333333333h', 1_200_000_000_000n],
  ['0.100000000000000000000h', 360n * second],
  ['9223372036854775807ns', 2n ** 63n - 1n],
  ['-9223372036854775808ns', -(2n ** 63n)],
  ['2562047h47m16.854775807s', 2n ** 63n - 1n],
];

describe('durations', () => {
  it.each(parsed)('%s is %d ns', (text, want) => {
    expect(parseDuration(text)).toBe(want);
  });

  it.each([
    '',
    '3',
    '-',
    's',
    '.',
    '-.',
    '.s',
    '+.s',
    '1d',
    '1w',
    '1 h',
    ' 1h',
    '1h ',
    '1H',
    '1hs',
    '1m2',
    '--1s',
    '1e3s',
    '3000000h',
    '9223372036854775808ns',
    '9223372036854775.808us',
    '-9223372036854775809ns',
    '1x2m',
    `${'1h'.repeat(200)}`,
  ])('%j is no duration', text => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1\u00b5s'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [5400n * second, '1h30m0s'],
    [245n * second, '4m5s'],
    [245n * second + 1_000_000n, '4m5.001s'],
    [3600n * second, '1h0m0s'],
    [-1_500_000_000n, '-1.5s'],
    [2n ** 63n - 1n, '2562047h47m16.854775807s'],
    [-(2n ** 63n), '-2562047h47m16.854775808s'],
  ] as const)('%d ns prints as %s', (nanoseconds, want) => {
    expect(formatDuration(nanoseconds)).toBe(want);
    expect(parseDuration(want)).toBe(nanoseconds);
  });
});
