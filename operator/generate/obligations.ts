import {type NamedObject, objectKey, placeKey} from '../update-requests/trigger.js';

/** Triggers that rules which keep in step have been applied to: what they made may be gone, what they owe is not. */
export class Obligations {
  readonly #byPolicy = new Map<string, Map<string, {readonly trigger: NamedObject; readonly rules: Set<string>}>>();
  readonly #byPlace = new Map<string, Map<string, {readonly policyId: string; readonly trigger: NamedObject}>>();

  has(policyId: string, rule: string, trigger: NamedObject): boolean {
    return this.#byPolicy.get(policyId)?.get(objectKey(trigger))?.rules.has(rule) === true;
  }

  add(policyId: string, rule: string, trigger: NamedObject): void {
    let triggers = this.#byPolicy.get(policyId);
    if (triggers === undefined) this.#byPolicy.set(policyId, (triggers = new Map()));
    const key = objectKey(trigger);
    const entry = triggers.get(key);
    if (entry !== undefined) entry.rules.add(rule);
    else triggers.set(key, {trigger, rules: new Set([rule])});
    const place = placeKey(trigger);
    let owing = this.#byPlace.get(place);
    if (owing === undefined) this.#byPlace.set(place, (owing = new Map()));
    owing.set(`${policyId}|${key}`, {policyId, trigger});
  }

  drop(policyId: string, rule: string, trigger: NamedObject): void {
    const entry = this.#byPolicy.get(policyId)?.get(objectKey(trigger));
    if (entry?.rules.delete(rule) === true && entry.rules.size === 0) this.dropTrigger(policyId, trigger);
  }

  dropTrigger(policyId: string, trigger: NamedObject): void {
    const triggers = this.#byPolicy.get(policyId);
    if (triggers?.delete(objectKey(trigger)) !== true) return;
    if (triggers.size === 0) this.#byPolicy.delete(policyId);
    const place = placeKey(trigger);
    const owing = this.#byPlace.get(place);
    owing?.delete(`${policyId}|${objectKey(trigger)}`);
    if (owing?.size === 0) this.#byPlace.delete(place);
  }

  dropPolicy(policyId: string): void {
    for (const {trigger} of [...(this.#byPolicy.get(policyId)?.values() ?? [])]) this.dropTrigger(policyId, trigger);
  }

  ofPolicy(policyId: string): NamedObject[] {
    return [...(this.#byPolicy.get(policyId)?.values() ?? [])].map(({trigger}) => trigger);
  }

  ofPlace(object: NamedObject): Array<{readonly policyId: string; readonly trigger: NamedObject}> {
    return [...(this.#byPlace.get(placeKey(object))?.values() ?? [])];
  }

  clear(): void {
    this.#byPolicy.clear();
    this.#byPlace.clear();
  }
}
