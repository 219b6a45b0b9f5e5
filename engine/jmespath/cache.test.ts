import {describe, expect, it} from 'vitest';
import {LruCache} from './cache.js';

describe('a bounded cache', () => {
  it('makes each value once and forgets what was used least recently', () => {
    const made: string[] = [];
    const cache = new LruCache<string>(2);
    const get = (key: string) =>
      cache.getOrMake(key, () => {
        made.push(key);
        return key.toUpperCase();
      });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(get(key)).toBe(key.toUpperCase());
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(cache.size).toBe(2);
  });

  it('keeps nothing of what could not be made', () => {
    const cache = new LruCache<number>(2);
    const fail = () => {
      throw new Error('no');
    };
    expect(() => cache.getOrMake('a', fail)).toThrow('no');
    expect(cache.size).toBe(0);
    expect(cache.getOrMake('a', () => 1)).toBe(1);
  });
});
