/** Lets what waits on the event loop, requests above all, have its turn. */
export function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
