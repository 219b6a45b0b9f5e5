import type {CelPolicyCache} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import type {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {celExceptionKey, celResources} from '../cel-policies/cel-kinds.js';
import type {ReplicaState} from '../leases/replica-state.js';
import {exceptionResource, policyResources} from './policy-handlers.js';

/** Registration key of each kind that a replica tells its version of. */
const resourceOfKind: ReadonlyMap<string, string> = new Map([
  ['ClusterPolicy', policyResources.ClusterPolicy],
  ['Policy', policyResources.Policy],
  ['PolicyException', exceptionResource],
  ['CelPolicyException', celExceptionKey],
  ...celResources.map(({kind, key}) => [kind, key] as const),
]);

export const servedKinds: ReadonlySet<string> = new Set(resourceOfKind.values());

/** What this replica says of itself with each renewal of its Lease. */
export function replicaState(cache: PolicyCache, cel: CelPolicyCache, reconciledVersion: (key: string) => string): ReplicaState {
  const refused: Record<string, string> = {};
  for (const state of cache.policies()) {
    if (state.status === 'refused') refused[state.key] = state.problems.map(formatDiagnostic).join('; ');
  }
  for (const state of cel.policies()) {
    if (state.status === 'refused') refused[state.id] = state.problems.map(formatDiagnostic).join('; ');
  }
  return {versions: Object.fromEntries([...resourceOfKind].map(([kind, key]) => [kind, reconciledVersion(key)])), refused};
}
