import {describe, expect, it} from 'vitest';
import {evaluated} from '../../../test/cel/evaluated.js';

describe('functions of lists', () => {
  it.each([
    ['[1, 2, 3, 4].slice(1, 3)', '[2, 3]'],
    ['[1].slice(0, 2)', 'error: cannot slice(0, 2), list is length 1'],
    ['[1].slice(-1, 0)', 'error: cannot slice(-1, 0), negative indexes not supported'],
    ['[1].slice(1, 0)', 'error: cannot slice(1, 0), start index must be less than or equal to end index'],
    ['[[1, 2], [3]].flatten()', '[1, 2, 3]'],
    ['[[[1]], [[2, 3]]].flatten()', '[[1], [2, 3]]'],
    ['[[[1]], [[2, 3]]].flatten(2)', '[1, 2, 3]'],
    ['[[1]].flatten(0)', '[[1]]'],
    ['[[1]].flatten(-1)', 'error: level must be non-negative'],
    ['[3, 1, 2].sort()', '[1, 2, 3]'],
    ['["b", "a"].sort()', '["a", "b"]'],
    ['[2.5, 0.0 / 0.0, 1.0].sort()', '[NaN, 1.0, 2.5]'],
    ['[[1]].sort()', expect.stringContaining("fault: found no matching overload for 'sort'")],
    ['[{"n": 2, "i": 1}, {"n": 1, "i": 2}, {"n": 2, "i": 3}].sortBy(e, e.n).map(e, e.i)', '[2, 1, 3]'],
    ['[1, 2, 1, 2].distinct()', '[1, 2]'],
    ['[[1], [1], [2]].distinct()', '[[1], [2]]'],
    ['[1, 2, 3].reverse()', '[3, 2, 1]'],
    ['lists.range(3)', '[0, 1, 2]'],
    ['lists.range(-1)', 'error: lists.range: size must be non-negative, got -1'],
    ['lists.range(1000001)', expect.stringMatching(/size 1000001 exceeds maximum allowed|limit/)],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it.each<readonly [string, readonly never[] | readonly unknown[], string]>([
    ['x.sort()', [1, 'a'], 'error: list elements must have the same type'],
    ['x.sort()', [{}], 'error: list elements must be comparable'],
    ['x.sort()', [null, null], 'error: list elements must be comparable'],
    ['x.flatten()', [1, [2, [3]]], '[1, 2, [3]]'],
    ['x.distinct()', [1, 'a', 1, null, 'a', null, true, {a: [1]}, {a: [1]}], '[1, "a", null, true, {"a": [1]}]'],
  ])('%s of %j is %s', (source, x, expected) => {
    expect(evaluated(source, {x: x as never})).toBe(expected);
  });

  it('take numbers of one amount for one in distinct', () => {
    expect(evaluated('[dyn(1), dyn(1.0), dyn(1u), dyn(2u), dyn(2)].distinct()')).toBe('[1, 2u]');
    expect(evaluated('(x + [1.0, 2.0]).distinct()', {x: [1]})).toBe('[1, 2.0]');
  });

  it('count what lists of lists multiply to before it is made', () => {
    let x: readonly unknown[] = [1, 1, 1, 1];
    for (let level = 0; level < 14; level++) x = [x, x, x, x];
    expect(evaluated('x.flatten(20)', {x: x as never})).toMatch(/limit/);
  });
});

describe('sets', () => {
  const numbers = Array.from({length: 20}, (_, index) => index);

  it.each([
    ['sets.contains([1, 2, 3], [2, 3])', 'true'],
    ['sets.contains([1], [1, 2])', 'false'],
    ['sets.contains([], [])', 'true'],
    ['sets.intersects([1, 2], [2, 3])', 'true'],
    ['sets.intersects([1], [])', 'false'],
    ['sets.equivalent([1, 2, 1], [2, 1])', 'true'],
    ['sets.equivalent([1, 2], [2])', 'false'],
    ['sets.contains([[1], [2]], [[2]])', 'true'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });

  it('take numbers of all types by amount, also in long lists', () => {
    expect(evaluated('sets.contains(x, y)', {x: numbers, y: numbers.slice(3, 15)})).toBe('true');
    expect(evaluated('sets.contains(x, y)', {x: numbers, y: [...numbers.slice(3, 15), 99]})).toBe('false');
    expect(evaluated('sets.contains(x, y + [3.0])', {x: numbers, y: numbers})).toBe('true');
    expect(evaluated('sets.intersects(x, [3u])', {x: numbers})).toBe('true');
  });
});
