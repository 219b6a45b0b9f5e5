import type {Clock} from '../../adapters/clock.js';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Keys that run at one time; asked for before each. */
  readonly concurrency: number | (() => number);
  /** Runs one key; never at the same time for the same key. A rejection means: later again. */
  readonly run: (key: string) => Promise<void> | void;
  /** `retryInMs` undefined = given up, since the error was terminal; `tries` counts failures of the key in a row. */
  readonly onError: (key: string, error: unknown, retryInMs: number | undefined, tries: number) => void;
  readonly onDone?: (key: string) => void;
  readonly random?: () => number;
  /** Keys of one lane share their turns: a lane with many keys keeps no other one waiting. Absent: all are one lane. */
  readonly laneOf?: (key: string) => string;
  /** Milliseconds; 5 and 1,000,000 when absent. */
  readonly firstRetryMs?: number;
  readonly maxRetryMs?: number;
}

export interface WorkQueue {
  /** Waiting, running and waiting for a retry. */
  readonly size: number;
  /** The first two of these. */
  readonly due: number;
  /** Has the key run (again) after now; a waiting key is not put twice, a pending retry comes forward. */
  add(key: string): void;
  /** Has the key run after `delayMs`, unless it runs before; a later retry comes forward. */
  addAfter(key: string, delayMs: number): void;
  /** Nothing new is started; keys are kept. */
  pause(): void;
  resume(): void;
  /** Starts nothing more and resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** An error that trying again cannot mend. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Deduplicating queue of keys with per-key exponential backoff (5 ms doubling to 1000 s, half of it by chance). */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const {clock, run, onError, onDone, random = Math.random} = options;
  const {firstRetryMs = 5, maxRetryMs = 1_000_000} = options;
  const concurrency = typeof options.concurrency === 'number' ? () => options.concurrency as number : options.concurrency;
  const waiting = createLanes(options.laneOf);
  const running = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const timers = new Map<string, {readonly at: number; readonly cancel: () => void}>();
  const idle: Array<() => void> = [];
  let paused = false;
  let stopped = false;
  let scheduled = false;

  function pump(): void {
    if (scheduled || paused || stopped) return;
    scheduled = true;
    // In a later turn, so that a burst of changes of one key is one run.
    setImmediate(() => {
      scheduled = false;
      while (!paused && !stopped && running.size < concurrency()) {
        const key = waiting.take();
        if (key === undefined) return;
        void work(key);
      }
    });
  }

  async function work(key: string): Promise<void> {
    running.add(key);
    let retryMs: number | undefined;
    try {
      await run(key);
      failures.delete(key);
    } catch (error) {
      retryMs = error instanceof TerminalError ? undefined : backoff(key);
      const tries = failures.get(key) ?? 0;
      if (retryMs === undefined) failures.delete(key);
      onError(key, error, retryMs, tries);
    }
    running.delete(key);
    onDone?.(key);
    if (again.delete(key)) waiting.add(key);
    else if (retryMs !== undefined) later(key, retryMs);
    if (running.size === 0) for (const resolve of idle.splice(0)) resolve();
    pump();
  }

  function backoff(key: string): number {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    const full = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(count, 40));
    return full / 2 + (full / 2) * random();
  }

  function later(key: string, delayMs: number): void {
    if (stopped) return;
    const at = clock.monotonic() + delayMs;
    const known = timers.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = clock.schedule(delayMs, () => {
      timers.delete(key);
      add(key);
    });
    timers.set(key, {at, cancel});
  }

  function add(key: string): void {
    if (stopped) return;
    timers.get(key)?.cancel();
    timers.delete(key);
    if (running.has(key)) again.add(key);
    else waiting.add(key);
    pump();
  }

  return {
    get size() {
      return waiting.size + running.size + timers.size;
    },
    get due() {
      return waiting.size + running.size;
    },
    add,
    addAfter: later,
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      pump();
    },
    async stop() {
      stopped = true;
      for (const {cancel} of timers.values()) cancel();
      timers.clear();
      if (running.size > 0) await new Promise<void>(resolve => idle.push(resolve));
    },
  };
}

/** Keys in the order in which they came, lanes taking turns. */
function createLanes(laneOf: (key: string) => string = () => '') {
  const lanes = new Map<string, Set<string>>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(key: string): void {
      const name = laneOf(key);
      let lane = lanes.get(name);
      if (lane === undefined) lanes.set(name, (lane = new Set()));
      if (lane.has(key)) return;
      lane.add(key);
      size += 1;
    },
    take(): string | undefined {
      const [next] = lanes;
      if (next === undefined) return undefined;
      const [name, lane] = next;
      const [key] = lane;
      lanes.delete(name);
      if (key === undefined) return undefined;
      lane.delete(key);
      size -= 1;
      if (lane.size > 0) lanes.set(name, lane);
      return key;
    },
  };
}
