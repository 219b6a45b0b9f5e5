import {AsyncLocalStorage} from 'node:async_hooks';

/** Memory for what searches find, one for all work of a thread: each piece of work holds what it found until it is over. */
export interface SearchRoom {
  /** Bytes as JSON text, for all work together and for each alone. */
  readonly bytes: number;
  /**
   * Asks for room for one more object, in the name of the work that the caller is part of; what is part of none is not counted.
   * `never`: the work alone would fill the room. `later`: other work holds it at present.
   */
  take(bytes: number): 'taken' | 'never' | 'later';
  /** False for work that found no room the last time, as long as it would find none again. */
  mayRun(work: string): boolean;
  /** Runs work; what it finds is counted until it ends. One that found no room before goes first, and so does one without a name: it is not run again. */
  within<T>(work: string | undefined, run: () => Promise<T>): Promise<T>;
  /** Work that waits comes no more. */
  forget(): void;
}

interface Holder {
  /** Goes before all others: what it asks for it gets. One at a time, so that two never keep each other from ending. */
  readonly isFirst: boolean;
  bytes: number;
  isRefused: boolean;
  readonly free: (bytes: number) => void;
}

const holders = new AsyncLocalStorage<Holder>();
/** Of the room, what each work has at once: small work never waits for large. */
const smallShare = 1 / 64;
/** Of the room, what others may hold when one goes first. */
const restShare = 1 / 4;

export function createSearchRoom({bytes: room}: {readonly bytes: number}): SearchRoom {
  const waiting = new Set<string>();
  let used = 0;
  let first: Holder | undefined;

  return {
    bytes: room,
    take(bytes) {
      const holder = holders.getStore();
      if (holder === undefined) return 'taken';
      const sum = holder.bytes + bytes;
      if (sum > room) return 'never';
      if (!holder.isFirst && sum > room * smallShare && used + bytes > room) {
        holder.isRefused = true;
        return 'later';
      }
      used += bytes;
      holder.bytes = sum;
      return 'taken';
    },
    mayRun: work => !waiting.has(work) || (first === undefined && used <= room * restShare),
    async within(work, run) {
      const isFirst = first === undefined && (work === undefined || waiting.has(work));
      const holder: Holder = {isFirst, bytes: 0, isRefused: false, free: bytes => void (used -= bytes)};
      if (isFirst) first = holder;
      try {
        return await holders.run(holder, run);
      } finally {
        used -= holder.bytes;
        if (first === holder) first = undefined;
        if (work !== undefined) {
          if (holder.isRefused) waiting.add(work);
          else waiting.delete(work);
        }
      }
    },
    forget: () => waiting.clear(),
  };
}

/** A part of work that needs what it found no longer than it runs itself; parts follow one another. */
export async function searchPart<T>(run: () => Promise<T>): Promise<T> {
  const holder = holders.getStore();
  if (holder === undefined) return run();
  const before = holder.bytes;
  try {
    return await run();
  } finally {
    holder.free(holder.bytes - before);
    holder.bytes = before;
  }
}
