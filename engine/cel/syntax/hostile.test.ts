import {describe, expect, test} from 'vitest';
import {limits} from './limits.js';
import {parse} from './parse.js';
import {tokenSoup} from './testing/token-soup.js';
import {unparse} from './unparse.js';

const options = {twoVariableMacros: true};
const first = (source: string) => parse(source, options).issues?.[0]?.message;

describe('deep text ends in a fault', () => {
  test.each([
    ['parentheses', '('.repeat(50_000) + ')'.repeat(50_000), 'expression recursion limit exceeded: 250'],
    ['lists', '['.repeat(99_999), 'expression recursion limit exceeded: 250'],
    ['maps', '{1:'.repeat(30_000), 'expression recursion limit exceeded: 250'],
    ['calls', 'f('.repeat(40_000), 'expression recursion limit exceeded: 250'],
    ['negations', '-('.repeat(40_000), 'expression recursion limit exceeded: 250'],
    ['choices', 'true ? 1 : '.repeat(9_000), 'expression recursion limit exceeded: 250'],
    ['sums', Array(40_000).fill('1').join('+'), 'max recursion depth exceeded: 250'],
    ['selections', `a${'.b'.repeat(49_000)}`, 'max recursion depth exceeded: 250'],
    ['elements', `a${'[0]'.repeat(30_000)}`, 'max recursion depth exceeded: 250'],
    ['receiver calls', `a${'.f()'.repeat(24_000)}`, 'max recursion depth exceeded: 250'],
    ['arguments', `f(${'1,'.repeat(49_000)}1)`, `too many arguments: limit ${limits.arguments}`],
    ['size', 'a'.repeat(limits.size + 1), 'expression code point size exceeds limit: size: 100001, limit 100000'],
  ])('%s', (_name, source, message) => {
    expect(first(source)).toBe(message);
  });

  test('up to the limit it is read', () => {
    expect(parse(`${'('.repeat(249)}1${')'.repeat(249)}`, options).expr).toBeDefined();
    expect(parse(Array(250).fill('1').join('+'), options).expr).toBeDefined();
    expect(parse(Array(9_000).fill('a').join(' && '), options).expr).toBeDefined();
    expect(parse(`${'!'.repeat(9_000)}a`, options).expr).toBeDefined();
    expect(parse(`[${'1,'.repeat(40_000)}]`, options).expr).toBeDefined();
  });

  test('messages keep the beginning of long texts', () => {
    expect(first(`"${'a'.repeat(50_000)}`)!.length).toBe(limits.message + 1);
    expect(first(`a "${'a'.repeat(50_000)}"`)!.length).toBe(limits.message + 1);
  });

  test('the size is counted in code points', () => {
    expect(parse(`"${'😀'.repeat(60_000)}"`, options).expr).toBeDefined();
  });

  test('faults are told up to a number', () => {
    expect(parse('@'.repeat(10_000), options).issues).toHaveLength(limits.issues);
  });
});

test('random tokens are read or refused, never thrown on; what is read is written and read again', () => {
  let read = 0;
  for (const source of tokenSoup({seed: 20_240_601, texts: 20_000})) {
    const {expr, issues} = parse(source, options);
    if (expr === undefined) {
      if (issues.length === 0) throw new Error(`no issue: ${source}`);
      continue;
    }
    read++;
    const text = unparse(expr);
    if (unparse(parse(text, options).expr!) !== text) throw new Error(`not the same: ${source}`);
  }
  expect(read).toBeGreaterThan(200);
});
