import type {PolicyRef} from '../types.js';

/** What one run of a policy came to: a bug of ours in it, or all its steps or far too much time used up. */
export type Fault = 'internal' | 'steps' | 'time';

/** A policy in quarantine; `undefined` in `onChange`: it is free again. */
export interface QuarantineState {
  /** For users; stays the same as long as the policy is kept away. */
  readonly message: string;
}

export interface QuarantineOptions {
  /** Milliseconds. */
  readonly now: () => number;
  /** Runs in a row that end in a fault before the policy is kept away; 10 when absent. */
  readonly strikes?: number;
  /** Milliseconds until it is tried again; five minutes when absent. */
  readonly pauseMs?: number;
  readonly onChange?: (policy: PolicyRef, state: QuarantineState | undefined) => void;
}

interface Entry {
  readonly ref: PolicyRef;
  strikes: number;
  /** When the next run is let through; `undefined`: not kept away. */
  until: number | undefined;
  message: string;
}

/** A trial that is never heard of again (its request went another way) makes room for the next one. */
const trialMs = 10_000;

const words: Readonly<Record<Fault, string>> = {
  internal: 'internal errors',
  steps: 'evaluations that used up all their steps',
  time: 'evaluations that used up the time of their request',
};

/**
 * Keeps policies from being run that fail for no reason of their requests', again and again: they answer `error`
 * instead. After a pause one run shows whether that has to go on. A new wording of a policy begins anew.
 */
export class Quarantine {
  /** By compiled policy: another wording is another object, and what is dropped is forgotten. */
  readonly #entries = new WeakMap<object, Entry>();
  readonly #options: Required<Omit<QuarantineOptions, 'onChange'>> & Pick<QuarantineOptions, 'onChange'>;

  constructor(options: QuarantineOptions) {
    this.#options = {strikes: 10, pauseMs: 5 * 60_000, ...options};
  }

  /** Whether anything was wrong with the policy lately. */
  knows(policy: object): boolean {
    return this.#entries.has(policy);
  }

  /** Why the policy is not to be run now. `undefined`: run it, and tell by `note` what came of it. */
  refusal(policy: object): string | undefined {
    const entry = this.#entries.get(policy);
    if (entry?.until === undefined) return undefined;
    const now = this.#options.now();
    if (now < entry.until) return entry.message;
    entry.until = now + trialMs;
    return undefined;
  }

  /** One run is over. Runs in which the policy had nothing to do are not told. */
  note(policy: object & {readonly ref: PolicyRef}, fault: Fault | undefined): void {
    const entry = this.#entries.get(policy);
    if (fault === undefined) {
      if (entry === undefined) return;
      this.#entries.delete(policy);
      if (entry.until !== undefined) this.#options.onChange?.(policy.ref, undefined);
      return;
    }
    const known = entry ?? {ref: policy.ref, strikes: 0, until: undefined, message: ''};
    if (entry === undefined) this.#entries.set(policy, known);
    known.strikes += 1;
    if (known.strikes < this.#options.strikes) return;
    const isNew = known.until === undefined;
    known.until = this.#options.now() + this.#options.pauseMs;
    if (!isNew) return;
    known.message = `policy ${policy.ref.key} is quarantined after ${this.#options.strikes} ${words[fault]} in a row; it is tried again every ${Math.max(1, Math.round(this.#options.pauseMs / 60_000))} minutes`;
    this.#options.onChange?.(policy.ref, {message: known.message});
  }
}
