import type {ResolvedResource} from './resolve-kinds.js';
import type {WebhookRule} from './types.js';

/** A resource with the operations it is wanted for. */
export interface Interception extends ResolvedResource {
  readonly operations: readonly string[];
}

/**
 * Joins interceptions into the shortest canonical list of rules: what a wider rule covers is dropped, resources with
 * the same group, version, scope and operations share one rule, everything is sorted. Equal inputs in any order give
 * equal output.
 */
export function mergeRules(interceptions: readonly Interception[]): WebhookRule[] {
  const operations = new Map<string, {resource: ResolvedResource; operations: Set<string>}>();
  for (const item of withEphemeralContainers(interceptions)) {
    const key = JSON.stringify([item.group, item.version, item.resource, item.scope]);
    const known = operations.get(key);
    if (known === undefined) operations.set(key, {resource: item, operations: new Set(item.operations)});
    else for (const operation of item.operations) known.operations.add(operation);
  }
  const merged = [...operations.values()];
  const kept = merged.flatMap(item => {
    const left = [...item.operations].filter(
      operation => !merged.some(other => other !== item && other.operations.has(operation) && covers(other.resource, item.resource)),
    );
    return left.length > 0 ? [{...item.resource, operations: left.sort()}] : [];
  });
  return groupRules(kept);
}

/** A rule for Pods is a rule for what is added to running Pods too. */
function withEphemeralContainers(interceptions: readonly Interception[]): Interception[] {
  return interceptions.flatMap(item => {
    const core = item.group === '' || item.group === '*';
    const first = item.version === 'v1' || item.version === '*';
    const pods = item.resource === 'pods' || item.resource === '*';
    return core && first && pods ? [item, {...item, resource: 'pods/ephemeralcontainers'}] : [item];
  });
}

function covers(wide: ResolvedResource, narrow: ResolvedResource): boolean {
  const same = wide.group === narrow.group && wide.version === narrow.version && wide.resource === narrow.resource;
  if (same && wide.scope === narrow.scope) return false;
  return (
    (wide.group === '*' || wide.group === narrow.group) &&
    (wide.version === '*' || wide.version === narrow.version) &&
    (wide.scope === '*' || wide.scope === narrow.scope) &&
    coversResource(wide.resource, narrow.resource)
  );
}

function coversResource(wide: string, narrow: string): boolean {
  if (wide === narrow || wide === '*/*') return true;
  const [wideParent = '', wideSub = ''] = wide.split('/');
  const [parent = '', sub = ''] = narrow.split('/');
  if (wideSub === '*') return wideParent === parent;
  return wideParent === '*' && wideSub === sub;
}

function groupRules(items: readonly Interception[]): WebhookRule[] {
  const groups = new Map<string, {rule: Omit<WebhookRule, 'resources'>; resources: Set<string>}>();
  for (const item of items) {
    const key = JSON.stringify([item.group, item.version, item.scope, item.operations]);
    let group = groups.get(key);
    if (group === undefined) {
      const rule = {apiGroups: [item.group], apiVersions: [item.version], operations: item.operations, scope: item.scope};
      group = {rule, resources: new Set()};
      groups.set(key, group);
    }
    group.resources.add(item.resource);
  }
  return [...groups.values()]
    .map(({rule, resources}) => ({
      apiGroups: rule.apiGroups,
      apiVersions: rule.apiVersions,
      operations: rule.operations,
      resources: [...resources].sort(),
      scope: rule.scope,
    }))
    .sort((a, b) => compareText(sortKey(a), sortKey(b)));
}

function sortKey(rule: WebhookRule): string {
  return JSON.stringify([rule.apiGroups, rule.apiVersions, rule.resources, rule.scope, rule.operations]);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
