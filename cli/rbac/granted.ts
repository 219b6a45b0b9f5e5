import {builtinReads} from '../../install/source/rights/builtin-reads.js';
import {clusterRights, generateRights} from '../../install/source/rights/operator-rights.js';
import type {Right} from './right.js';

interface Granted {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What an installation grants for policies before anything is added. What its own namespace's Role holds is not for policies. */
export function defaultGrants(): readonly Granted[] {
  return [...clusterRights, ...builtinReads(), ...generateRights];
}

/** The verbs that the grants do not hold. */
export function lackingVerbs({group, resource, verbs}: Right, grants: readonly Granted[]): readonly string[] {
  const takes = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
  return verbs.filter(verb => !grants.some(grant => takes(grant.apiGroups, group) && takes(grant.resources, resource) && takes(grant.verbs, verb)));
}
