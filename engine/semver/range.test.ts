import {describe, expect, it} from 'vitest';
import {parseSemver} from '../values/semver-compare.js';
import {compileSemverRange, RangeSyntaxError} from './range.js';

describe('a semver range', () => {
  it.each([
    ['1.2.3', '1.2.3', '1.2.4'],
    ['=1.2.3', '1.2.3', '1.2.2'],
    ['==1.2.3', '1.2.3', '1.2.3-rc.1'],
    ['!1.2.3', '1.2.4', '1.2.3'],
    ['!=1.2.3', '1.2.2', '1.2.3'],
    ['>1.2.3', '1.2.4', '1.2.3'],
    ['>=1.2.3', '1.2.3', '1.2.3-alpha'],
    ['<1.2.3', '1.2.3-alpha', '1.2.3'],
    ['<=1.2.3', '1.2.3', '1.2.4-alpha'],
    ['>1.0.0 <2.0.0', '1.8.6', '2.0.0'],
    ['>1.0.0   <2.0.0', '1.8.6', '1.0.0'],
    ['> 1.0.0 < 2.0.0', '1.8.6', '1.0.0'],
    ['<2.0.0 || >=3.0.0', '3.1.0', '2.1.5'],
    ['>=1.0.0 <2.0.0 || 3.x', '3.9.9', '4.0.0'],
    ['3.x', '3.0.0', '2.9.9'],
    ['3.x.x', '3.9.9', '4.0.0'],
    ['3.1.x', '3.1.7', '3.2.0'],
    ['>3.1.x', '3.2.0', '3.1.9'],
    ['>=3.1.x', '3.1.0', '3.0.9'],
    ['<3.1.x', '3.0.9', '3.1.0'],
    ['<=3.1.x', '3.1.9', '3.2.0'],
    ['<=3.x', '3.9.9', '4.0.0'],
    ['!3.1.x', '3.2.0', '3.1.5'],
    ['>1.0.0-alpha.2', '1.0.0-alpha.10', '1.0.0-alpha.2'],
    ['1.0.0+build', '1.0.0', '1.0.1'],
  ])('%s takes %s and not %s', (range, inside, outside) => {
    const test = compileSemverRange(range);
    expect(test(parseSemver(inside)!)).toBe(true);
    expect(test(parseSemver(outside)!)).toBe(false);
  });

  it.each([
    '',
    ' ',
    '^1.2.0',
    '~1.2',
    '1.2',
    'v1.2.3',
    '*',
    'x',
    '1.x.3',
    '||',
    '1.0.0 ||',
    '|| 1.0.0',
    '>',
    '=>1.0.0',
    '1.0.0 - 2.0.0',
  ])('%j is none', range => {
    expect(() => compileSemverRange(range)).toThrow(RangeSyntaxError);
  });
});
