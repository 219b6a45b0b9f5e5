import {describe, expect, it} from 'vitest';
import {evaluated} from '../../../test/cel/evaluated.js';

describe('mathematics', () => {
  it.each([
    ['math.greatest(1, 3, 2)', '3'],
    ['math.greatest([1.5, 2.5])', '2.5'],
    ['math.greatest(7)', '7'],
    ['math.greatest(1, 1.0)', '1'],
    ['math.greatest(1u, 2)', '2'],
    ['math.least(1.0, 1)', '1.0'],
    ['math.least(-9223372036854775808, -1.0e30)', '-1e+30'],
    ['math.least(1, 0.0 / 0.0)', 'error: NaN values cannot be ordered: math.@min'],
    ['math.greatest([])', 'fault: math.greatest() invalid single argument value'],
    ['math.greatest()', 'fault: math.greatest() requires at least one argument'],
    ['math.greatest(1, "a")', 'fault: math.greatest() simple literal arguments must be numeric'],
    ['math.ceil(-0.5)', '-0.0'],
    ['math.floor(-0.5)', '-1.0'],
    ['math.round(-2.5)', '-3.0'],
    ['math.round(0.49999999999999994)', '0.0'],
    ['math.trunc(-1.9)', '-1.0'],
    ['math.isInf(-1.0 / 0.0)', 'true'],
    ['math.isNaN(0.0 / 0.0)', 'true'],
    ['math.isFinite(1.0)', 'true'],
    ['math.abs(-5)', '5'],
    ['math.abs(-9223372036854775808)', 'error: integer overflow'],
    ['math.sign(-0.0)', '0.0'],
    ['math.sign(-3)', '-1'],
    ['math.sign(3u)', '1u'],
    ['math.sqrt(81)', '9.0'],
    ['math.sqrt(-1.0)', 'NaN'],
    ['math.bitAnd(6, 3)', '2'],
    ['math.bitOr(6u, 3u)', '7u'],
    ['math.bitXor(-1, 1)', '-2'],
    ['math.bitNot(5)', '-6'],
    ['math.bitNot(5u)', '18446744073709551610u'],
    ['math.bitShiftLeft(1, 63)', '-9223372036854775808'],
    ['math.bitShiftLeft(1, 64)', '0'],
    ['math.bitShiftRight(-1, 1)', '9223372036854775807'],
    ['math.bitShiftRight(1u, -1)', 'error: math.bitShiftRight() negative offset: -1'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });

  it('picks from lists of unknown elements', () => {
    expect(evaluated('math.greatest(x)', {x: [1, 2.5]})).toBe('2.5');
    expect(evaluated('math.greatest(x)', {x: []})).toBe('error: math.@max(list) argument must not be empty');
    expect(evaluated('math.greatest(x)', {x: ['a']})).toBe('error: no such overload: math.@max(list)');
    expect(evaluated('math.least(x)', {x: [1, 'a']})).toBe('error: no such overload: math.@min');
  });
});
