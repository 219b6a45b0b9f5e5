import {MessageChannel} from 'node:worker_threads';
import {afterEach, describe, expect, it} from 'vitest';
import {createThreadPort, type ThreadCalls, type ThreadPort} from './thread-port.js';

interface There extends ThreadCalls {
  readonly tells: {readonly note: string; readonly bad: undefined};
  readonly asks: {readonly double: {readonly question: number; readonly answer: number}; readonly fail: {readonly question: undefined; readonly answer: undefined}; readonly never: {readonly question: undefined; readonly answer: undefined}};
}
interface Here extends ThreadCalls {
  readonly tells: Record<never, never>;
  readonly asks: Record<never, never>;
}

const channels: MessageChannel[] = [];
afterEach(() => {
  for (const {port1} of channels.splice(0)) port1.close();
});

function connect(): {readonly port: ThreadPort<There>; readonly told: string[]; readonly errors: string[]} {
  const channel = new MessageChannel();
  channels.push(channel);
  const told: string[] = [];
  const errors: string[] = [];
  createThreadPort<Here, There>(channel.port2, {
    tells: {
      note: text => void told.push(text),
      bad() {
        throw new Error('oh');
      },
    },
    asks: {
      double: number => 2 * number,
      async fail() {
        throw new Error('not today');
      },
      never: () => new Promise(() => undefined),
    },
    onError: (name, error) => errors.push(`${name}: ${String(error)}`),
  });
  return {port: createThreadPort<There, Here>(channel.port1, {tells: {}, asks: {}, onError: () => undefined}), told, errors};
}

describe('a port between threads', () => {
  it('tells in order, and answers each question by itself', async () => {
    const {port, told} = connect();
    port.tell('note', 'a');
    port.tell('note', 'b');
    expect(await Promise.all([port.ask('double', 2), port.ask('double', 21)])).toEqual([4, 42]);
    expect(told).toEqual(['a', 'b']);
  });

  it('passes on what a handler throws', async () => {
    const {port, errors} = connect();
    await expect(port.ask('fail', undefined)).rejects.toThrow('not today');
    port.tell('bad', undefined);
    expect(await port.ask('double', 1)).toBe(2);
    expect(errors).toEqual(['bad: Error: oh']);
  });

  it('leaves no question open when it is closed', async () => {
    const {port, told} = connect();
    const open = port.ask('never', undefined);
    port.close();
    await expect(open).rejects.toThrow('the other thread has ended');
    await expect(port.ask('double', 1)).rejects.toThrow('the other thread has ended');
    port.tell('note', 'late');
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(told).toEqual([]);
  });
});
