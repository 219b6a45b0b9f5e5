import {describe, expect, it} from 'vitest';
import {drive, type Steps} from './drive.js';

function* sum(values: ReadonlyArray<number | Promise<number>>): Steps<number> {
  let total = 0;
  for (const value of values) total += typeof value === 'number' ? value : ((yield value) as number);
  return total;
}

describe('driven work', () => {
  it('that waits for nothing makes no Promise', () => {
    expect(drive(sum([1, 2, 3]))).toBe(6);
  });

  it('goes on with what it waited for', async () => {
    const result = drive(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]));
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe(10);
  });

  it('fails as what it waited for', async () => {
    await expect(drive(sum([Promise.reject(new Error('gone'))]))).rejects.toThrow('gone');
  });

  it('throws at once what it throws before it waits', () => {
    const broken = function* (): Steps<number> {
      yield* sum([]);
      throw new Error('broken');
    };
    expect(() => drive(broken())).toThrow('broken');
  });
});
