import {lookup} from 'node:dns/promises';

/** All addresses of a host name, in the resolver's order. Rejects when there are none. */
export type NameLookup = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface NameLookupOptions {
  /** Look-ups at a time; 2 when absent. */
  readonly concurrency?: number;
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/**
 * The system's resolver (hosts file and search domains included). It blocks a thread of the pool that files and crypto
 * share, so only a few look-ups run at a time; the others wait their turn or until `signal`.
 */
export function createNameLookup({concurrency = 2, resolve = systemLookup}: NameLookupOptions = {}): NameLookup {
  const waiting: Array<() => void> = [];
  let running = 0;

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  async function enter(): Promise<void> {
    if (running < concurrency) {
      running += 1;
      return;
    }
    await new Promise<void>(go => waiting.push(go));
  }

  async function run(name: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    await enter();
    try {
      signal?.throwIfAborted();
      return await resolve(name);
    } finally {
      release();
    }
  }

  return (name, signal) => (signal === undefined ? run(name, signal) : untilAborted(run(name, signal), signal));
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await lookup(name, {all: true, verbatim: true});
  return found.map(({address}) => address);
}

/** Rejects as soon as `signal` is aborted; the promise itself goes on unheard. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, {once: true});
    const done = () => signal.removeEventListener('abort', abort);
    promise.then(
      value => {
        done();
        resolve(value);
      },
      error => {
        done();
        reject(error);
      },
    );
  });
}
