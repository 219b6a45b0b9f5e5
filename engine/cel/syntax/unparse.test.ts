import {describe, expect, test} from 'vitest';
import {parse} from './parse.js';
import {unparse} from './unparse.js';

const text = (source: string): string => unparse(parse(source, {twoVariableMacros: true}).expr!);

describe('text of a tree', () => {
  test.each([
    ['a&&b||c', 'a && b || c'],
    ['a&&(b||c)', 'a && (b || c)'],
    ['a&&(b&&c)', 'a && b && c'],
    ['a-(b-c)', 'a - (b - c)'],
    ['(a-b)-c', 'a - b - c'],
    ['(a?b:c)?(d?e:f):(g?h:i)', '(a ? b : c) ? (d ? e : f) : g ? h : i'],
    ['!(a&&b)', '!(a && b)'],
    ['!(!a)', '!(!a)'],
    ['-(1)', '-(1)'],
    ['(a+b).c', '(a + b).c'],
    ['(a+b)[0]', '(a + b)[0]'],
    ['has( a . b )', 'has(a.b)'],
    ['a.?b[?0].`c d`', 'a.?b[?0].`c d`'],
    ['a.`in`.`if`', 'a.`in`.if'],
    ['[a,?b,]', '[a, ?b]'],
    ["{'a':1,?b:c}", '{"a": 1, ?b: c}'],
    ['Object.spec{a:1,?`in`:b}', 'Object.spec{a: 1, ?`in`: b}'],
    ['a.map(x,x>1,x*2)', 'a.map(x, x > 1, x * 2)'],
    ['a.exists_one(x,x)', 'a.exists_one(x, x)'],
    ['a.exists_one(i,x,x)', 'a.existsOne(i, x, x)'],
    ['(a+b).all(x,x)', '(a + b).all(x, x)'],
    ['cel.bind(a,1,a)', 'cel.bind(a, 1, a)'],
    ['math.greatest(a,b)', 'math.greatest(a, b)'],
    ['1u+2u', '1u + 2u'],
    ['1.0+1e30+.5', '1.0 + 1e+30 + 0.5'],
    ["'a\"\\n\\x01\\\\'", '"a\\"\\n\\x01\\\\"'],
    ["r'\\d'", '"\\\\d"'],
    ["b'a\\xff'", 'b"a\\xff"'],
    ['null==true', 'null == true'],
    ['.a.b(.c)', '.a.b(.c)'],
    ['"é😀"', '"é😀"'],
  ])('%s', (source, expected) => {
    expect(text(source)).toBe(expected);
    expect(text(expected)).toBe(expected);
  });
});
