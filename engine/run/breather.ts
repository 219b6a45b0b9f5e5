/** So long a run of policies keeps the event loop before others have their turn, milliseconds. */
const sliceMs = 25;

/**
 * Lets others have their turn between two policies of one request: a hundred expensive ones must not make every other
 * request wait. The clock is on a scale of milliseconds.
 */
export class Breather {
  readonly #clock: {now(): number};
  #since: number;

  constructor(clock: {now(): number}) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Whether the slice is over. */
  isDue(): boolean {
    return this.#clock.now() - this.#since >= sliceMs;
  }

  /** Resolves when others have had their turn; the next slice begins then, for their time is not ours. */
  rest(): Promise<void> {
    return new Promise(resolve => {
      setImmediate(() => {
        this.#since = this.#clock.now();
        resolve();
      });
    });
  }
}
