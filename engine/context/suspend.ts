/**
 * Thrown out of a synchronous evaluation when a value still has to be fetched. The rule boundary waits for `promise`
 * and runs the rule again; by then the value is in the run's memo. Not an error: nothing in between may catch it.
 */
export class Suspend {
  constructor(readonly promise: Promise<void>) {}
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
