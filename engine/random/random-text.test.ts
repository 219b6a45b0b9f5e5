import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import {BudgetError} from '../diagnostic.js';
import {type CharSet, complement, pick, union} from './char-set.js';
import {randomText} from './random-text.js';
import {parseRegexTree, UnsupportedRegexError} from './regex-tree.js';

const budget = (limits: Partial<typeof defaultLimits> = {}) => new Budget({...defaultLimits, ...limits}, () => 0);

function make(pattern: string, draw: number, maxLength = 100): string | undefined {
  return randomText(parseRegexTree(pattern), {draw: () => draw, budget: budget(), maxLength});
}

describe('a random text', () => {
  it.each([
    ['abc', 0, 'abc'],
    ['[a-c]{3}', 0, 'aaa'],
    ['[a-c]{3}', 0.999, 'ccc'],
    ['x{2,4}', 0, 'xx'],
    ['x{2,4}', 0.999, 'xxxx'],
    ['x{2,}', 0.999, 'x'.repeat(12)],
    ['x*', 0, ''],
    ['x*', 0.999, 'x'.repeat(10)],
    ['x+', 0, 'x'],
    ['x?y', 0, 'y'],
    ['a|b|c', 0.5, 'b'],
    ['^(?i:a)(?m)$', 0, 'a'],
    ['\\x41\\x{42}\\103\\n\\.', 0, 'ABC\n.'],
    ['a{', 0, 'a{'],
    ['a{,2}', 0, 'a{,2}'],
    ['[]a]', 0, ']'],
    ['[[:digit:]]', 0, '0'],
    ['[^\\x20-\\x7d]', 0, '~'],
    ['\\d\\w\\s', 0, '00\t'],
    ['x*?', 0.999, 'x'.repeat(10)],
    ['', 0, ''],
  ])('of %s with the draw %d is %j', (pattern, draw, want) => {
    expect(make(pattern, draw)).toBe(want);
  });

  it('ends where it would be too long', () => {
    expect(make('(ab){60}', 0)).toBeUndefined();
    expect(make('(ab){50}', 0)).toBe('ab'.repeat(50));
  });

  it('is paid for', () => {
    const tree = parseRegexTree('(a{100}){10}');
    const run = (limits: Partial<typeof defaultLimits>) => () =>
      randomText(tree, {draw: () => 0, budget: budget(limits), maxLength: 10_000});
    expect(run({bytes: 999})).toThrow(BudgetError);
    expect(run({steps: 1000})).toThrow(BudgetError);
    expect(run({})()).toBe('a'.repeat(1000));
  });

  it.each([
    '\\pL',
    '\\P{Greek}',
    '\\bx',
    '(',
    'a)',
    '[a',
    '[^\\x{0}-\\x{10FFFF}]',
    '\\',
    '\\x{110000}',
    `${'('.repeat(300)}${')'.repeat(300)}`,
  ])('cannot be made of %s', pattern => {
    expect(() => parseRegexTree(pattern)).toThrow(UnsupportedRegexError);
  });
});

describe('a set of characters', () => {
  const letters: CharSet = [[0x61, 0x63]];
  it('joins what touches', () => {
    expect(union([letters, [[0x64, 0x65]], [[0x62, 0x62]], [[0x70, 0x71]]])).toEqual([
      [0x61, 0x65],
      [0x70, 0x71],
    ]);
  });

  it('has a complement that is printable where it can be', () => {
    expect(complement(letters)).toEqual([
      [0x20, 0x60],
      [0x64, 0x7e],
    ]);
    expect(complement([[0, 0x10ffff]])).toEqual([]);
    expect(complement([[0x20, 0x7e]])).toEqual([[0xa1, 0xd7ff]]);
  });

  it('gives every member once over the whole range of draws', () => {
    const drawn = Array.from({length: 4}, (_, index) => pick([...letters, [0x70, 0x70]], () => index / 4));
    expect(drawn).toEqual(['a', 'b', 'c', 'p']);
  });
});
