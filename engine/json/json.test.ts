import {Buffer} from 'node:buffer';
import {describe, expect, it} from 'vitest';
import {randomJson, seededRandom} from './testing/random.js';
import {deepClone, deepEqual, deepFreeze, parseJson, parseJsonBytes, stringifyJson} from './index.js';
import {scanJson} from './scan.js';
import {Float, type Json} from './types.js';

describe('parseJson', () => {
  it.each<[string, Json]>([
    ['1', 1],
    ['-0', 0],
    ['1.0', new Float(1)],
    ['1.00', new Float(1)],
    ['-2.0', new Float(-2)],
    ['1.5', 1.5],
    ['1.10', 1.1],
    ['1e3', new Float(1000)],
    ['1E3', new Float(1000)],
    ['1e-1', 0.1],
    ['15e-1', 1.5],
    ['10e-1', new Float(1)],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', new Float(2 ** 64)],
    ['100000000000000000000000', new Float(1e23)],
    ['1234567890123.45678901', 1234567890123.4568],
    ['12345678901234567.5', new Float(12345678901234568)],
    ['[1.0,{"a":[2.0]}]', [new Float(1), {a: [new Float(2)]}]],
    ['{"a":"1.0, ","b":1}', {a: '1.0, ', b: 1}],
    ['{"a":"x\\"1.0,","b":9007199254740993}', {a: 'x"1.0,', b: 9007199254740993n}],
    ['{"a":"\\\\","b":1.0}', {a: '\\', b: new Float(1)}],
    [' \t\r\n{ "a" : [ ] , "b" : { } , "c" : 1.0 } \n', {a: [], b: {}, c: new Float(1)}],
    ['{"a":1.0,"a":2}', {a: 2}],
    ['["\\u00e9\\ud83d\\ude00",1.0]', ['é😀', new Float(1)]],
  ])('reads %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it('keeps member names of prototypes as data on both ways', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1.0}}']) {
      const value = parseJson(text) as object;
      expect(Object.keys(value)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  it.each([
    ['', 'line 1, column 1: expected a value, found end of text'],
    ['{"a":}', 'line 1, column 6: expected a value, found "}"'],
    ['{"a":1.0,}', 'line 1, column 10: expected an object key, found "}"'],
    ['{"a":1,}', 'line 1, column 8: expected an object key, found "}"'],
    ['{a:1}', 'line 1, column 2: expected an object key, found "a"'],
    ['[1,]', 'line 1, column 4: expected a value, found "]"'],
    ['[1 2]', 'line 1, column 4: expected "," or "]", found "2"'],
    ['{"a" 1}', 'line 1, column 6: expected ":", found "1"'],
    ['{\n "a": 1.0,\n "b": tru\n}', 'line 3, column 7: expected a value, found "t"'],
    ['1 2', 'line 1, column 3: expected end of text, found "2"'],
    ['01', 'line 1, column 2: expected end of text, found "1"'],
    ['1.', 'line 1, column 2: expected end of text, found "."'],
    ['+1', 'line 1, column 1: expected a value, found "+"'],
    ['"a', 'line 1, column 1: string with a bad escape, a control character or no end'],
    ['"\\x"', 'line 1, column 1: string with a bad escape, a control character or no end'],
    ['"\u0001"', 'line 1, column 1: string with a bad escape, a control character or no end'],
    ['1e999', 'line 1, column 1: number beyond the range of a double'],
    [`${'[1,'.repeat(600)}`, 'line 1, column 1537: nested deeper than 512 levels'],
    [`${'['.repeat(600)}${']'.repeat(600)}`, 'line 1, column 513: nested deeper than 512 levels'],
    ['😀', 'line 1, column 1: expected a value, found "😀"'],
  ])('refuses %j with its place', (text, message) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError(`invalid JSON at ${message}`));
  });

  it('reads 512 levels', () => {
    expect(stringifyJson(parseJson(`${'['.repeat(512)}${']'.repeat(512)}`))).toHaveLength(1024);
  });

  it('reads long strings with escapes and many quotes in linear work', () => {
    const text = JSON.stringify({a: '\\"'.repeat(200_000), b: 1}).replace(/1\}$/, '1.0}');
    expect(parseJson(text)).toEqual({a: '\\"'.repeat(200_000), b: new Float(1)});
  });

  it('agrees with the native reader wherever that loses nothing', () => {
    const random = seededRandom(1);
    for (let round = 0; round < 300; round++) {
      const value = randomJson(random, 4);
      const text = stringifyJson(value);
      const native = JSON.parse(text) as Json;
      expect(stringifyJson(parseJson(text))).toBe(text);
      if (!scanJson(text).exact) expect(parseJson(text)).toEqual(native);
    }
  });
});

describe('scanJson', () => {
  it.each([
    ['{"a":"1.0 12345678901234567890 1e5"}', false],
    ['{"uid":"1e5","n":12345,"f":0.25}', false],
    ['{"n":1234567890123456}', true],
    ['{"n":1.0}', true],
    ['{"n":1.05}', false],
    ['[1e2]', true],
  ])('of %s says whether the exact reader is needed: %s', (text, exact) => {
    expect(scanJson(text).exact).toBe(exact);
  });
});

describe('parseJsonBytes', () => {
  it('reads UTF-8', () => {
    expect(parseJsonBytes(Buffer.from('{"a":"é😀"}'))).toEqual({a: 'é😀'});
  });

  it('reads a view into a larger buffer', () => {
    expect(parseJsonBytes(new Uint8Array(Buffer.from('xx{"a":1}yy')).subarray(2, 9))).toEqual({a: 1});
  });

  it('refuses bytes that are no UTF-8', () => {
    expect(() => parseJsonBytes(Uint8Array.of(0x22, 0xff, 0x22))).toThrow('JSON text is not valid UTF-8');
  });
});

describe('stringifyJson', () => {
  it.each<[Json, string]>([
    [9007199254740993n, '9007199254740993'],
    [new Float(1), '1'],
    [new Float(1e21), '1e+21'],
    [{b: 1n, a: [new Float(2), 'x', null, true, 0.5]}, '{"b":1,"a":[2,"x",null,true,0.5]}'],
    [{'a"b': 'é\n'}, '{"a\\"b":"é\\n"}'],
  ])('writes %o as %s', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it('sorts keys at every level when asked', () => {
    expect(stringifyJson({b: 1, a: {d: [{z: 1, y: 2}], c: 1}}, {sortKeys: true})).toBe(
      '{"a":{"c":1,"d":[{"y":2,"z":1}]},"b":1}',
    );
  });

  it('is undone by parseJson for any value', () => {
    const random = seededRandom(2);
    for (let round = 0; round < 500; round++) {
      const value = deepFreeze(randomJson(random, 4));
      expect(deepEqual(parseJson(stringifyJson(value)), value)).toBe(true);
      expect(deepEqual(parseJson(stringifyJson(value, {sortKeys: true})), value)).toBe(true);
    }
  });
});

describe('deepEqual', () => {
  it.each<[Json | undefined, Json | undefined, boolean]>([
    [1, new Float(1), true],
    [1, 1n, true],
    [9007199254740993n, 9007199254740992, false],
    [new Float(9007199254740992), 9007199254740992n, true],
    [1, '1', false],
    [1n, '1', false],
    [true, 1, false],
    [null, undefined, false],
    [null, {}, false],
    [[], {}, false],
    [{}, [], false],
    [{}, new Float(0), false],
    [{a: 1, b: 2}, {b: 2, a: 1}, true],
    [{a: 1}, {b: 1}, false],
    [{a: 1}, {a: 1, b: 1}, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{constructor: 1}, {}, false],
  ])('of %o and %o is %s', (a, b, expected) => {
    expect(deepEqual(a, b)).toBe(expected);
    expect(deepEqual(b, a)).toBe(expected);
  });
});

describe('deepClone', () => {
  it('shares nothing and keeps numbers and awkward keys', () => {
    const value = parseJson('{"a":[1,{"b":2.0}],"__proto__":{"c":9007199254740993}}') as {a: Json[]};
    const copy = deepClone(value);
    expect(stringifyJson(copy)).toBe(stringifyJson(value));
    expect(copy.a).not.toBe(value.a);
    expect(copy.a[1]).not.toBe(value.a[1]);
  });
});
