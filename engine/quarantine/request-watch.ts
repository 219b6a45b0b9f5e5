import type {PolicyRef} from '../types.js';
import type {Fault, Quarantine} from './quarantine.js';

type Watched = object & {readonly ref: PolicyRef};

/** The policies of one request, as the quarantine sees them. Of policies that are in order nothing is noted. */
export class RequestWatch {
  readonly #quarantine: Quarantine;
  #refusals: Map<Watched, string | undefined> | undefined;
  #faults: Map<Watched, Fault | undefined> | undefined;

  constructor(quarantine: Quarantine) {
    this.#quarantine = quarantine;
  }

  /** To be asked when a policy is known to concern the request; the same answer for all its rules. */
  readonly refusal = (policy: Watched): string | undefined => {
    if (!this.#quarantine.knows(policy)) return undefined;
    const known = this.#refusals?.get(policy);
    if (known !== undefined || this.#refusals?.has(policy) === true) return known;
    const answer = this.#quarantine.refusal(policy);
    this.#refusals ??= new Map();
    this.#refusals.set(policy, answer);
    return answer;
  };

  /** A rule of the policy ran to an answer. */
  saw(policy: Watched, {fault}: {readonly fault: Fault | undefined}): void {
    if (fault === undefined && !this.#quarantine.knows(policy)) return;
    if (this.#refusals?.get(policy) !== undefined) return;
    this.#faults ??= new Map();
    this.#faults.set(policy, this.#faults.get(policy) ?? fault);
  }

  /** All of them have had their turn. */
  done(): void {
    if (this.#faults !== undefined) for (const [policy, fault] of this.#faults) this.#quarantine.note(policy, fault);
  }
}

/** `undefined` where there is no quarantine: offline runs show each error as it is. */
export function watchRequest(quarantine: Quarantine | undefined): RequestWatch | undefined {
  return quarantine === undefined ? undefined : new RequestWatch(quarantine);
}
