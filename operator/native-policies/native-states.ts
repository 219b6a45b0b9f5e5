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

/** What is known of one wording of a policy. */
export interface NativeEntry {
  readonly state: NativePolicyState;
  readonly uid: string;
  readonly generation: number;
}

/** Called with every entry there is, and with each that changes after that; `undefined`: it is gone. */
export type NativeFollower = (kind: string, key: string, entry: NativeEntry | undefined) => void;

/** What the API server's own policies do in place of ours; filled in by the feature that makes them, on every replica. */
export class NativePolicies {
  readonly #states = new Map<string, NativeEntry>();
  readonly #followers = new Set<NativeFollower>();
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
  set({ref: {kind, key}, source: {uid, generation}}: PolicyWording, state: NativePolicyState): boolean {
    return this.put(kind, key, {state, uid, generation});
  }

  /** As `set`, of what was told elsewhere. */
  put(kind: string, key: string, entry: NativeEntry): boolean {
    const id = `${kind}/${key}`;
    const before = this.#states.get(id);
    this.#states.set(id, entry);
    const {state, uid, generation} = entry;
    if (before?.uid === uid && before.state.generated !== state.generated) for (const handler of this.#handlers) handler(kind, key);
    const isNew =
      before === undefined ||
      before.uid !== uid ||
      before.generation !== generation ||
      before.state.generated !== state.generated ||
      before.state.message !== state.message ||
      before.state.outdated !== state.outdated;
    if (isNew) for (const follower of this.#followers) follower(kind, key, entry);
    return isNew;
  }

  /** Told when somebody else judges by a policy than before. */
  subscribe(handler: (kind: string, key: string) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  follow(follower: NativeFollower): () => void {
    for (const [id, entry] of this.#states) follower(id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1), entry);
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  drop(kind: string, key: string): void {
    if (this.#states.delete(`${kind}/${key}`)) for (const follower of this.#followers) follower(kind, key, undefined);
  }
}

function idOf({kind, key}: PolicyRef): string {
  return `${kind}/${key}`;
}
