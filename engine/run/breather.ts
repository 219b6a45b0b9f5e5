/** So long a run of policies keeps the event loop before others have their turn, milliseconds. */
const sliceMs = 25;

/**
 * Lets others have their turn between two policies of one request: a hundred expensive ones must not make every other
 * request wait. `now` is on a scale of milliseconds.
 */
export class Breather {
  #since: number;

  constructor(now: number) {
    this.#since = now;
  }

  /** A Promise to wait for when the slice is over; `undefined` while it is not. */
  pause(now: number): Promise<void> | undefined {
    if (now - this.#since < sliceMs) return undefined;
    return new Promise(resolve => {
      setImmediate(() => {
        // Time that others took is not ours.
        this.#since = now;
        resolve();
      });
    });
  }

  /** After a pause: the slice begins here. */
  restart(now: number): void {
    this.#since = now;
  }
}
