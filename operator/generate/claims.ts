import {type NamedObject, objectKey} from '../update-requests/trigger.js';

/** Other triggers of a policy that want what one of them has made: they are looked at again when that one lets it go. */
export class Claims {
  readonly #claims = new Map<string, Map<string, NamedObject>>();

  add(policy: string, trigger: NamedObject, object: NamedObject): void {
    const place = placeOf(policy, object);
    let claimants = this.#claims.get(place);
    if (claimants === undefined) this.#claims.set(place, (claimants = new Map()));
    claimants.set(objectKey(trigger), trigger);
  }

  /** Who has waited for the object. */
  take(policy: string, object: NamedObject): Iterable<NamedObject> {
    const place = placeOf(policy, object);
    const claimants = this.#claims.get(place);
    this.#claims.delete(place);
    return claimants?.values() ?? [];
  }

  clear(): void {
    this.#claims.clear();
  }
}

function placeOf(policy: string, object: NamedObject): string {
  return `${policy}|${objectKey({...object, uid: ''})}`;
}
