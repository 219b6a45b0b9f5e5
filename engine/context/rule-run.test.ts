import {describe, expect, it} from 'vitest';
import {BudgetError, EvalError} from '../diagnostic.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {runOf} from '../testing/scopes.js';
import {isPromise, Suspend} from './suspend.js';

const later = <T>(value: T) => Promise.resolve(value);

describe('a body that has to wait', () => {
  it('starts again until all it asks for is there, each load made once', async () => {
    const run = runOf();
    const loads: string[] = [];
    let starts = 0;
    const load = (key: string) =>
      run.settle(key, () => {
        loads.push(key);
        return later(key.toUpperCase());
      });
    const answer = run.complete(() => {
      starts += 1;
      return [load('a'), load('b'), load('a')].join('');
    });
    expect(isPromise(answer)).toBe(true);
    expect(await answer).toBe('ABA');
    expect({starts, loads}).toEqual({starts: 3, loads: ['a', 'b']});
  });

  it('may not fetch more than a request has room for, however little it keeps of it', async () => {
    const run = runOf();
    const answer = run.complete(() => {
      let length = 0;
      for (let index = 0; index < 20; index += 1) length += run.settle(`k${index}`, () => later('x'.repeat(2_000_000))).length;
      return length;
    });
    await expect(answer).rejects.toThrow(BudgetError);
  });

  it('may not fetch what no walk can follow', async () => {
    let deep: unknown[] = [];
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    const run = runOf();
    await expect(run.complete(() => run.settle('k', () => later(deep)))).rejects.toThrow(BudgetError);
  });

  it('sees a load that failed as an error, each time', async () => {
    const run = runOf();
    let loads = 0;
    const load = () =>
      run.settle('k', () => {
        loads += 1;
        return Promise.reject(new EvalError('gone'));
      });
    const texts: string[] = [];
    await run.complete(() => {
      try {
        load();
      } catch (error) {
        if (error instanceof Suspend) throw error;
        texts.push((error as Error).message);
      }
    });
    expect(() => load()).toThrow('gone');
    expect({texts, loads}).toEqual({texts: ['gone'], loads: 1});
  });

  it.each<[string, unknown, string]>([
    ['an error of the host', new TypeError('socket hang up'), 'socket hang up'],
    ['a text', 'nope', 'nope'],
    ['nothing', undefined, 'undefined'],
    ['an object without text', Object.create(null), 'a value without text was thrown'],
  ])('takes %s as a failure of the rule', async (_title, thrown, want) => {
    const run = runOf();
    const body = () => run.settle('k', () => Promise.reject(thrown));
    await expect(run.complete(body)).rejects.toThrow(EvalError);
    expect(() => body()).toThrow(want);
  });

  it('has a new budget with each start', async () => {
    const run = runOf(undefined, {steps: 10});
    const answer = run.complete(() => {
      run.budget.step(6);
      return run.settle('a', () => later(1)) + run.settle('b', () => later(2));
    });
    expect(await answer).toBe(3);
  });

  it('may not ask for ever new values', async () => {
    const run = runOf();
    let count = 0;
    const answer = run.complete(
      () => run.settle(`k${count++}`, () => later(0)) + run.settle(`k${count++}`, () => later(0)),
    );
    await expect(answer).rejects.toThrow(BudgetError);
    expect(count).toBeLessThan(600);
  });

  it('asks for nothing once its time is over', async () => {
    const loader = recordingLoader();
    const run = runOf(loader, {deadline: loader.clock.now + 100});
    let loads = 0;
    const answer = run.complete(() => {
      run.settle('a', () => {
        loads += 1;
        loader.clock.now += 1000;
        return later(1);
      });
      return run.settle('b', () => {
        loads += 1;
        return later(2);
      });
    });
    await expect(answer).rejects.toThrow('evaluation exceeded the time of its request');
    expect(loads).toBe(1);
  });

  it('tells the host when to give up', () => {
    const run = runOf(undefined, {deadline: 4_000_000_000_000});
    let told: unknown;
    run.settle('a', options => {
      told = options;
      return 1;
    });
    expect(told).toEqual({deadline: 4_000_000_000_000});
  });
});

describe('a body that need not wait', () => {
  it('answers at once', () => {
    const run = runOf();
    expect(run.complete(() => run.settle('a', () => 1) + run.settle('a', () => 2))).toBe(2);
  });

  it('remembers a load that fails at once', () => {
    const run = runOf();
    let loads = 0;
    const load = () =>
      run.settle('a', () => {
        loads += 1;
        throw new TypeError('broken');
      });
    expect(load).toThrow(EvalError);
    expect(load).toThrow('broken');
    expect(loads).toBe(1);
  });

  it('keeps values named like promises apart from promises', () => {
    const run = runOf();
    const value = JSON.parse('{"then": "x"}') as unknown;
    expect(run.settle('a', () => value)).toBe(value);
  });
});
