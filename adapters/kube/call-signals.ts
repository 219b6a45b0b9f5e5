import type {Clock} from '../clock.js';

/** One signal for several reasons to end a call. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  timedOut(): boolean;
  remaining(): number;
  release(): void;
}

/** Aborted with the first of `signals`, or after `timeoutMs`; `release` must be called in the end. */
export function linkSignals({
  signals,
  timeoutMs,
  clock,
}: {
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
  readonly timeoutMs: number | undefined;
  readonly clock: Clock;
}): LinkedSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let expired = false;
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, {once: true});
  }
  const end = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs;
  const cancel =
    timeoutMs === undefined
      ? undefined
      : clock.schedule(timeoutMs, () => {
          expired = true;
          abort();
        });
  return {
    signal: controller.signal,
    timedOut: () => expired,
    remaining: () => end - clock.monotonic(),
    release() {
      cancel?.();
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    },
  };
}

/** Aborts its signal after `idleMs` without a `touch`; a dead peer sends neither data nor an end. */
export function idleTimer({
  clock,
  idleMs,
  signal,
}: {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly signal: AbortSignal;
}) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, {once: true});
  let expired = false;
  let last = clock.monotonic();
  let cancel = clock.schedule(idleMs, check);

  function check() {
    const left = last + idleMs - clock.monotonic();
    if (left > 0) {
      cancel = clock.schedule(left, check);
      return;
    }
    expired = true;
    abort();
  }

  return {
    signal: controller.signal,
    touch: () => {
      last = clock.monotonic();
    },
    expired: () => expired,
    stop() {
      cancel();
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Rejects with an AbortError as soon as `signal` is aborted, for work that cannot be ended; its outcome is then dropped. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new DOMException('aborted', 'AbortError'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, {once: true});
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
