import {BudgetError} from './diagnostic.js';

export interface BudgetLimits {
  /** Elementary evaluation steps (nodes visited, elements walked). */
  readonly steps: number;
  /** Bytes of context and derived text one evaluation may make. */
  readonly bytes: number;
  /** Milliseconds on the budget's clock after which evaluation ends; `Infinity` for none. */
  readonly deadline: number;
}

export const defaultLimits: BudgetLimits = {steps: 5_000_000, bytes: 2 * 1024 * 1024, deadline: Number.POSITIVE_INFINITY};

const deadlineCheckInterval = 4096;
/** Who was at work for so long until the deadline has used up the time; who had less came too late. */
const ownTimeMs = 500;

/**
 * What one evaluation may still use. Passed in, never ambient; every loop over user data calls `step`.
 * `now` is the host's clock in milliseconds, on the same scale as `limits.deadline`.
 */
export class Budget {
  #steps: number;
  #bytes: number;
  #untilCheck = deadlineCheckInterval;
  #exhausted: 'steps' | 'time' | undefined;
  readonly #started: number;
  readonly #limits: BudgetLimits;
  readonly #now: () => number;

  constructor(limits: BudgetLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#steps = limits.steps;
    this.#bytes = limits.bytes;
    this.#started = now();
  }

  /** What this evaluation itself has used up, whoever dealt with the error. */
  get exhausted(): 'steps' | 'time' | undefined {
    return this.#exhausted;
  }

  /** A limit of somebody else's, within this evaluation, is used up. */
  noteExhausted(what: 'steps' | 'time'): void {
    this.#exhausted = what;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) {
      this.#exhausted = 'steps';
      throw new BudgetError(`evaluation exceeded its limit of ${this.#limits.steps} steps`);
    }
    this.#untilCheck -= count;
    if (this.#untilCheck <= 0) {
      this.#untilCheck = deadlineCheckInterval;
      this.checkDeadline();
    }
  }

  /** Accounts for text or data that an expression made. */
  bytes(count: number): void {
    this.#bytes -= count;
    if (this.#bytes < 0) {
      throw new BudgetError(`context size limit exceeded: evaluation made more than ${this.#limits.bytes} bytes`);
    }
  }

  checkDeadline(): void {
    const now = this.#now();
    if (now <= this.#limits.deadline) return;
    if (now - this.#started >= ownTimeMs) this.#exhausted = 'time';
    throw new BudgetError('evaluation exceeded the time of its request');
  }

  /** Milliseconds left, never negative. */
  remaining(): number {
    return Math.max(0, this.#limits.deadline - this.#now());
  }

  get deadline(): number {
    return this.#limits.deadline;
  }
}
