import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import {createWorkQueue, TerminalError, type WorkQueueOptions} from './work-queue.js';

function queueOf(options: Partial<WorkQueueOptions> & Pick<WorkQueueOptions, 'run'>) {
  const clock = createManualClock();
  const errors: Array<number | undefined> = [];
  const queue = createWorkQueue({
    clock,
    concurrency: 1,
    random: () => 0.999999,
    onError: (_key, _error, retryInMs) => errors.push(retryInMs === undefined ? undefined : Math.round(retryInMs)),
    ...options,
  });
  return {clock, errors, queue};
}

describe('work queue', () => {
  it('runs a key once for a burst of changes', async () => {
    const runs: string[] = [];
    const {queue} = queueOf({run: key => void runs.push(key)});
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    await eventually(() => queue.size === 0);
    expect(runs).toEqual(['a', 'b']);
  });

  it('runs a key again that changed while it ran, never at the same time', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const {queue} = queueOf({
      concurrency: 4,
      async run() {
        running += 1;
        most = Math.max(most, running);
        await turns(2);
        if (runs === 0) {
          queue.add('a');
          queue.add('a');
        }
        running -= 1;
        runs += 1;
      },
    });
    queue.add('a');
    await eventually(() => queue.size === 0);
    expect({most, runs}).toEqual({most: 1, runs: 2});
  });

  it('runs as many keys at a time as it may', async () => {
    let running = 0;
    let most = 0;
    const {queue} = queueOf({
      concurrency: 3,
      async run() {
        running += 1;
        most = Math.max(most, running);
        await turns(2);
        running -= 1;
      },
    });
    for (let key = 0; key < 10; key += 1) queue.add(String(key));
    await eventually(() => queue.size === 0);
    expect(most).toBe(3);
  });

  it('waits twice as long after each failure, up to the limit, and starts afresh after a success', async () => {
    let failing = true;
    let runs = 0;
    const {queue, clock, errors} = queueOf({
      maxRetryMs: 30,
      run() {
        runs += 1;
        if (failing) throw new Error('no');
      },
    });
    queue.add('a');
    for (let failure = 1; failure <= 5; failure += 1) {
      await eventually(() => errors.length === failure);
      await turns(2);
      clock.advance(30);
    }
    await eventually(() => errors.length === 6);
    expect(errors).toEqual([5, 10, 20, 30, 30, 30]);
    failing = false;
    await turns(2);
    clock.advance(30);
    await eventually(() => runs === 7);
    failing = true;
    queue.add('a');
    await eventually(() => errors.length === 7);
    expect(errors[6]).toBe(5);
    await queue.stop();
  });

  it('draws a part of each wait by chance', async () => {
    const {queue, errors} = queueOf({random: () => 0, run: () => Promise.reject(new Error('no'))});
    queue.add('a');
    await eventually(() => errors.length === 1);
    expect(errors).toEqual([3]);
    await queue.stop();
  });

  it('does not try again after a terminal error', async () => {
    const {queue, clock, errors} = queueOf({run: () => Promise.reject(new TerminalError('never'))});
    queue.add('a');
    await eventually(() => queue.size === 0);
    expect(errors).toEqual([undefined]);
    expect(clock.pending()).toBe(0);
  });

  it('brings a waiting retry forward when the key changes', async () => {
    let runs = 0;
    const {queue, clock} = queueOf({
      run() {
        runs += 1;
        if (runs === 1) throw new Error('no');
      },
    });
    queue.add('a');
    await eventually(() => runs === 1 && queue.size === 1);
    queue.add('a');
    await eventually(() => queue.size === 0);
    expect({runs, pending: clock.pending()}).toEqual({runs: 2, pending: 0});
  });

  it('does not let a failing key hold up the others', async () => {
    const runs: string[] = [];
    const {queue} = queueOf({
      run(key) {
        runs.push(key);
        if (key === 'bad') throw new Error('no');
      },
    });
    queue.add('bad');
    queue.add('good');
    await eventually(() => runs.length === 2);
    expect(runs).toEqual(['bad', 'good']);
    await queue.stop();
  });

  it('keeps keys while paused', async () => {
    const runs: string[] = [];
    const {queue} = queueOf({run: key => void runs.push(key)});
    queue.pause();
    queue.add('a');
    await turns();
    expect(runs).toEqual([]);
    queue.resume();
    await eventually(() => runs.length === 1);
  });

  it('runs a key later when asked to', async () => {
    const runs: string[] = [];
    const {queue, clock} = queueOf({run: key => void runs.push(key)});
    queue.addAfter('a', 1_000);
    clock.advance(999);
    await turns();
    expect(runs).toEqual([]);
    clock.advance(1);
    await eventually(() => runs.length === 1);
  });

  it('brings a later run forward, and never puts an earlier one off', async () => {
    const runs: string[] = [];
    const {queue, clock} = queueOf({run: key => void runs.push(key)});
    queue.addAfter('a', 30_000);
    queue.addAfter('a', 50);
    queue.addAfter('a', 30_000);
    clock.advance(50);
    await eventually(() => runs.length === 1);
    clock.advance(60_000);
    await turns();
    expect(runs).toEqual(['a']);
  });

  it('lets what runs end when stopped, and starts no more', async () => {
    let ended = 0;
    const {queue} = queueOf({
      async run() {
        await turns(3);
        ended += 1;
      },
    });
    queue.add('a');
    queue.add('b');
    await turns(1);
    await queue.stop();
    expect(ended).toBe(1);
    await turns();
    expect(ended).toBe(1);
  });
});

describe('lanes', () => {
  it('take turns: one with many keys keeps no other one waiting', async () => {
    const runs: string[] = [];
    const {queue} = queueOf({run: key => void runs.push(key), laneOf: key => key.slice(0, 1)});
    for (const key of ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1']) queue.add(key);
    await eventually(() => queue.size === 0);
    expect(runs).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });
});
