import {describe, expect, it} from 'vitest';
import {evaluated} from '../../../test/cel/evaluated.js';

describe('functions of texts', () => {
  it.each([
    ['"añb😀c".charAt(3)', '"😀"'],
    ['"ab".charAt(2)', '""'],
    ['"ab".charAt(3)', 'error: index out of range: 3'],
    ['"ab".charAt(-1)', 'error: index out of range: -1'],
    ['"a😀b😀".indexOf("b")', '2'],
    ['"a😀b😀".indexOf("😀", 2)', '3'],
    ['"abc".indexOf("", 9)', '3'],
    ['"abc".indexOf("c", 9)', '-1'],
    ['"abc".indexOf("c", -1)', 'error: index out of range: -1'],
    ['"a😀b😀".lastIndexOf("😀")', '3'],
    ['"a😀b😀".lastIndexOf("😀", 2)', '1'],
    ['"abc".lastIndexOf("")', '3'],
    ['"abc".lastIndexOf("c", 3)', '-1'],
    ['"abc".lastIndexOf("c", -1)', 'error: index out of range: -1'],
    ['"ÄbÇd".lowerAscii()', '"ÄbÇd"'],
    ['"äBcD".upperAscii()', '"äBCD"'],
    ['"aXbXc".replace("X", "-", 1)', '"a-bXc"'],
    ['"a$b".replace("$", "$&")', '"a$&b"'],
    ['"a😀".replace("", "-")', '"-a-😀-"'],
    ['"abc".replace("", "-", 2)', '"-a-bc"'],
    ['"abc".replace("b", "x", 0)', '"abc"'],
    ['"abc".replace("b", "x", -1)', '"axc"'],
    ['"a,b,c".split(",", 2)', '["a", "b,c"]'],
    ['"a,b,c".split(",", 0)', '[]'],
    ['"a😀c".split("")', '["a", "😀", "c"]'],
    ['"a😀c".split("", 2)', '["a", "😀c"]'],
    ['"".split(",")', '[""]'],
    ['"".split("")', '[]'],
    ['"a😀bc".substring(2)', '"bc"'],
    ['"a😀bc".substring(1, 3)', '"😀b"'],
    ['"abc".substring(2, 1)', 'error: invalid substring range. start: 2, end: 1'],
    ['"abc".substring(4)', 'error: index out of range: 4'],
    ['"abc".substring(0, 4)', 'error: index out of range: 4'],
    ['"\\u0085\\u2003 a\\ufeff\\t".trim() == "a\\ufeff"', 'true'],
    ['["a", "b"].join("-")', '"a-b"'],
    ['["a", "b"].join()', '"ab"'],
    ['[].join(",")', '""'],
    ['strings.quote("a\\"\\\\\\n\\a") == "\\"a\\\\\\"\\\\\\\\\\\\n\\\\a\\""', 'true'],
    ['"abc".reverse()', expect.stringContaining("fault: found no matching overload for 'reverse'")],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it('join texts only', () => {
    expect(evaluated('x.join(",")', {x: ['a', 1]})).toBe('error: join: invalid input: 1');
    expect(evaluated('x.join(",")', {x: [1]})).toBe('error: no such overload: join(list, string)');
    expect(evaluated('x.join()', {x: [1]})).toBe('error: no such overload: join(list)');
  });
});

describe('a format', () => {
  it.each([
    ['"%s, %s and %s".format(["a", 1, true])', '"a, 1 and true"'],
    ['"%d%% of %d".format([5, 9u])', '"5% of 9"'],
    ['"%f".format([1234567.5])', '"1,234,567.500000"'],
    ['"%.0f %.0f %.0f".format([0.5, 1.5, 2.5])', '"0 2 2"'],
    ['"%.3f".format([-0.0005])', '"-0.001"'],
    ['"%.25f".format([0.1])', '"0.1000000000000000055511151"'],
    ['"%e %e".format([1234.5, 0.00012])', '"1.234500×10⁰³ 1.200000×10⁻⁰⁴"'],
    ['"%e".format([9.9999999])', '"1.000000×10⁰¹"'],
    ['"%.16e".format([0.0])', '"   0.000000×10⁰⁰"'],
    ['"%f %e %f".format([1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0])', '"∞ -∞ NaN"'],
    ['"%f".format(["Infinity"])', '"∞"'],
    ['"%x %X %x %o %b %b".format([255, 255u, "az", 8, 5, true])', '"ff FF 617a 10 101 1"'],
    ['"%x %b".format([-255, -5])', '"-ff -101"'],
    ['"%s".format([timestamp("2024-01-02T03:04:05Z")])', '"2024-01-02T03:04:05Z"'],
    ['"%s".format([[timestamp("2024-01-02T03:04:05Z")]])', '"[timestamp(\\"2024-01-02T03:04:05Z\\")]"'],
    ['"%s".format([1.0])', '"1"'],
    ['"%s".format([[1.0]])', '"[1.000000]"'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it('prints maps with sorted keys, and texts inside as literals', () => {
    const x = {b: 1, a: ['é\u0001', null, 1.5]};
    expect(evaluated('"%s".format([x])', {x})).toBe('"{\\"a\\":[\\"é\\\\x01\\", null, 1.500000], \\"b\\":1}"');
  });

  it.each([
    ['"%d".format(["a"])', 'error during formatting: decimal clause can only be used on integers, was given string'],
    ['"%f".format([1])', 'error during formatting: fixed-point clause can only be used on doubles, was given int'],
    [
      '"%s".format([[quantity("1")]])',
      'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity',
    ],
    ['"%s %s".format(["a"])', 'index 1 out of range'],
    ['"%s".format(["a", "b"])', 'too many arguments supplied to string.format (expected 1, got 2)'],
    ['"%".format([1])', 'unexpected end of string'],
    ['"%q".format([1])', 'could not parse formatting clause: unrecognized formatting clause "q"'],
    [
      '"%.f".format([1.5])',
      'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
    [
      '"%.3".format([1.5])',
      'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
    ],
  ])('of literals is judged before it runs: %s', (source, fault) => {
    expect(evaluated(source)).toBe(`fault: ${fault}`);
  });

  it.each([
    ['%s %s', ['a'], 'index 1 out of range'],
    ['%d', ['a'], 'error during formatting: decimal clause can only be used on integers, was given string'],
    ['%s', [new Uint8Array([255])], expect.stringContaining('invalid UTF-8 in bytes')],
    ['%e', ['a'], 'error during formatting: scientific clause can only be used on doubles, was given string'],
  ])('of values is judged when it runs: %s of %j', (x, y, fault) => {
    const error = evaluated('x.format(y)', {x, y});
    expect(error.startsWith('error: ')).toBe(true);
    expect(error.slice(7)).toEqual(fault);
  });

  it('makes no more than the budget has', () => {
    expect(evaluated('"%.999999999f".format([1.5])')).toContain('context size limit exceeded');
  });
});
