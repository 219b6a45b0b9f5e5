import {describe, expect, it} from 'vitest';
import {CompileError} from '../diagnostic.js';
import {compileQuery} from './index.js';
import {maxExpressionLength} from './parser.js';

function diagnosticOf(text: string) {
  try {
    compileQuery(text);
  } catch (error) {
    if (error instanceof CompileError) return error.diagnostic;
    throw error;
  }
  throw new Error(`compiled: ${text}`);
}

describe('text that is no query', () => {
  const cases: readonly (readonly [text: string, message: string, column: number])[] = [
    ['', 'Incomplete expression', 0],
    ['a.', 'Expected identifier, lbracket, or lbrace', 2],
    ['a b', 'Unexpected token at the end of the expression: identifier', 2],
    ['a..b', 'Expected identifier, lbracket, or lbrace', 2],
    ['.a', 'Invalid token: .', 0],
    ['a[', 'Expected *, received: end', 2],
    ['a[b]', 'Expected *, received: identifier', 2],
    ['a[0', 'Expected ], received: end', 3],
    ['a[1:2:3:4]', 'Expected ], received: number', 8],
    ['a[::0]', 'Invalid slice, step cannot be 0', 1],
    ['a[99999999999999999999]', 'Number out of range: 99999999999999999999', 2],
    ['(a', 'Expected ), received: end', 2],
    ['a)', 'Unexpected token at the end of the expression: )', 1],
    ['[a', 'Expected ,, received: end', 2],
    ['{a}', 'Expected :, received: }', 2],
    ['{a: b,}', 'Expected an identifier, received: }', 6],
    ["{'a': b}", 'Expected an identifier, received: raw', 1],
    ['a ||', 'Incomplete expression', 4],
    ['a == ', 'Incomplete expression', 5],
    ['1 + 2', "Unknown char: U+002B '+'", 2],
    ['a = b', "Unknown char: U+003D '='", 2],
    ['$.a', "Unknown char: U+0024 '$'", 0],
    ['5', 'Invalid token: number', 0],
    ["'open", "Unclosed delimiter: '", 0],
    ["'open\\'", "Unclosed delimiter: '", 0],
    ['"open', 'Unclosed delimiter: "', 0],
    ['`open', 'Unclosed delimiter: `', 0],
    ['"bad\\q"', 'Invalid escape or control character in quoted identifier', 0],
    ['"name"(a)', "Can't have quoted identifier as function name.", 0],
    ["'name'(a)", 'Only a name can be called as a function', 6],
    ['(length)(a)', 'Only a name can be called as a function', 8],
    ['{a: b', 'Expected an identifier, received: end', 5],
    ['length(a', 'Incomplete expression', 8],
    ['[a b]', 'Expected ,, received: identifier', 3],
    ['length(,a)', 'Invalid token: ,', 7],
    ['a.5', 'Expected identifier, lbracket, or lbrace', 2],
    ["a.'b'", 'Expected identifier, lbracket, or lbrace', 2],
    ['a *', 'Unexpected token: *', 2],
    ['a !b', 'Unexpected token: !', 2],
    ['a[?b', 'Expected ], received: end', 4],
    ['let $x = a in $x', "Unknown char: U+0024 '$'", 4],
  ];
  it.each(cases)('%j: %s at %d', (text, message, column) => {
    let diagnostic: ReturnType<typeof diagnosticOf>;
    try {
      diagnostic = diagnosticOf(text);
    } catch {
      diagnostic = {code: 'none', message: 'compiled', path: ''};
    }
    expect(diagnostic.code).toBe('jmespath-syntax');
    expect(diagnostic.message).toBe(`SyntaxError: ${message}`);
    expect(diagnostic.expression).toBe(text);
    expect(diagnostic.hint?.split('\n')[1]).toBe(`${' '.repeat(column)}^`);
  });

  it.each(['`foo`', '`,`', '`{a: 1}`', '``', '`01`', '`[1,]`'])('%s holds no JSON', text => {
    expect(diagnosticOf(text).message).toMatch(/^SyntaxError: Invalid JSON literal: invalid JSON at line 1/);
  });

  it('shows the neighbourhood of a fault in a long text', () => {
    const diagnostic = diagnosticOf(`${'a.'.repeat(100)}]${'b'.repeat(100)}`);
    const [line = '', caret = ''] = diagnostic.hint?.split('\n') ?? [];
    expect(line[caret.length - 1]).toBe(']');
    expect(line.startsWith('…') && line.endsWith('…')).toBe(true);
  });
});

describe('calls that can never work', () => {
  const cases: readonly (readonly [text: string, message: string])[] = [
    ['foo(a)', 'unknown function: foo'],
    ['a || toString(b)', 'unknown function: toString'],
    ['constructor(a)', 'unknown function: constructor'],
    ['group_by(a, &b)', 'unknown function: group_by'],
    ['length()', 'incorrect number of args'],
    ['length(a, b)', 'incorrect number of args'],
    ['merge()', 'incorrect number of args'],
    ['not_null()', 'incorrect number of args'],
    ["replace_all('a', 'b')", 'incorrect number of args'],
    ['length(&a)', 'Invalid type for: an expression reference (&), expected: [string, array, object]'],
    ['sort_by(a, b)', 'Invalid type for: a field, expected: [expref]'],
    ['&a', 'An expression reference (&) is no value: only some functions take one'],
    ['[&a]', 'An expression reference (&) is no value: only some functions take one'],
  ];
  it.each(cases)('%s: %s', (text, message) => {
    expect(diagnosticOf(text)).toMatchObject({code: 'jmespath-function', message, expression: text});
  });
});

describe('limits', () => {
  const bombs: readonly (readonly [name: string, text: string])[] = [
    ['parentheses', `${'('.repeat(5000)}a${')'.repeat(5000)}`],
    ['lists', `${'['.repeat(20_000)}a`],
    ['negations', `${'!'.repeat(20_000)}a`],
    ['references', `${'& '.repeat(20_000)}a`],
    ['a chain of fields', `a${'.a'.repeat(20_000)}`],
    ['a chain of alternatives', `a${'||a'.repeat(20_000)}`],
    ['a chain of pipes', `a${'|a'.repeat(20_000)}`],
    ['a chain of flattenings', `a${'[]'.repeat(20_000)}`],
    ['filters', 'a[?'.repeat(10_000)],
    ['calls', 'length('.repeat(5000)],
  ];
  it.each(bombs)('%s nested too deep are refused', (_name, text) => {
    expect(diagnosticOf(text).message).toMatch(/nested deeper than 400 levels$/);
  });

  it('refuses a text that is too long', () => {
    expect(diagnosticOf(`'${'x'.repeat(maxExpressionLength)}'`).message).toMatch(/longer than 65536 characters$/);
  });

  it('refuses a literal nested too deep', () => {
    expect(diagnosticOf(`\`${'['.repeat(1000)}${']'.repeat(1000)}\``).message).toMatch(
      /nested deeper than 512 levels$/,
    );
  });

  it('compiles nested calls in one pass', () => {
    const text = `a.not_null(${'a.not_null('.repeat(100)}b${')'.repeat(100)})`;
    expect(compileQuery(text).functions).toEqual(new Set(['not_null']));
  });

  it('takes a wide query', () => {
    expect(compileQuery(`[${new Array(5000).fill('a').join(',')}]`).roots).toEqual(new Set(['a']));
  });
});
