import type {ResourceFilter} from '../../engine/policy/model.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {ResourceRule} from '../../engine/cel-policies/model.js';
import {type ResolvedResource, resolveKind} from '../webhooks/resolve-kinds.js';

const everyOperation = ['CREATE', 'UPDATE', 'CONNECT', 'DELETE'];

export interface FilterRules {
  readonly rules: readonly ResourceRule[];
  /** Kinds that the cluster does not have. */
  readonly unknown: readonly string[];
  /** Whether requests may be of objects without a namespace (Namespaces are in their own). */
  readonly reachesOutside: boolean;
}

/** Kinds, names and operations of filters as rules of the API server, joined where only the resources differ. */
export function filterRules(filters: readonly ResourceFilter[], resources: ResourceMap): FilterRules {
  const groups = new Map<string, {readonly rule: ResourceRule; readonly resources: Set<string>}>();
  const unknown: string[] = [];
  let reachesOutside = false;
  for (const filter of filters) {
    const operations = filter.operations.length === 0 ? everyOperation : everyOperation.filter(operation => (filter.operations as readonly string[]).includes(operation));
    for (const kind of filter.kinds) {
      const found = resolveKind(kind, {resources, namespacedOnly: false});
      if (found.length === 0) unknown.push(kind);
      for (const resource of found.flatMap(withEphemeralContainers)) {
        reachesOutside ||= resource.scope === '*' && !(resource.group === '' && resource.resource === 'namespaces');
        const rule: ResourceRule = {
          apiGroups: [resource.group],
          apiVersions: [resource.version],
          operations,
          resources: [],
          resourceNames: [...filter.names].sort(),
          scope: '*',
        };
        const key = JSON.stringify(rule);
        const group = groups.get(key) ?? {rule, resources: new Set<string>()};
        groups.set(key, group);
        group.resources.add(resource.resource);
      }
    }
  }
  const rules = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, {rule, resources: names}]) => ({...rule, resources: [...names].sort()}));
  return {rules, unknown, reachesOutside};
}

/** A rule for Pods is a rule for what is added to running Pods too. */
function withEphemeralContainers(resource: ResolvedResource): ResolvedResource[] {
  const isPods = resource.group === '' && resource.resource === 'pods';
  return isPods ? [resource, {...resource, resource: 'pods/ephemeralcontainers'}] : [resource];
}
