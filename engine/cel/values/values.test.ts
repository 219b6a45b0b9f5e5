import {describe, expect, test} from 'vitest';
import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {
  codePoints,
  compare,
  doubleOf,
  doubleText,
  durationText,
  equals,
  intOf,
  makeMap,
  mapEntries,
  mapGet,
  mapSize,
  parseDurationText,
  parseTimestamp,
  runtimeName,
  timestampText,
  toJson,
  typeOfValue,
  valueText,
} from './index.js';
import {Duration, Optional, Timestamp, TypeValue, Uint, type Value} from './value.js';

const fault = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
  return '';
};

describe('numbers', () => {
  test('ints are numbers while safe, bigints beyond, and end with int64', () => {
    expect(intOf(5n)).toBe(5);
    expect(intOf(2n ** 53n)).toBe(2n ** 53n);
    expect(Object.is(intOf(-0), 0)).toBe(true);
    expect(fault(() => intOf(2n ** 63n))).toBe('integer overflow');
    expect(fault(() => intOf(1e19))).toBe('integer overflow');
  });

  test('equality is by amount over all number types, NaN equals nothing', () => {
    expect(equals(1, doubleOf(1))).toBe(true);
    expect(equals(doubleOf(1), 1)).toBe(true);
    expect(equals(new Uint(1n), 1)).toBe(true);
    expect(equals(1, new Uint(1n))).toBe(true);
    expect(equals(2n ** 60n, doubleOf(2 ** 60))).toBe(true);
    expect(equals(1.5, 1)).toBe(false);
    expect(equals(Number.NaN, Number.NaN)).toBe(false);
    expect(equals(1, '1')).toBe(false);
    expect(equals(true, 1)).toBe(false);
  });

  test('order is exact between int and uint, by double otherwise', () => {
    expect(compare(2n ** 63n - 1n, new Uint(2n ** 63n))).toBe(-1);
    expect(compare(1, 1.5)).toBe(-1);
    expect(compare(new Float(2), 2)).toBe(0);
    expect(fault(() => compare(Number.NaN, 1))).toBe('NaN values cannot be ordered');
    expect(fault(() => compare('a', 1))).toBe('no such overload');
  });

  test('doubles print as Go prints them', () => {
    expect([3, 100000, 1e6, 1e21, 1e20, 1e-7, 0.0001, 0.00001, -0, 1.5, 123456789.125].map(doubleText)).toEqual([
      '3',
      '100000',
      '1e+06',
      '1e+21',
      '1e+20',
      '1e-07',
      '0.0001',
      '1e-05',
      '-0',
      '1.5',
      '1.23456789125e+08',
    ]);
  });
});

describe('maps', () => {
  test('names of prototype members are keys like others', () => {
    const map = makeMap([
      ['__proto__', 1],
      ['a', 2],
    ]);
    expect(mapGet(map, '__proto__')).toBe(1);
    expect(mapGet(map, 'constructor')).toBeUndefined();
    expect(mapGet({}, 'toString')).toBeUndefined();
    expect(mapSize(map)).toBe(2);
  });

  test('keys of other types, numbers found by amount, the last of equal keys wins', () => {
    const map = makeMap([
      ['a', 1],
      [1, 2],
      [new Uint(2n ** 63n), 3],
      [true, 4],
      [1, 5],
    ]);
    expect(mapGet(map, new Uint(1n))).toBe(5);
    expect(mapGet(map, doubleOf(1))).toBe(5);
    expect(mapGet(map, doubleOf(2 ** 63))).toBe(3);
    expect(mapGet(map, true)).toBe(4);
    expect(mapGet(map, 'a')).toBe(1);
    expect(mapGet(map, 1.5)).toBeUndefined();
    expect([...mapEntries(map)]).toContainEqual([new Uint(2n ** 63n), 3]);
    expect(fault(() => makeMap([[1.5, 1]]))).toBe('unsupported key type');
  });

  test('equality over both representations', () => {
    expect(equals({a: 1}, new Map<string, Value>([['a', doubleOf(1)]]))).toBe(true);
    expect(equals({a: 1}, {a: 1, b: 2})).toBe(false);
    expect(equals({a: undefined as never}, {})).toBe(false);
  });
});

describe('text and time', () => {
  test('code points', () => {
    expect(codePoints('aé😀')).toBe(3);
    expect(codePoints('\ud83d')).toBe(1);
  });

  test('strings compare by code point, not by UTF-16 unit', () => {
    expect(compare('\uff5e', '😀')).toBe(-1);
    expect(compare('a', 'ab')).toBe(-1);
  });

  test('durations and timestamps', () => {
    expect(durationText(parseDurationText('1h30m'))).toBe('5400s');
    expect(durationText(new Duration(-1_500_000_000n))).toBe('-1.5s');
    expect(fault(() => parseDurationText('1d'))).toBe(
      "type conversion error from 'string' to 'google.protobuf.Duration'",
    );
    expect(timestampText(parseTimestamp('2024-01-01T01:00:00.250+01:00'))).toBe('2024-01-01T00:00:00.25Z');
    expect(timestampText(parseTimestamp('0001-01-01T00:00:00Z'))).toBe('0001-01-01T00:00:00Z');
    expect(fault(() => parseTimestamp('2024-01-01'))).toBe('invalid RFC 3339 timestamp "2024-01-01"');
    expect(fault(() => parseTimestamp('0000-01-01T00:00:00Z'))).toBe('timestamp overflow');
  });
});

test('types at run time', () => {
  expect(
    [1, 1.5, new Float(1), 2n ** 60n, new Uint(1n), 'a', null, true, [], {}, new Map()].map(v => typeOfValue(v).kind),
  ).toEqual(['int', 'double', 'double', 'int', 'uint', 'string', 'null', 'bool', 'list', 'map', 'map']);
  expect(runtimeName(typeOfValue(new Timestamp(0n)))).toBe('google.protobuf.Timestamp');
  expect(equals(new TypeValue(typeOfValue([1])), new TypeValue(typeOfValue(['a'])))).toBe(true);
});

describe('JSON', () => {
  test('plain JSON is handed on, the rest becomes JSON', () => {
    const plain = {a: [1, {b: null}], c: new Float(1)};
    expect(toJson(plain)).toBe(plain);
    expect(toJson([1, new Uint(7n), new Map([['k', new Optional('x')]]), new Uint8Array([104, 105])])).toEqual([
      1,
      7,
      {k: 'x'},
      'aGk=',
    ]);
    expect(fault(() => toJson(Number.NaN))).toContain('no JSON');
    expect(fault(() => toJson(Optional.none))).toContain('optional.none()');
    expect(fault(() => toJson(new Map([[1, 2]])))).toContain('key of type int');
  });

  test('valueText is CEL, cut where it is asked to', () => {
    expect(valueText({a: [1, new Uint(2n), doubleOf(3), 0.5], b: null})).toBe('{"a": [1, 2u, 3.0, 0.5], "b": null}');
    expect(valueText(['x'.repeat(100)], 10)).toHaveLength(11);
  });
});
