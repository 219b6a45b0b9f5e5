import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {describe, expect, it} from 'vitest';
import {withTimeLimit} from './time-limit.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Settles when the signal aborts, and keeps nothing of it alive by itself. */
const aborted = (signal: AbortSignal) => new Promise<string>(resolve => signal.addEventListener('abort', () => resolve((signal.reason as Error).name), {once: true}));

describe('a time limit', () => {
  it('ends work when the time is up, though memory was collected meanwhile', async () => {
    const collecting = setInterval(collect, 5);
    try {
      expect(await withTimeLimit(new AbortController().signal, 100, aborted)).toBe('TimeoutError');
    } finally {
      clearInterval(collecting);
    }
  });

  it('ends work with the signal around it, before and meanwhile', async () => {
    const outer = new AbortController();
    const work = withTimeLimit(outer.signal, 600_000, aborted);
    outer.abort(new DOMException('enough', 'AbortError'));
    expect(await work).toBe('AbortError');
    expect(await withTimeLimit(outer.signal, 600_000, async signal => signal.aborted)).toBe(true);
  });

  it('leaves work that is done in time as it is', async () => {
    expect(await withTimeLimit(new AbortController().signal, 600_000, async signal => signal.aborted)).toBe(false);
    await expect(withTimeLimit(new AbortController().signal, 600_000, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
