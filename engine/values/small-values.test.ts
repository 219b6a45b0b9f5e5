import {describe, expect, it} from 'vitest';
import {Float, type Json, type JsonNumber} from '../json/types.js';
import {goText} from './go-text.js';
import {parseFloatText, parseInt64} from './number-parse.js';
import {numberText} from './number-text.js';
import {parseRange} from './range.js';
import {compareSemver, parseSemver} from './semver-compare.js';

describe('numbers as text', () => {
  it.each<[JsonNumber, string]>([
    [0, '0'],
    [-0, '0'],
    [80, '80'],
    [1_000_000, '1000000'],
    [1_048_576, '1048576'],
    [0.5, '0.5'],
    [1e-7, '0.0000001'],
    [-1.5e-8, '-0.000000015'],
    [new Float(80), '80'],
    [new Float(1e21), '1000000000000000000000'],
    [new Float(-1.25e22), '-12500000000000000000000'],
    [2n ** 63n, '9223372036854775808'],
  ])('%s is %s', (value, want) => {
    expect(numberText(value)).toBe(want);
  });

  it.each<[string, bigint | undefined]>([
    ['1', 1n],
    ['+1', 1n],
    ['-1', -1n],
    ['007', 7n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9223372036854775808', undefined],
    ['1.0', undefined],
    ['1_0', undefined],
    ['', undefined],
    [' 1', undefined],
  ])('%j as a 64-bit integer is %s', (text, want) => {
    expect(parseInt64(text)).toBe(want);
  });

  it.each<[string, number | undefined]>([
    ['1', 1],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1e400', undefined],
    ['inf', undefined],
    ['nan', undefined],
    ['0x1p4', undefined],
    ['', undefined],
    ['1 ', undefined],
  ])('%j as a double is %s', (text, want) => {
    expect(parseFloatText(text)).toBe(want);
  });
});

describe('values as text', () => {
  it.each<[Json | undefined, string]>([
    [undefined, '<nil>'],
    [null, '<nil>'],
    [true, 'true'],
    ['a', 'a'],
    [1.5, '1.5'],
    [[], '[]'],
    [['a', 1, null], '[a 1 <nil>]'],
    [{b: 1, a: ['x']}, 'map[a:[x] b:1]'],
  ])('%j is %s', (value, want) => {
    expect(goText(value)).toBe(want);
  });

  it('ends early where a limit is given', () => {
    expect(goText('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}…`);
    expect(
      goText(
        Array.from({length: 10_000}, () => 'abc'),
        20,
      ).length,
    ).toBeLessThan(40);
  });

  it('ends in deep values', () => {
    let value: Json = 1;
    for (let depth = 0; depth < 5000; depth++) value = [value];
    expect(goText(value)).toContain('…');
  });
});

describe('ranges', () => {
  it.each<[string, ReturnType<typeof parseRange>]>([
    ['1-10', {inside: true, low: '1', high: '10'}],
    ['256Mi-1Gi', {inside: true, low: '256Mi', high: '1Gi'}],
    ['-10--8', {inside: true, low: '-10', high: '-8'}],
    ['+1-+5', {inside: true, low: '+1', high: '+5'}],
    ['10s-2m', {inside: true, low: '10s', high: '2m'}],
    ['0.5-1.5', {inside: true, low: '0.5', high: '1.5'}],
    ['1!-10', {inside: false, low: '1', high: '10'}],
    ['-5!--1', {inside: false, low: '-5', high: '-1'}],
    ['2024-01', {inside: true, low: '2024', high: '01'}],
    ['2024-01-01', undefined],
    ['a-b', undefined],
    ['1-', undefined],
    ['-10', undefined],
    ['1 - 10', undefined],
    ['nginx-1', undefined],
    ['1h30m-2h', undefined],
  ])('%j', (text, want) => {
    expect(parseRange(text)).toEqual(want);
  });
});

describe('strict semantic versions', () => {
  it.each([
    ['1.2.9', '1.2.10'],
    ['1.0.0-alpha', '1.0.0'],
    ['1.0.0-alpha', '1.0.0-alpha.1'],
    ['1.0.0-alpha.1', '1.0.0-alpha.beta'],
    ['1.0.0-2', '1.0.0-11'],
    ['1.0.0-11', '1.0.0-a'],
    ['1.0.0-rc.1', '1.0.0'],
    ['99999999999999999999.0.0', '99999999999999999999.0.1'],
  ])('%s comes before %s', (low, high) => {
    const [a, b] = [parseSemver(low), parseSemver(high)];
    if (!a || !b) throw new Error('no version');
    expect(compareSemver(a, b)).toBe(-1);
    expect(compareSemver(b, a)).toBe(1);
    expect(compareSemver(a, a)).toBe(0);
  });

  it('build metadata takes no part in the order', () => {
    const [a, b] = [parseSemver('1.0.0+a'), parseSemver('1.0.0+b')];
    expect(a && b && compareSemver(a, b)).toBe(0);
  });

  it.each(['v1.2.3', '1.2', '1.2.3.4', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3+', ''])('%j is none', text => {
    expect(parseSemver(text)).toBeUndefined();
  });
});
