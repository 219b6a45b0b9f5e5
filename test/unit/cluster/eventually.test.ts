import {describe, expect, it} from 'vitest';
import {addWitness, eventually} from '../../cluster/eventually.js';

async function errorOf(attempt: () => never | false): Promise<Error> {
  const outcome = await eventually(attempt, {what: 'it', timeoutMs: 1, everyMs: 1}).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  return outcome as Error;
}

describe('eventually', () => {
  it('gives what the attempt returns in the end', async () => {
    let tries = 0;
    const attempt = () => {
      tries += 1;
      if (tries === 2) throw new Error('not yet');
      return tries > 2 && 'done';
    };
    expect(await eventually(attempt, {what: 'it', everyMs: 1})).toBe('done');
  });

  it('tells the last error as the cause', async () => {
    const cause = new Error('why');
    const error = await errorOf(() => {
      throw cause;
    });
    expect([error.message, error.cause]).toEqual(['it: not within 0.001 s', cause]);
  });

  it('hears every witness, also one that fails, until it is dismissed', async () => {
    const dismiss = [
      addWitness(async () => 'the lights went out'),
      addWitness(async () => {
        throw new Error('asleep');
      }),
    ];
    const {message} = await errorOf(() => false);
    for (const end of dismiss) end();
    expect(message.split('\n')).toEqual([
      'it: not within 0.001 s',
      'the lights went out',
      'a witness failed: Error: asleep',
    ]);
    expect((await errorOf(() => false)).message).toBe('it: not within 0.001 s');
  });

  it('gives up at once when it cannot come true any more', async () => {
    const assertPossible = () => {
      throw new Error('gone');
    };
    await expect(eventually(() => false, {what: 'it', assertPossible})).rejects.toThrow('gone');
  });
});
