import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import type {PolicyRule} from '../types.js';

/** Secrets are read where an administrator says so; the others cannot be listed, or are ours and stand elsewhere. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  '': ['secrets', 'bindings', 'componentstatuses'],
  'internal.apiserver.k8s.io': ['storageversions'],
};
const groupsLeftOut = new Set(['authentication.k8s.io', 'authorization.k8s.io', 'extensions']);
const namesLeftOut = new Set(['podsecuritypolicies']);

/**
 * Kinds that every cluster has, group by group and each by its name: what scans look at and context entries may read. No
 * star stands here, for `nodes/proxy` or `pods/exec` are read by a mere `get`.
 */
export function builtinReads(): readonly PolicyRule[] {
  const groups = new Map<string, Set<string>>();
  for (const {group, resource} of builtinResourceMap.all()) {
    const builtin = !group.includes('.') || group.endsWith('.k8s.io');
    if (!builtin || group === 'wgpolicyk8s.io' || groupsLeftOut.has(group) || namesLeftOut.has(resource)) continue;
    if (leftOut[group]?.includes(resource)) continue;
    groups.set(group, (groups.get(group) ?? new Set()).add(resource));
  }
  // Served by the metrics server, where there is one.
  groups.set('metrics.k8s.io', new Set(['nodes', 'pods']));
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, resources]) => ({apiGroups: [group], resources: [...resources].sort(), verbs: ['get', 'list', 'watch']}));
}
