import {BudgetError} from '../../diagnostic.js';
import type {Bindings} from '../environment.js';
import type {CelHost} from '../library/library.js';
import type {Value} from '../values/value.js';

/** Units spent between two reports to the host's budget, which looks at the clock. */
const reportEvery = 1024;
/** Bytes made between two reports. */
const bytesReportEvery = 16 * 1024;

/**
 * State of one evaluation: the bound variables, slots for what macros bind, and what has been used so far. Units are
 * gathered here and reported to the host's budget in lumps, for loops are short as a rule.
 */
export class Frame {
  readonly locals: Array<Value | undefined>;
  #spent = 0;
  #reported = 0;
  #next: number;
  #bytes = 0;

  constructor(
    readonly vars: Bindings,
    readonly host: CelHost,
    slots: number,
    readonly limit: number,
  ) {
    this.locals = slots === 0 ? none : new Array(slots);
    this.#next = Math.min(limit, reportEvery);
  }

  /** Accounts for cost units. Throws BudgetError. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#next) this.settle();
  }

  /** Accounts for text or elements that were made. Throws BudgetError. */
  grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > bytesReportEvery) this.settle();
  }

  /** Reports what was used since the last time. */
  settle(): void {
    const {budget} = this.host;
    if (this.#spent > this.limit) {
      budget.noteExhausted('steps');
      throw new BudgetError('operation cancelled: actual cost limit exceeded');
    }
    const units = this.#spent - this.#reported;
    this.#reported = this.#spent;
    this.#next = Math.min(this.limit, this.#spent + reportEvery);
    if (units > 0) budget.step(units);
    if (this.#bytes > 0) {
      const bytes = this.#bytes;
      this.#bytes = 0;
      budget.bytes(bytes);
    }
  }
}

const none: Array<Value | undefined> = [];

/** Evaluates one node. Throws CelError, BudgetError or Suspend. */
export type Code = (frame: Frame) => Value;
