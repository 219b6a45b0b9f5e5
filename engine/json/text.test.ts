import {describe, expect, it} from 'vitest';
import {parseJson} from './parse.js';
import {textMapOf, textOf} from './text.js';
import type {Json} from './types.js';

describe('text in objects that may hold anything', () => {
  it.each<[Json | undefined, string]>([
    ['a', 'a'],
    ['', ''],
    [1, ''],
    [null, ''],
    [undefined, ''],
    [['a'], ''],
  ])('%j is %j', (value, want) => {
    expect(textOf(value)).toBe(want);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['null', {}],
    ['["a"]', {}],
    ['{"a":"b"}', {a: 'b'}],
    ['{"a":"b","c":1,"d":{"e":"f"}}', {a: 'b'}],
  ])('of %s only strings count', (text, want) => {
    expect(textMapOf(parseJson(text))).toEqual(want);
  });

  it('keeps a prototype key an own key', () => {
    const map = textMapOf(parseJson('{"__proto__":"x","a":1}'));
    expect(Object.getOwnPropertyNames(map)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  });
});
