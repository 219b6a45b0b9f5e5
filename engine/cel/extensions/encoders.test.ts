import {describe, expect, it} from 'vitest';
import {evaluated} from '../../../test/cel/evaluated.js';

describe('base64', () => {
  it.each([
    ['base64.encode(b"hello")', '"aGVsbG8="'],
    ['base64.decode("aGVsbG8=")', 'b"hello"'],
    ['base64.decode("aGVsbG8")', 'b"hello"'],
    ['base64.decode("aGVs\\nbG8=")', 'b"hello"'],
    ['base64.decode("")', 'b""'],
    ['base64.decode("!!")', 'error: illegal base64 data at input byte 0'],
    ['base64.decode("aGVsbG8=x")', 'error: illegal base64 data at input byte 7'],
    ['base64.decode("a")', 'error: illegal base64 data at input byte 0'],
    ['base64.decode("aG-_")', 'error: illegal base64 data at input byte 2'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });
});

describe('json.encode', () => {
  it.each([
    ['json.encode([1, 2])', '[1,2]'],
    ['json.encode(9007199254740993)', '"9007199254740993"'],
    ['json.encode(1.5)', '1.5'],
    ['json.encode(b"abc")', '"YWJj"'],
    ['json.encode(duration("1h"))', '"3600s"'],
    ['json.encode("<&>")', '"\\u003c\\u0026\\u003e"'],
    ['json.encode(optional.of("a"))', '"a"'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(`${source} == r'${expected}'`)).toBe('true');
  });

  it('sorts keys', () => {
    const x = {b: [null, true], a: {c: 1}};
    expect(evaluated(`json.encode(x) == '{"a":{"c":1},"b":[null,true]}'`, {x})).toBe('true');
  });

  it.each(['json.encode({1: 2})', 'json.encode(quantity("1"))', 'json.encode(1.0 / 0.0)'])(
    'has none for %s',
    source => {
      expect(evaluated(source)).toMatch(/^error: /);
    },
  );
});

describe('regular expressions', () => {
  it.each([
    ['regex.extract("item-42", "item-(\\\\d+)")', 'optional.of("42")'],
    ['regex.extract("abc", "b.")', 'optional.of("bc")'],
    ['regex.extract("abc", "(x)?b")', 'optional.none()'],
    ['regex.extract("abc", "(a)(b)")', 'error: regular expression has more than one capturing group: "(a)(b)"'],
    ['regex.extract("abc", "[")', 'error: error parsing regexp: missing closing ]: `[`'],
    ['regex.extractAll("a1 b22", "[a-z](\\\\d+)")', '["1", "22"]'],
    ['regex.extractAll("ab", "(x)?.")', '[]'],
    ['regex.replace("abab", "(a)(b)", "\\\\2\\\\1")', '"baba"'],
    ['regex.replace("abab", "a", "$1", 1)', '"$1bab"'],
    ['regex.replace("ab", "", "-")', '"-a-b-"'],
    ['regex.replace("ab", "a", "\\\\0\\\\0")', '"aab"'],
    ['regex.replace("ab", "z", "\\\\9")', '"ab"'],
    ['regex.replace("ab", "[", "", 0)', '"ab"'],
    ['regex.replace("ab", "a", "\\\\1")', 'error: replacement string references group 1 but regex has only 0 group(s)'],
    [
      'regex.replace("ab", "a", "\\\\x")',
      "error: invalid replacement string: '\\x' \\ must be followed by a digit or \\",
    ],
    ['regex.replace("ab", "a", "x\\\\")', "error: invalid replacement string: 'x\\' \\ not allowed at end"],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });

  it('make no more than the budget has', () => {
    const x = 'a'.repeat(20_000);
    expect(evaluated('regex.replace(x, "a", x)', {x})).toContain('context size limit exceeded');
  });
});
