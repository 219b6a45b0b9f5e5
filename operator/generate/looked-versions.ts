import type {BackgroundPolicy} from '../update-requests/background-policy.js';
import {type NamedObject, objectKey} from '../update-requests/trigger.js';

/** Version of trigger and policy that a run has looked at last: the same pair needs no second look. */
export class LookedVersions {
  readonly #looked = new Map<string, string>();

  /** An empty version: the trigger was not there. */
  note(policyId: string, trigger: NamedObject, version: string, policy: BackgroundPolicy | undefined): void {
    const key = keyOf(policyId, trigger);
    if (version === '') this.#looked.delete(key);
    else this.#looked.set(key, textOf(version, policy));
  }

  has(policyId: string, trigger: NamedObject, version: string, policy: BackgroundPolicy | undefined): boolean {
    return this.#looked.get(keyOf(policyId, trigger)) === textOf(version, policy);
  }

  clear(): void {
    this.#looked.clear();
  }
}

function keyOf(policyId: string, trigger: NamedObject): string {
  return `${policyId}|${objectKey(trigger)}`;
}

function textOf(version: string, policy: BackgroundPolicy | undefined): string {
  return `${version} ${policy?.uid ?? ''} ${policy?.version ?? ''}`;
}
