/** When something happened last: written by one thread, read by others without asking it. */
export interface Mark {
  readonly memory: SharedArrayBuffer;
  note(now: number): void;
  /** Milliseconds since the epoch; 0 before the first. */
  last(): number;
}

export function createMark(memory: SharedArrayBuffer = new SharedArrayBuffer(8)): Mark {
  const cell = new BigInt64Array(memory);
  return {
    memory,
    note: now => void Atomics.store(cell, 0, BigInt(Math.floor(now))),
    last: () => Number(Atomics.load(cell, 0)),
  };
}
