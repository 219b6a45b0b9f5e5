import type {NamedObject} from './trigger.js';
import {objectKey} from './trigger.js';

export interface StateWork {
  readonly policyId: string;
  readonly trigger: NamedObject;
  /** The work is let off when this version of the trigger has been looked at; `undefined`: it is to be done in any case. */
  readonly unless: string | undefined;
}

export type StateWorkKind = 'state' | 'existing';

/** While it runs: what is asked for meanwhile puts another version here, or none. */
const running = 'again';

/** Works that the cluster's state asks for, by their key in the queue: those that generate, and those on existing triggers. */
export class StateWorks {
  readonly #works = new Map<string, StateWork>();

  /** The key to queue. */
  ask(kind: StateWorkKind, policyId: string, trigger: NamedObject, version?: string): string {
    const key = `${kind}|${policyId}|${objectKey(trigger)}`;
    const waiting = this.#works.get(key);
    // Who waits for another reason than the trigger's version is not to be let off.
    this.#works.set(key, {policyId, trigger, unless: waiting !== undefined && waiting.unless === undefined ? undefined : version});
    return key;
  }

  get(key: string): StateWork | undefined {
    return this.#works.get(key);
  }

  /** Of a key of `ask`. */
  kindOf(key: string): StateWorkKind {
    return key.startsWith('existing|') ? 'existing' : 'state';
  }

  begin(key: string, work: StateWork): void {
    this.#works.set(key, {...work, unless: running});
  }

  /** What was asked for meanwhile is still to be done. */
  end(key: string): void {
    if (this.#works.get(key)?.unless === running) this.#works.delete(key);
  }

  failed(key: string, work: StateWork): void {
    this.#works.set(key, {...work, unless: undefined});
  }

  drop(key: string): void {
    this.#works.delete(key);
  }

  clear(): void {
    this.#works.clear();
  }
}
