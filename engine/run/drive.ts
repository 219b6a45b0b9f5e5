/** Work that yields a Promise where it has to wait, and is handed what the Promise came to. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Runs work to its end; no Promise is made unless the work yields one. */
export function drive<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done === true ? first.value : finish(steps, first.value);
}

async function finish<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let waitFor = first;
  for (;;) {
    const step = steps.next(await waitFor);
    if (step.done === true) return step.value;
    waitFor = step.value;
  }
}
