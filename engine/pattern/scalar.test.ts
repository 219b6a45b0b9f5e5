import {describe, expect, it} from 'vitest';
import {Float, type Json} from '../json/types.js';
import {compileScalarPattern} from './scalar.js';

const shown = (value: Json | undefined): string =>
  value instanceof Float
    ? `float ${value.value}`
    : typeof value === 'bigint'
      ? `${value}`
      : (JSON.stringify(value) ?? 'missing');

/** Pattern, values that satisfy it, values that do not. */
const cases: ReadonlyArray<readonly [Json, ReadonlyArray<Json | undefined>, ReadonlyArray<Json | undefined>]> = [
  [true, [true], [false, 'true', 1, null, undefined]],
  [false, [false], [true, 'false', 0, null, undefined]],
  [5, [5, new Float(5), '5', '+5', '005'], [6, 5.5, '5.0', '5x', '', true, null, undefined, {}]],
  [2n ** 60n, [2n ** 60n, '1152921504606846976'], [2n ** 60n + 1n, '1152921504606846977']],
  [1.5, [1.5, '1.5', '15e-1'], [1, '1', 'x', true, null, undefined]],
  [new Float(2), [2, new Float(2), '2', '2.0'], [2.5, '2.5', null]],
  [null, [null, undefined, 0, new Float(0), '', false], [1, 'x', true, {}, {a: 1}]],
  [{}, [{}, {a: 1}], [null, undefined, 'x', 1]],
  [{a: 1}, [{}, {b: 2}], ['x', null]],
  ['', [''], ['x', 0, null, undefined]],
  ['abc', ['abc'], ['ABC', 'abcd', '', null, undefined, 5, {}]],
  ['true', [true, 'true'], [false, 'false', null]],
  ['a*', ['a', 'abc'], ['ba', '', null, undefined, {}, []]],
  ['?*', ['a', 1, true, {a: 1}, ['x']], ['', null, undefined, {}, []]],
  ['*', ['', 'a', 0, false, {}, []], [null, undefined]],
  ['?', ['a', 5, '\u{1F600}'], ['', 'ab', 55]],
  ['80', [80, '80', '80.0', new Float(80), '0.08k'], [81, '8', null]],
  ['8*', [80, '8x', 8_000_000], [90, null]],
  ['1000000', [1_000_000, '1M'], ['1e+05']],
  ['0', [0, '0', null, undefined, '0s', '0Gi'], [1, 'x', '', {}]],
  ['!0', [1, 'x', ''], [0, null, undefined]],
  ['1Gi', ['1024Mi', '1Gi', 1_073_741_824], ['1G', 'x', null]],
  ['1024Mi', ['1Gi'], ['1G']],
  ['1', [1, '1000m', '1'], ['1m', 2]],
  ['1h', ['60m', '3600s', '1h0m0s'], [3600, '3600', null]],
  ['>=1024Mi', ['1Gi', '2Gi'], ['1G', '1', null, 'x', {}]],
  ['>10', [11, '11', 10.5, 2n ** 60n], [10, '10', 'x', true, null]],
  ['>= 10', [10, '10'], [9]],
  ['<10', [9, null, undefined, -1], [10, 'x', [], {}, false]],
  ['<=10', [10, null], [11]],
  ['< 2m', ['90s', null], ['2m', '3m', 'x']],
  ['>1h', ['61m'], ['60m', null]],
  ['!5', [6, null, undefined, 'x', true], [5, '5', '5.0', {}]],
  ['! 5', [6], [5]],
  ['!abc', ['x', '', 5, true], ['abc', null, undefined, {}, []]],
  ['!a*', ['b', 5], ['abc', null]],
  ['!?*', [''], ['x', null, {}]],
  ['!true', [false, 'x'], [true, 'true']],
  ['>abc', [], ['abd', 'abc', 1, null]],
  ['1-10', [1, 5, 10, '1', '10.0'], [0, 11, 'x', null, true]],
  ['0-5', [0, 5, null, undefined], [6, -1]],
  ['256Mi-1Gi', ['512Mi', '256Mi', '1Gi'], ['255Mi', '2Gi', null]],
  ['10s-2m', ['10s', '1m'], ['9s', '121s', null]],
  ['-10--8', [-9, '-10'], [-11, 9, null]],
  ['+1-+5', [3], [6]],
  ['1!-10', [0, 11, null], [1, 5, 10, 'x']],
  ['a | b', ['a', 'b', 'a | b'], ['c', '']],
  ['a|b', ['a|b', 'a'], ['ab']],
  ['>1 & <5', [2, 3], [1, 5, null]],
  ['>1 & <5 | 9', [2, 9], [5, 8]],
  ['!a* & !b*', ['c', ''], ['abc', 'b', null]],
  ['<10 & !5', [null, 4], [5, 11]],
  ['a|', ['a', ''], ['b', null]],
  ['!', ['!'], ['x', null]],
  ['>', ['>'], ['x', null]],
  ['>=', ['>='], ['x', null, 0]],
  [' a ', ['a', ' a '], [' a', 'b']],
  ['(a)', ['(a)'], ['a']],
  ['2024-01-01', ['2024-01-01'], ['2024-01-02', 2024]],
];

describe('scalar patterns', () => {
  const rows = cases.flatMap(([pattern, good, bad]) => [
    ...good.map(value => ({pattern, value, want: true})),
    ...bad.map(value => ({pattern, value, want: false})),
  ]);
  it.each(
    rows.map(row => ({...row, name: `${shown(row.pattern)} ${row.want ? 'takes' : 'refuses'} ${shown(row.value)}`})),
  )('$name', ({pattern, value, want}) => {
    expect(compileScalarPattern(pattern)(value)).toBe(want);
  });

  it('a list as pattern takes nothing', () => {
    expect(compileScalarPattern(['a'])('a')).toBe(false);
  });
});
