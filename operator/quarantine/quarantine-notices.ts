import type {QuarantineState} from '../../engine/quarantine/quarantine.js';
import type {PolicyRef} from '../../engine/types.js';

export type QuarantineListener = (policy: PolicyRef, state: QuarantineState | undefined) => void;

/** Engines that each keep policies away by what they met with themselves. */
export type QuarantineSide = 'admission' | 'background';

interface Kept {
  readonly policy: PolicyRef;
  readonly sides: Set<QuarantineSide>;
}

/** Told by the engines, heard by whoever wants to know: a policy is free again once no engine keeps it away. */
export class QuarantineNotices {
  readonly #listeners = new Set<QuarantineListener>();
  readonly #kept = new Map<string, Kept>();

  readonly tell = (policy: PolicyRef, state: QuarantineState | undefined, side: QuarantineSide = 'admission'): void => {
    const id = `${policy.kind}/${policy.key}`;
    const kept = this.#kept.get(id) ?? {policy, sides: new Set()};
    if (state === undefined) kept.sides.delete(side);
    else kept.sides.add(side);
    if (kept.sides.size > 0) this.#kept.set(id, kept);
    else this.#kept.delete(id);
    if (state !== undefined || kept.sides.size === 0) for (const listener of this.#listeners) listener(policy, state);
  };

  /** Another wording begins anew everywhere. */
  forget(kind: string, key: string): void {
    this.#kept.delete(`${kind}/${key}`);
  }

  /** What one engine said of a policy is over. */
  free(kind: string, key: string, side: QuarantineSide): void {
    const kept = this.#kept.get(`${kind}/${key}`);
    if (kept?.sides.has(side) === true) this.tell(kept.policy, undefined, side);
  }

  /** One engine is no more, and what it kept away with it. */
  release(side: QuarantineSide): void {
    for (const {policy, sides} of [...this.#kept.values()]) if (sides.has(side)) this.tell(policy, undefined, side);
  }

  subscribe(listener: QuarantineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
