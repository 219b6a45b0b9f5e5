import {groupOf, type NamedObject, objectKey, placeKey} from '../update-requests/trigger.js';
import type {Relation} from './relation.js';

/** One made object, as last heard of. */
export interface Downstream {
  readonly object: NamedObject;
  readonly relation: Relation;
}

/** Made objects by place, trigger, policy and source. */
export class DownstreamIndex {
  readonly #byPlace = new Map<string, Downstream>();
  readonly #byTrigger = new Map<string, Set<string>>();
  readonly #byTriggerPlace = new Map<string, Set<string>>();
  readonly #byPolicy = new Map<string, Set<string>>();
  readonly #bySource = new Map<string, Set<string>>();
  /** How many objects that are kept in step are of a kind, or are copied from one. */
  readonly #kinds = new Map<string, number>();
  /** Told of the first object of a kind, or copied from one, that is kept in step: somebody has to watch it. */
  onKind: () => void = () => undefined;

  get size(): number {
    return this.#byPlace.size;
  }

  at(object: NamedObject): Downstream | undefined {
    return this.#byPlace.get(placeKey(object));
  }

  put(downstream: Downstream): void {
    const isNew = this.#count(downstream, 1);
    this.remove(downstream.object);
    const place = placeKey(downstream.object);
    this.#byPlace.set(place, downstream);
    for (const [index, key] of this.#keys(downstream)) {
      const places = index.get(key);
      if (places === undefined) index.set(key, new Set([place]));
      else places.add(place);
    }
    if (isNew) this.onKind();
  }

  remove(object: NamedObject): Downstream | undefined {
    const place = placeKey(object);
    const known = this.#byPlace.get(place);
    if (known === undefined) return undefined;
    this.#byPlace.delete(place);
    this.#count(known, -1);
    for (const [index, key] of this.#keys(known)) {
      const places = index.get(key);
      places?.delete(place);
      if (places?.size === 0) index.delete(key);
    }
    return known;
  }

  ofTrigger(policy: string, trigger: NamedObject): Downstream[] {
    return this.#list(this.#byTrigger.get(triggerKey(policy, trigger)));
  }

  ofPolicy(policy: string): Downstream[] {
    return this.#list(this.#byPolicy.get(policy));
  }

  ofSource(source: NamedObject): Downstream[] {
    return this.#list(this.#bySource.get(placeKey(source)));
  }

  /** Whatever its uid: those of an object that was there before under the name count, too. */
  ofTriggerPlace(trigger: NamedObject): Downstream[] {
    return this.#list(this.#byTriggerPlace.get(placeKey(trigger)));
  }

  policies(): string[] {
    return [...this.#byPolicy.keys()];
  }

  /** One made object, and one source, of each kind that is kept in step. */
  objects(): Array<{readonly object: NamedObject; readonly source: NamedObject | undefined}> {
    const found = new Map<string, {object: NamedObject; source: NamedObject | undefined}>();
    for (const {object, relation} of this.#byPlace.values()) {
      if (!relation.synchronize) continue;
      const key = `${kindKey(object)} ${relation.source === undefined ? '' : kindKey(relation.source)}`;
      if (!found.has(key)) found.set(key, {object, source: relation.source});
    }
    return [...found.values()];
  }

  clear(): void {
    this.#byPlace.clear();
    this.#kinds.clear();
    for (const map of [this.#byTrigger, this.#byTriggerPlace, this.#byPolicy, this.#bySource]) map.clear();
  }

  /** Whether there was none of the kinds before. */
  #count({object, relation}: Downstream, change: 1 | -1): boolean {
    if (!relation.synchronize) return false;
    const keys = [`made ${kindKey(object)}`, ...(relation.source === undefined ? [] : [`copied ${kindKey(relation.source)}`])];
    let isNew = false;
    for (const key of keys) {
      const count = (this.#kinds.get(key) ?? 0) + change;
      if (count > 0) this.#kinds.set(key, count);
      else this.#kinds.delete(key);
      isNew ||= count === 1;
    }
    return isNew && change === 1;
  }

  #keys({relation}: Downstream): Array<readonly [Map<string, Set<string>>, string]> {
    const keys: Array<readonly [Map<string, Set<string>>, string]> = [
      [this.#byTrigger, triggerKey(relation.policy, relation.trigger)],
      [this.#byTriggerPlace, placeKey(relation.trigger)],
      [this.#byPolicy, relation.policy],
    ];
    if (relation.source !== undefined) keys.push([this.#bySource, placeKey(relation.source)]);
    return keys;
  }

  #list(places: ReadonlySet<string> | undefined): Downstream[] {
    return places === undefined ? [] : [...places].flatMap(place => this.#byPlace.get(place) ?? []);
  }
}

function triggerKey(policy: string, trigger: NamedObject): string {
  return `${policy}|${objectKey(trigger)}`;
}

function kindKey({apiVersion, kind}: NamedObject): string {
  return `${groupOf(apiVersion)}/${kind}`;
}
