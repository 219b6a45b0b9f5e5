import type {QuarantineState} from '../../engine/quarantine/quarantine.js';
import type {PolicyRef} from '../../engine/types.js';

export type QuarantineListener = (policy: PolicyRef, state: QuarantineState | undefined) => void;

/** Engines that each keep policies away by what they met with themselves. */
export type QuarantineSide = 'admission' | 'background';

/** Told by the engines, heard by whoever wants to know: a policy is free again once no engine keeps it away. */
export class QuarantineNotices {
  readonly #listeners = new Set<QuarantineListener>();
  readonly #sides = new Map<string, Set<QuarantineSide>>();

  readonly tell = (policy: PolicyRef, state: QuarantineState | undefined, side: QuarantineSide = 'admission'): void => {
    const id = `${policy.kind}/${policy.key}`;
    const sides = this.#sides.get(id) ?? new Set();
    if (state === undefined) sides.delete(side);
    else sides.add(side);
    if (sides.size === 0) this.#sides.delete(id);
    else this.#sides.set(id, sides);
    if (state === undefined && sides.size > 0) return;
    for (const listener of this.#listeners) listener(policy, state);
  };

  /** Another wording begins anew everywhere. */
  forget(kind: string, key: string): void {
    this.#sides.delete(`${kind}/${key}`);
  }

  subscribe(listener: QuarantineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
