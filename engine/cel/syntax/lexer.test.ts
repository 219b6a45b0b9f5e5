import {describe, expect, test} from 'vitest';
import {tokenize} from './lexer.js';
import * as T from './tokens.js';

const names = new Map(Object.entries(T).flatMap(([name, kind]) => (typeof kind === 'number' ? [[kind, name]] : [])));

function tokensOf(source: string): string[] {
  const {kinds, starts, ends} = tokenize(source).tokens;
  return kinds.slice(0, -1).map((kind, index) => `${names.get(kind)} ${source.slice(starts[index], ends[index])}`);
}

describe('tokens', () => {
  test.each([
    [
      'names and words of the language',
      'a _b9 in true false null inner',
      ['IDENT a', 'IDENT _b9', 'IN in', 'TRUE true', 'FALSE false', 'NULL null', 'IDENT inner'],
    ],
    ['whole numbers', '0 12 0x1F 3u 0xFU', ['INT 0', 'INT 12', 'INT 0x1F', 'UINT 3u', 'UINT 0xFU']],
    ['doubles', '1.5 .5 1e3 1.5E-2 2e+1', ['DOUBLE 1.5', 'DOUBLE .5', 'DOUBLE 1e3', 'DOUBLE 1.5E-2', 'DOUBLE 2e+1']],
    ['a number before a field is no double', '1.a 1.e3', ['INT 1', 'DOT .', 'IDENT a', 'INT 1', 'DOT .', 'IDENT e3']],
    ['an exponent without digits is a name', '1e 1e+', ['INT 1', 'IDENT e', 'INT 1', 'IDENT e', 'PLUS +']],
    ['0x without digits is a zero and a name', '0x', ['INT 0', 'IDENT x']],
    ['a second point begins another double', '1.5.2', ['DOUBLE 1.5', 'DOUBLE .2']],
    ['strings', `"a" 'b' "" '\\''`, ['STRING "a"', "STRING 'b'", 'STRING ""', "STRING '\\''"]],
    ['long strings over lines', '"""a\n"b""" \'\'\'c\'\'\'', ['STRING """a\n"b"""', "STRING '''c'''"]],
    ['raw strings keep backslashes', 'r"\\d" R\'\\\'', ['STRING r"\\d"', "STRING R'\\'"]],
    ['bytes', 'b"a" B\'b\' br"\\x" bR"c"', ['BYTES b"a"', "BYTES B'b'", 'BYTES br"\\x"', 'BYTES bR"c"']],
    ['letters before a quote are names unless they are prefixes', 'rb "a"', ['IDENT rb', 'STRING "a"']],
    [
      'operators',
      '== != <= >= < > && || ! + - * / %',
      [
        'EQUALS ==',
        'NOT_EQUALS !=',
        'LESS_EQUALS <=',
        'GREATER_EQUALS >=',
        'LESS <',
        'GREATER >',
        'AND &&',
        'OR ||',
        'NOT !',
        'PLUS +',
        'MINUS -',
        'STAR *',
        'SLASH /',
        'PERCENT %',
      ],
    ],
    [
      'brackets and signs',
      '()[]{}.,:?',
      [
        'LPAREN (',
        'RPAREN )',
        'LBRACKET [',
        'RBRACKET ]',
        'LBRACE {',
        'RBRACE }',
        'DOT .',
        'COMMA ,',
        'COLON :',
        'QUESTION ?',
      ],
    ],
    ['backquoted names', 'a.`b/c-d.e f`', ['IDENT a', 'DOT .', 'QUOTED_IDENT `b/c-d.e f`']],
    ['comments end with the line', 'a // b "c\n+ d//', ['IDENT a', 'PLUS +', 'IDENT d']],
    ['white space of all kinds', '\ta\r\n\f b ', ['IDENT a', 'IDENT b']],
    ['nothing', '', []],
  ])('%s', (_name, source, expected) => {
    expect(tokensOf(source)).toEqual(expected);
    expect(tokenize(source).issues).toEqual([]);
  });

  test('offsets are UTF-16', () => {
    const {starts, ends} = tokenize('"😀" + é').tokens;
    expect(starts.slice(0, 2)).toEqual([0, 5]);
    expect(ends.slice(0, 2)).toEqual([4, 6]);
  });
});

describe('text that is no token', () => {
  test.each([
    ['a | b', "'| '", 2, 'or is written ||'],
    ['a & b', "'& '", 2, 'and is written &&'],
    ['a = b', "'= '", 2, 'to compare, write =='],
    ['$x', "'$'", 0, 'CEL has no variables with $; to put values into text, write "a" + b'],
    ['#', "'#'", 0, 'comments begin with //'],
    ['“a”', "'“'", 0, 'write straight quotes: "text"'],
    ['"abc', `'"abc'`, 0, 'the string has no closing quote'],
    ["'a\nb'", "''a\n'", 0, 'the string has no closing quote'],
    ['"\\d+"', `'"\\d'`, 0, 'write \\\\ for a backslash, or a raw string: r"…'],
    ['"\\xg0"', `'"\\xg'`, 0, 'write \\\\ for a backslash, or a raw string: r"…'],
    ['"\\u12"', `'"\\u12"'`, 0, 'write \\\\ for a backslash, or a raw string: r"…'],
    ['"\\400"', `'"\\4'`, 0, 'write \\\\ for a backslash, or a raw string: r"…'],
    ['a.`b$`', "'`b$'", 2, 'backquotes go around field names: letters, digits, _ . - / and spaces'],
    ['``', "'``'", 0, 'backquotes go around field names: letters, digits, _ . - / and spaces'],
    ['😀', "'😀'", 0, undefined],
  ])('%s', (source, text, at, hint) => {
    const [first] = tokenize(source).issues;
    expect(first).toEqual({
      message: `Syntax error: token recognition error at: ${text}`,
      at,
      ...(hint === undefined ? {} : {hint}),
    });
  });

  test('a long string that is not closed is an empty one and a fault behind it', () => {
    expect(tokensOf('"""a')).toEqual(['STRING ""']);
    expect(tokenize('"""a').issues).toHaveLength(1);
  });

  test('a prefix without its string is a name', () => {
    expect(tokensOf('r"a')).toEqual(['IDENT r']);
    expect(tokensOf('b"a')).toEqual(['IDENT b']);
  });

  test('what follows is read on', () => {
    expect(tokensOf('@a; b')).toEqual(['IDENT a', 'IDENT b']);
  });
});
