import {describe, expect, it} from 'vitest';
import {LruCache} from './cache.js';

describe('a bounded cache', () => {
  it('makes each value once and forgets what was used least recently', () => {
    const made: string[] = [];
    const cache = new LruCache<string>({entries: 2, characters: 100});
    const get = (key: string) =>
      cache.getOrMake(key, () => {
        made.push(key);
        return key.toUpperCase();
      });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(get(key)).toBe(key.toUpperCase());
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(cache.size).toBe(2);
  });

  it('counts the characters of its keys', () => {
    const cache = new LruCache<number>({entries: 100, characters: 80});
    for (let index = 0; index < 20; index++) cache.getOrMake(`key-${index + 100}`, () => index);
    expect(cache.size).toBe(11);
    cache.getOrMake('x'.repeat(11), () => 1);
    expect(cache.size).toBe(11);
  });

  it('keeps nothing of what could not be made', () => {
    const cache = new LruCache<number>({entries: 2, characters: 100});
    const fail = () => {
      throw new Error('no');
    };
    expect(() => cache.getOrMake('a', fail)).toThrow('no');
    expect(cache.size).toBe(0);
    expect(cache.getOrMake('a', () => 1)).toBe(1);
  });
});
