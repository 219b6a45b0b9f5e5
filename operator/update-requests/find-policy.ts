import type {BackgroundFamily, BackgroundPolicy} from './background-policy.js';

export interface FoundPolicy {
  readonly family: BackgroundFamily;
  readonly policy: BackgroundPolicy;
}

/** A policy that is served, and the family that knows how to judge by it. */
export function findPolicy(families: readonly BackgroundFamily[], policyId: string): FoundPolicy | undefined {
  for (const family of families) {
    const policy = family.policy(policyId);
    if (policy !== undefined) return {family, policy};
  }
  return undefined;
}
