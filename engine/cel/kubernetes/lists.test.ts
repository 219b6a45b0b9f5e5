import {describe, expect, it} from 'vitest';
import {evaluated} from '../../../test/cel/evaluated.js';
import {apiServerExtensionLibraries} from '../extensions/index.js';
import {apiServerLibraries} from './index.js';

describe("Kubernetes' functions of lists", () => {
  it.each([
    ['[1, 2, 3].sum()', '6'],
    ['[1.5, 2.5].sum()', '4.0'],
    ['[1u, 2u].sum()', '3u'],
    ['[duration("1m"), duration("1s")].sum() == duration("61s")', 'true'],
    ['[].sum()', '0'],
    ['[9223372036854775807, 1].sum()', 'error: integer overflow'],
    ['[3, 1, 2].min()', '1'],
    ['["a", "c", "b"].max()', '"c"'],
    ['[].max()', 'error: max called on empty list'],
    ['[1, 2, 2].isSorted()', 'true'],
    ['[2, 1].isSorted()', 'false'],
    ['[1, 2, 1].indexOf(1)', '0'],
    ['[1, 2, 1].lastIndexOf(1)', '2'],
    ['[1].indexOf(5)', '-1'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });

  it.each<readonly [string, readonly unknown[], string]>([
    ['x.sum()', [1.5, 2.5], '4.0'],
    ['x.sum()', ['a'], 'error: no such overload: sum(list)'],
    ['x.sum()', [1, 'a'], 'error: no such overload'],
    ['x.max()', [{}], 'error: no such overload: max(list)'],
    ['x.max()', [1, 'a'], '1'],
    ['x.min()', [2, 1.5], '1.5'],
    ['x.isSorted()', [1, 2.5, 2], 'false'],
    ['x.indexOf(2.0)', [1, 2], '1'],
  ])('%s of %j is %s', (source, x, expected) => {
    expect(evaluated(source, {x: x as never})).toBe(expected);
  });
});

describe('includes, of newer API servers', () => {
  const libraries = [...apiServerExtensionLibraries, ...apiServerLibraries];

  it.each([
    ['[1, 2].includes(2)', 'true'],
    ['[1, 2].includes(3)', 'false'],
    ['"a".includes("a")', 'true'],
    ['"ab".includes("a")', 'false'],
    ['math.abs(-1)', "fault: undeclared reference to 'math' (in container '')"],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source, {}, {libraries})).toBe(expected);
  });

  it('is not there for the kinds of Kyverno', () => {
    expect(evaluated('[1].includes(1)')).toMatch(/^fault: undeclared reference to 'includes'/);
  });
});

describe("Kubernetes' regular expressions", () => {
  it.each([
    ['"abc1de23".find("[0-9]+")', '"1"'],
    ['"abc".find("z")', '""'],
    ['"abc1de23".findAll("[0-9]+")', '["1", "23"]'],
    ['"abc1de23".findAll("[0-9]+", 1)', '["1"]'],
    ['"aaa".findAll("a", 0)', '[]'],
    ['"aaa".findAll("a", -1).size()', '3'],
    ['"a".find("[")', expect.stringMatching(/^fault: /)],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it('say when a pattern that was made is no pattern', () => {
    expect(evaluated('"a".find(x)', {x: '['})).toBe(
      'error: Illegal regex: error parsing regexp: missing closing ]: `[`',
    );
  });

  it('end by the budget where each short match looks far ahead', () => {
    expect(evaluated('x.findAll("(?:a.*b)|a").size()', {x: 'a'.repeat(10_000)})).toMatch(/limit/);
  });
});
