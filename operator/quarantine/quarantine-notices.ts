import type {QuarantineState} from '../../engine/quarantine/quarantine.js';
import type {PolicyRef} from '../../engine/types.js';

export type QuarantineListener = (policy: PolicyRef, state: QuarantineState | undefined) => void;

/** Told by the engines, heard by whoever wants to know. */
export class QuarantineNotices {
  readonly #listeners = new Set<QuarantineListener>();

  readonly tell = (policy: PolicyRef, state: QuarantineState | undefined): void => {
    for (const listener of this.#listeners) listener(policy, state);
  };

  subscribe(listener: QuarantineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
