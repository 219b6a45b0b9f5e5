import {describe, expect, it} from 'vitest';
import {createSearchRoom, searchPart, type SearchRoom} from './search-room.js';

const room = () => createSearchRoom({bytes: 6_400});

/** Work that asks for so much, and ends when it is told to. */
function work(of: SearchRoom, name: string | undefined, ...bytes: number[]) {
  let end = () => {};
  const over = new Promise<void>(resolve => (end = resolve));
  const answers: string[] = [];
  const ended = of.within(name, async () => {
    for (const size of bytes) answers.push(of.take(size));
    await over;
  });
  return {
    answers,
    end() {
      end();
      return ended;
    },
  };
}

describe('room for what searches find', () => {
  it('is one for all work together, and free again when work ends', async () => {
    const of = room();
    const a = work(of, 'a', 4_000);
    expect([a.answers, work(of, 'b', 4_000).answers]).toEqual([['taken'], ['later']]);
    await a.end();
    expect(work(of, 'c', 4_000).answers).toEqual(['taken']);
  });

  it('is free again after work that fails', async () => {
    const of = room();
    await of.within('a', async () => {
      of.take(6_000);
      throw new Error('x');
    }).catch(() => undefined);
    expect(work(of, 'b', 6_000).answers).toEqual(['taken']);
  });

  it('is never there for work that alone would fill it', () => {
    expect(work(room(), 'a', 6_400, 1).answers).toEqual(['taken', 'never']);
  });

  it('is there at once for small work, whatever large work holds', () => {
    const of = room();
    work(of, 'a', 6_400);
    expect(work(of, 'b', 100, 1).answers).toEqual(['taken', 'later']);
  });

  it('that was not found is waited for, and is then there before that of others', async () => {
    const of = room();
    const a = work(of, 'a', 4_000);
    await work(of, 'b', 4_000).end();
    expect([of.mayRun('a'), of.mayRun('b')]).toEqual([true, false]);
    await a.end();
    expect(of.mayRun('b')).toBe(true);
    const others = work(of, 'c', 1_600);
    const b = work(of, 'b', 6_000);
    expect([others.answers, b.answers, work(of, 'd', 200).answers]).toEqual([['taken'], ['taken'], ['later']]);
    await b.end();
    expect(of.mayRun('b')).toBe(true);
  });

  it('is there at once for work that is not run again', () => {
    const of = room();
    work(of, 'a', 6_400);
    expect(work(of, undefined, 6_400).answers).toEqual(['taken']);
  });

  it('is free again after each part of work', async () => {
    const of = room();
    const part = () => searchPart(async () => of.take(6_000));
    expect(await of.within('a', async () => [await part(), await part()])).toEqual(['taken', 'taken']);
  });

  it('is not counted for what is no work', async () => {
    const of = room();
    expect([of.take(10_000), await searchPart(async () => of.take(10_000))]).toEqual(['taken', 'taken']);
  });
});
