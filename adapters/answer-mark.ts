/** When an answer left last that somebody waited for: written by one thread, read by others without asking it. */
export interface AnswerMark {
  readonly memory: SharedArrayBuffer;
  note(now: number): void;
  /** Milliseconds since the epoch; 0 before the first. */
  last(): number;
}

export function createAnswerMark(memory: SharedArrayBuffer = new SharedArrayBuffer(8)): AnswerMark {
  const cell = new BigInt64Array(memory);
  return {
    memory,
    note: now => void Atomics.store(cell, 0, BigInt(Math.floor(now))),
    last: () => Number(Atomics.load(cell, 0)),
  };
}
