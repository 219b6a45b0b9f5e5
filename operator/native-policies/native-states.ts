import type {PolicyRef} from '../../engine/types.js';

/** What became of a policy that may have a native copy at the API server. */
export interface NativePolicyState {
  /** The API server judges by its copy; we do not. */
  readonly generated: boolean;
  /** Why there is none; empty when there is. */
  readonly message: string;
  /** The copy in force is of the wording before this one; the new one is on its way. */
  readonly outdated?: boolean;
}

/** A policy of either family, one wording of it. */
export interface PolicyWording {
  readonly ref: PolicyRef;
  readonly source: {readonly uid: string; readonly generation: number};
}

interface Entry {
  readonly state: NativePolicyState;
  readonly uid: string;
  readonly generation: number;
}

/** What the API server's own policies do in place of ours; filled in by the feature that makes them, on every replica. */
export class NativePolicies {
  readonly #states = new Map<string, Entry>();
  readonly #handlers = new Set<(kind: string, key: string) => void>();

  /** `undefined`: nothing is known, or the policy has changed since. */
  stateOf({ref, source}: PolicyWording): NativePolicyState | undefined {
    const entry = this.#states.get(idOf(ref));
    return entry?.uid === source.uid && entry.generation === source.generation ? entry.state : undefined;
  }

  /** Whether the API server judges in our place, be it by the wording before. */
  standsIn({ref, source}: PolicyWording): boolean {
    const entry = this.#states.get(idOf(ref));
    return entry?.uid === source.uid && entry.state.generated;
  }

  /** False when nothing has changed. */
  set({ref, source}: PolicyWording, state: NativePolicyState): boolean {
    const id = idOf(ref);
    const before = this.#states.get(id);
    this.#states.set(id, {state, uid: source.uid, generation: source.generation});
    if (before?.uid === source.uid && before.state.generated !== state.generated) for (const handler of this.#handlers) handler(ref.kind, ref.key);
    return (
      before === undefined ||
      before.uid !== source.uid ||
      before.generation !== source.generation ||
      before.state.generated !== state.generated ||
      before.state.message !== state.message ||
      before.state.outdated !== state.outdated
    );
  }

  /** Told when somebody else judges by a policy than before. */
  subscribe(handler: (kind: string, key: string) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  drop(kind: string, key: string): void {
    this.#states.delete(`${kind}/${key}`);
  }
}

function idOf({kind, key}: PolicyRef): string {
  return `${kind}/${key}`;
}
