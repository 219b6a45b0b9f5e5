import {describe, expect, test} from 'vitest';
import {Float} from '../../json/types.js';
import {Uint} from '../values/value.js';
import type {Expr} from './ast.js';
import {parse} from './parse.js';

const options = {twoVariableMacros: true};

function tree(source: string): Expr {
  const {expr, issues} = parse(source, options);
  if (expr === undefined) throw new Error(`${source}: ${issues[0]!.message}`);
  return expr;
}

const faults = (source: string) => (parse(source, options).issues ?? []).map(({message, at}) => [message, at]);
const hint = (source: string) => parse(source, options).issues?.[0]?.hint;

/** Operators with parentheses around each of them. */
function grouped(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return String(expr.value instanceof Float ? expr.value.value : expr.value);
    case 'ident':
      return expr.name;
    case 'select':
      return `${grouped(expr.operand)}${expr.optional ? '.?' : '.'}${expr.field}`;
    case 'call':
      return `${expr.name}(${[...(expr.target === undefined ? [] : [expr.target]), ...expr.args].map(grouped).join(' ')})`;
    default:
      return expr.kind;
  }
}

describe('operators', () => {
  test.each([
    ['products before sums', 'a + b * c', '_+_(a _*_(b c))'],
    ['sums before comparisons', 'a + b < c', '_<_(_+_(a b) c)'],
    ['comparisons before and', 'a == b && c', '_&&_(_==_(a b) c)'],
    ['and before or', 'a || b && c', '_||_(a _&&_(b c))'],
    ['or before a choice', 'a || b ? c : d', '_?_:_(_||_(a b) c d)'],
    ['equal ranks from the left', 'a - b - c', '_-_(_-_(a b) c)'],
    ['comparisons from the left', '1 == 1 == true', '_==_(_==_(1 1) true)'],
    ['choices from the right', 'a ? b : c ? d : e', '_?_:_(a b _?_:_(c d e))'],
    ['parentheses', '(a + b) * c', '_*_(_+_(a b) c)'],
    ['in', 'a in b.c', '@in(a b.c)'],
    ['not binds closer than selection does not', '!a.b', '!_(a.b)'],
    ['even numbers of signs cancel out', '!!a == --b', '_==_(a b)'],
    ['odd numbers of signs are one', '!!!a', '!_(a)'],
    ['not of a negative number', '!-1', '!_(-1)'],
    ['chains of or are balanced, in order', 'a || b || c || d', '_||_(_||_(a b) _||_(c d))'],
    ['chains of and are balanced, in order', 'a && b && c', '_&&_(_&&_(a b) c)'],
  ])('%s', (_name, source, expected) => {
    expect(grouped(tree(source))).toBe(expected);
  });
});

describe('members', () => {
  test.each([
    ['fields', 'a.b.c', 'a.b.c'],
    ['fields with words of other languages', 'a.if.namespace.var', 'a.if.namespace.var'],
    ['backquoted fields', 'a.`b/c`.`in`', 'a.b/c.in'],
    ['optional fields', 'a.?b', 'a.?b'],
    ['backquoted optional fields', 'a.?`b-c`', 'a.?b-c'],
    ['elements', 'a[0]["b"]', '_[_](_[_](a 0) b)'],
    ['optional elements', 'a[?0]', '_[?_](a 0)'],
    ['receiver calls', 'a.b(c).d()', 'd(b(a c))'],
    ['calls', 'f()', 'f()'],
    ['names from the root', '.a.b', '.a.b'],
    ['calls from the root', '.f(1)', '.f(1)'],
    ['a sign of a number belongs to it', '-1.abs()', 'abs(-1)'],
    ['lines may end anywhere', 'a\r\n.b\n(c)', 'b(a c)'],
    ['comments', 'a // first\n + b // last', '_+_(a b)'],
  ])('%s', (_name, source, expected) => {
    expect(grouped(tree(source))).toBe(expected);
  });
});

describe('literals', () => {
  test.each<[string, unknown]>([
    ['0', 0],
    ['-0', 0],
    ['0x10', 16],
    ['-0x10', -16],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['1u', new Uint(1n)],
    ['18446744073709551615u', new Uint(18446744073709551615n)],
    ['1.5', 1.5],
    ['1.0', new Float(1)],
    ['-2.0', new Float(-2)],
    ['-0.0', new Float(-0)],
    ['1e3', new Float(1000)],
    ['.25', 0.25],
    ['true', true],
    ['null', null],
    ['"a\\n\\t\\"\\\\\\?\\`\\a\\b\\f\\r\\v\\\'"', 'a\n\t"\\?`\u0007\b\f\r\v\''],
    ['"\\x41\\101\\u00e9\\U0001F600"', 'AAé😀'],
    ["'''a\r\nb\rc'''", 'a\nb\nc'],
    ['r"\\d\\"', '\\d\\'],
    ['"__proto__"', '__proto__'],
    ['b"a\\xffé\\377"', Uint8Array.of(97, 255, 0xc3, 0xa9, 255)],
    ['br"\\x"', Uint8Array.of(92, 120)],
  ])('%s', (source, value) => {
    const expr = tree(source);
    expect(expr.kind === 'literal' ? expr.value : expr).toEqual(value);
  });

  test.each([
    ['9223372036854775808', 'invalid int literal'],
    ['-9223372036854775809', 'invalid int literal'],
    ['18446744073709551616u', 'invalid uint literal'],
    ['1e999', 'invalid double literal'],
    ['"\\ud800"', 'invalid unicode code point'],
    ['"\\U00110000"', 'invalid unicode code point'],
    ['b"\\u0041"', 'unable to unescape string'],
  ])('%s is refused', (source, message) => {
    expect(faults(source)).toEqual([[message, 0]]);
  });
});

describe('lists, maps, messages', () => {
  test('may end in a comma', () => {
    for (const source of ['[1,]', '[,]', '{1: 2,}', '{,}', 'A{b: 1,}', 'A{,}']) expect(faults(source)).toEqual([]);
    expect(faults('f(1,)')).toHaveLength(1);
  });

  test('may have optional elements', () => {
    expect(tree('[?a, b]')).toMatchObject({items: [{optional: true}, {optional: false}]});
    expect(tree('{?a: b}')).toMatchObject({entries: [{optional: true, at: 3}]});
    expect(tree('A{?b: c}')).toMatchObject({fields: [{optional: true, name: 'b'}]});
  });

  test('messages have names of several parts, and fields between backquotes', () => {
    expect(tree('Object.spec{replicas: 1, `in`: 2}')).toMatchObject({
      kind: 'message',
      name: 'Object.spec',
      at: 11,
      fields: [
        {name: 'replicas', at: 20},
        {name: 'in', at: 29},
      ],
    });
    expect(tree('.A{}.b')).toMatchObject({kind: 'select', operand: {name: '.A'}});
  });

  test('only names are followed by a brace', () => {
    for (const source of ['a(){}', '(a){}', 'a[0]{}', '"a"{}', 'a.`b`{}']) expect(faults(source)).not.toEqual([]);
  });
});

describe('places are those of cel-go', () => {
  test.each([
    ['a.b', 1],
    ['a . b', 2],
    ['a.?b', 1],
    ['f(x)', 1],
    ['a.f(x)', 3],
    ['a[0]', 1],
    ['a + b', 2],
    ['!a', 0],
    [' -1', 1],
    ['a ? b : c', 2],
    ['[a]', 0],
    ['A{}', 1],
    ['(a)', 1],
    ['has(a.b)', 3],
    ['a.all(x, x)', 5],
    ['cel.bind(a, 1, a)', 8],
  ])('%s', (source, at) => {
    expect(tree(source).at).toBe(at);
  });
});

describe('faults', () => {
  const operand =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
  test.each<[string, ReadonlyArray<readonly [string, number]>]>([
    ['', [[`Syntax error: mismatched input '<EOF>' expecting ${operand}`, 0]]],
    ['1 +', [[`Syntax error: mismatched input '<EOF>' expecting ${operand}`, 3]]],
    ['(1', [["Syntax error: missing ')' at '<EOF>'", 2]]],
    ['a b', [["Syntax error: extraneous input 'b' expecting <EOF>", 2]]],
    ['a b c', [["Syntax error: mismatched input 'b' expecting <EOF>", 2]]],
    ['{"a" 1}', [["Syntax error: missing ':' at '1'", 5]]],
    ['{a}', [["Syntax error: mismatched input '}' expecting ':'", 2]]],
    ['true ? 1', [["Syntax error: mismatched input '<EOF>' expecting ':'", 8]]],
    ['[1, 2', [["Syntax error: mismatched input '<EOF>' expecting {']', ','}", 5]]],
    ['f(1', [["Syntax error: mismatched input '<EOF>' expecting {')', ','}", 3]]],
    ['x.in', [["Syntax error: no viable alternative at input '.in'", 2]]],
    ['x.', [["Syntax error: no viable alternative at input '.'", 2]]],
    ['in', [[`Syntax error: mismatched input 'in' expecting ${operand}`, 0]]],
    ['`a`', [[`Syntax error: mismatched input '\`a\`' expecting ${operand}`, 0]]],
    ['if', [['reserved identifier: if', 0]]],
    [
      'while(a) + for',
      [
        ['reserved identifier: while', 0],
        ['reserved identifier: for', 11],
      ],
    ],
    [
      'a = b',
      [
        ["Syntax error: token recognition error at: '= '", 2],
        ["Syntax error: extraneous input 'b' expecting <EOF>", 4],
      ],
    ],
    ['A{1: 2}', [["Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", 2]]],
  ])('%s', (source, expected) => {
    expect(faults(source)).toEqual(expected);
  });

  test.each([
    ['a and b', 'and is written &&'],
    ['a?.b', 'an optional field is written a.?b'],
    ['a ?? b', 'a default is written a.?b.orValue(c)'],
    ['a <> b', 'to compare, write !='],
    ['a[].b', 'to look at every element, write list.all(x, …) or list.exists(x, …)'],
    ['a[*].b', 'to look at every element, write list.all(x, …) or list.exists(x, …)'],
    ['{{request.object}}', '{{…}} belongs to the classic policies; in CEL write the expression itself'],
    ['a OR b', 'or is written ||'],
    ['a.*', 'to look at every element, write list.all(x, …) or list.exists(x, …)'],
    ['labels."a/b"', 'write ["a/b"] for a field whose name is no plain word'],
    ['a.in', 'in is a word of the language; write ["in"]'],
    ['!-a', 'put parentheses around the inner operation: !(-x)'],
    [`'it's'`, "a quote within a string ends it: write \\', or put the string between the other quotes"],
    ['has(object)', 'has() takes a field, as in has(object.spec)'],
    ['has(a["b"])', 'to look for a key, write "key" in map'],
    ['has(a.?b)', 'write a.?b.hasValue()'],
    ['99999999999999999999', 'int has 64 bits; write 1e20 for a double, or "…" for text'],
  ])('%s has a hint', (source, expected) => {
    expect(hint(source)).toBe(expected);
  });

  test('come in the order of the text', () => {
    const places = (parse('99999999999999999999 + @ + if + [', options).issues ?? []).map(issue => issue.at);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.length).toBe(5);
  });
});
