import {untilAborted} from '../../http/name-lookup.js';

/** Runs work when there is room for it, in the order of arrival. */
export type Pool = <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export interface PoolLimits {
  /** At one time, of all keys. */
  readonly total: number;
  /** Of one key: a host that never answers cannot take all the room. */
  readonly perKey: number;
}

interface Waiter {
  readonly key: string;
  readonly start: () => void;
}

/** Rejects at once when `signal` is aborted while waiting. */
export function createPool({total, perKey}: PoolLimits): Pool {
  const running = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let count = 0;
  const hasRoom = (key: string) => count < total && (running.get(key) ?? 0) < perKey;

  function take(key: string): void {
    count += 1;
    running.set(key, (running.get(key) ?? 0) + 1);
  }

  function release(key: string): void {
    count -= 1;
    const left = running.get(key)! - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    for (const waiter of waiting) {
      if (count >= total) return;
      if (!hasRoom(waiter.key)) continue;
      waiting.delete(waiter);
      take(waiter.key);
      waiter.start();
    }
  }

  async function enter(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (hasRoom(key)) return take(key);
    let waiter: Waiter | undefined;
    const turn = new Promise<void>(start => {
      waiter = {key, start};
      waiting.add(waiter);
    });
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      // The turn may have come in the same moment.
      if (!waiting.delete(waiter!)) release(key);
      throw error;
    }
  }

  return async (key, work, signal) => {
    await enter(key, signal);
    try {
      return await work();
    } finally {
      release(key);
    }
  };
}
