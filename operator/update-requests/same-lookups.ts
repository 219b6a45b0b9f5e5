/**
 * Policies that look up the same, put together: judged in one call they share the answers, and where one of them has none the others
 * would have none either. All others are by themselves. `lookupsOf` is asked once of each policy for texts that tell its lookups.
 */
export function createLookupGroups<P extends {readonly ref: {readonly namespace: string}}>(lookupsOf: (policy: P) => readonly string[]): (policies: readonly P[]) => P[][] {
  const known = new WeakMap<P, string>();

  function keyOf(policy: P): string {
    let key = known.get(policy);
    if (key === undefined) {
      const lookups = [...new Set(lookupsOf(policy))].sort();
      // Answers are shared among those with the same rights only.
      key = lookups.length === 0 ? '' : JSON.stringify([policy.ref.namespace, ...lookups]);
      known.set(policy, key);
    }
    return key;
  }

  return policies => {
    const groups: P[][] = [];
    const byKey = new Map<string, P[]>();
    for (const policy of policies) {
      const key = keyOf(policy);
      const group = key === '' ? undefined : byKey.get(key);
      if (group !== undefined) {
        group.push(policy);
        continue;
      }
      const begun = [policy];
      groups.push(begun);
      byKey.set(key, begun);
    }
    return groups;
  };
}
