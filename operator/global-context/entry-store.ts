import {EvalError} from '../../engine/diagnostic.js';
import type {Projected} from '../../engine/global-context/project.js';
import type {Json} from '../../engine/json/types.js';

/** One entry as policies find it. */
export type EntryValue =
  | {readonly value: () => Json; readonly projections: () => ReadonlyMap<string, Projected>}
  | {readonly error: string};

/** Values of global context entries by name; what policies read, without waiting. */
export class EntryStore {
  readonly #values = new Map<string, EntryValue>();

  put(name: string, value: EntryValue): void {
    this.#values.set(name, value);
  }

  drop(name: string): void {
    this.#values.delete(name);
  }

  /** `undefined`: no such entry. Throws EvalError for one without a value, and for a projection that fails. */
  read(name: string, projection: string | undefined): Json | undefined {
    const entry = this.#values.get(name);
    if (entry === undefined) return undefined;
    if ('error' in entry) throw new EvalError(`global context entry ${name}: ${entry.error}`);
    if (projection === undefined) return entry.value();
    const part = entry.projections().get(projection);
    if (part === undefined) throw new EvalError(`global context entry ${name} has no projection ${projection}`);
    if ('error' in part) throw new EvalError(`global context entry ${name}, projection ${projection}: ${part.error}`);
    return part.value;
  }
}
