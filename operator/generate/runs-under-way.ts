import {type NamedObject, objectKey, placeKey} from '../update-requests/trigger.js';

export interface RunUnderWay {
  readonly policyId: string;
  readonly trigger: NamedObject;
}

/** Runs under way, by the place of their trigger: what happens to that one meanwhile calls for another run. */
export class RunsUnderWay {
  readonly #byPlace = new Map<string, Map<string, RunUnderWay>>();

  /** `work` tells apart what runs for the same policy and trigger. */
  async during<T>({policyId, trigger}: RunUnderWay, work: string, run: () => Promise<T>): Promise<T> {
    const place = placeKey(trigger);
    const key = `${policyId} ${objectKey(trigger)} ${work}`;
    let here = this.#byPlace.get(place);
    if (here === undefined) this.#byPlace.set(place, (here = new Map()));
    here.set(key, {policyId, trigger});
    try {
      return await run();
    } finally {
      here.delete(key);
      if (here.size === 0 && this.#byPlace.get(place) === here) this.#byPlace.delete(place);
    }
  }

  at(object: NamedObject): Iterable<RunUnderWay> {
    return this.#byPlace.get(placeKey(object))?.values() ?? [];
  }
}
