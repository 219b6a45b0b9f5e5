import {describe, expect, it} from 'vitest';
import {compileGlob, compileGlobs, globMatch, hasWildcard} from './glob.js';

const cases: ReadonlyArray<readonly [string, string, boolean]> = [
  ['', '', true],
  ['', 'a', false],
  ['a', 'a', true],
  ['a', 'A', false],
  ['a', 'ab', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['**', '', true],
  ['?', '', false],
  ['?', 'a', true],
  ['?', 'ab', false],
  ['?', '\u{1F600}', true],
  ['??', '\u{1F600}', false],
  ['?x', '\u{1F600}x', true],
  ['*?', '\u{1F600}', true],
  ['?', '\ud83d', true],
  ['?*', '', false],
  ['?*', 'a', true],
  ['*?', 'abc', true],
  ['?*?', 'a', false],
  ['?*?', 'ab', true],
  ['a*', 'a', true],
  ['a*', 'ba', false],
  ['*a', 'ba', true],
  ['*a', 'ab', false],
  ['*:latest', 'nginx:latest', true],
  ['a*b', 'ab', true],
  ['a*a', 'a', false],
  ['a*b', 'axxb', true],
  ['a*b', 'axxbx', false],
  ['*mid*', 'a mid b', true],
  ['*mid*', 'mi d', false],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'acb', false],
  ['ab*ab*ab', 'abab', false],
  ['ab*ab*ab', 'ababab', true],
  ['*a*b*', 'xaxbx', true],
  ['*a*b*', 'ba', false],
  ['a*bc*c', 'abc', false],
  ['a*bc*c', 'abcc', true],
  ['a?c*', 'abcd', true],
  ['*-?', 'x-y-z', true],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['\\*', '\\anything', true],
  ['reg.io/*', 'reg.io/a/b:1', true],
];

describe('globs', () => {
  it.each(cases)('%j against %j is %s', (pattern, text, want) => {
    expect(compileGlob(pattern)(text)).toBe(want);
    expect(globMatch(pattern, text)).toBe(want);
    expect(compileGlobs(['no-such-name', pattern])(text)).toBe(want);
  });

  it('knows what a wildcard is', () => {
    expect(['a', 'a*', 'a?', ''].map(hasWildcard)).toEqual([false, true, true, false]);
  });

  it('sets of globs match any of their members', () => {
    expect(compileGlobs([])('')).toBe(false);
    expect(compileGlobs(['a'])('a')).toBe(true);
    expect(compileGlobs(['a', 'b', 'c-*'])('b')).toBe(true);
    expect(compileGlobs(['a', 'b', 'c-*'])('c-1')).toBe(true);
    expect(compileGlobs(['a', 'b', 'c-*', 'd?'])('d')).toBe(false);
    expect(compileGlobs(['a', 'b'])('c')).toBe(false);
  });

  it('agrees with a regular expression on random patterns', () => {
    const next = random(7);
    const pick = (alphabet: string, length: number): string =>
      Array.from({length}, () => alphabet.charAt(next() % alphabet.length)).join('');
    for (let round = 0; round < 3000; round++) {
      const pattern = pick('ab*?', next() % 7);
      const text = pick('ab', next() % 8);
      const body = [...pattern].map(c => (c === '*' ? '.*' : c === '?' ? '.' : c)).join('');
      const want = new RegExp(`^${body}$`, 'su').test(text);
      expect([pattern, text, compileGlob(pattern)(text)]).toEqual([pattern, text, want]);
      expect([pattern, text, globMatch(pattern, text)]).toEqual([pattern, text, want]);
    }
  });

  it.each([`${'*a'.repeat(30)}b`, `${'a*'.repeat(30)}b`, `${'*a?'.repeat(30)}b`, `${'?*'.repeat(30)}b`])(
    '%s takes no more steps than pattern times text',
    pattern => {
      const text = 'a'.repeat(2000);
      let steps = 0;
      const counter = {
        step() {
          steps += 1;
        },
      };
      expect(globMatch(pattern, text, counter)).toBe(false);
      expect(steps).toBeLessThanOrEqual((pattern.length + 1) * (text.length + 1));
    },
  );
});

/** A small linear congruential generator, the same numbers each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state >> 8;
  };
}
