/**
 * Runs work under a signal that aborts with `outer`, or after so many milliseconds. By a timer of its own: a signal that is
 * made of others by `AbortSignal.any` may be collected before the time of `AbortSignal.timeout` is up, and never aborts then.
 */
export async function withTimeLimit<T>(outer: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, {once: true});
  const timer = setTimeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  }
}
