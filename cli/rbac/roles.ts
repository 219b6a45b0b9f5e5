import type {Json, JsonObject} from '../../engine/json/types.js';
import {grantLabel} from '../../install/source/rights/roles.js';
import type {Duty, Right} from './right.js';

export interface RoleNames {
  /** Middle part of the roles' names. */
  readonly name: string;
  /** Whom Roles are bound to. */
  readonly account: {readonly name: string; readonly namespace: string};
}

const apiVersion = 'rbac.authorization.k8s.io/v1';
const verbOrder = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const dutyOrder: readonly Duty[] = ['admission', 'background', 'cleanup', 'reports'];

/**
 * One ClusterRole per duty, with the label that adds it to the operator's rights; for what stays in a namespace a Role and
 * its binding. The same input gives the same text.
 */
export function rolesFor(rights: readonly Right[], {name, account}: RoleNames): JsonObject[] {
  const objects: JsonObject[] = [];
  for (const duty of dutyOrder) {
    const rules = rulesOf(rights.filter(right => right.duty === duty && right.namespace === ''));
    if (rules.length === 0) continue;
    objects.push({apiVersion, kind: 'ClusterRole', metadata: {name: `kyverno:${name}:${duty}`, labels: {[grantLabel(duty)]: 'true'}}, rules});
  }
  const wide = rights.filter(right => right.namespace === '');
  const narrow = rights.filter(right => right.namespace !== '' && !wide.some(other => covers(other, right)));
  for (const namespace of [...new Set(narrow.map(right => right.namespace))].sort()) {
    const metadata = {name: `kyverno:${name}`, namespace};
    objects.push(
      {apiVersion, kind: 'Role', metadata, rules: rulesOf(narrow.filter(right => right.namespace === namespace))},
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata,
        roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name},
        subjects: [{kind: 'ServiceAccount', ...account}],
      },
    );
  }
  return objects;
}

/** One process has the rights of all duties. */
function covers(wide: Right, narrow: Right): boolean {
  return wide.group === narrow.group && wide.resource === narrow.resource && wide.names.length === 0 && narrow.verbs.every(verb => wide.verbs.includes(verb));
}

/** The usual verbs first, others (`bind`, `*`) behind them. */
function inOrder(verbs: readonly string[]): string[] {
  return [...verbOrder.filter(verb => verbs.includes(verb)), ...verbs.filter(verb => !verbOrder.includes(verb)).sort()];
}

/** Verbs of one kind together, kinds of one group with the same verbs together. */
function rulesOf(rights: readonly Right[]): JsonObject[] {
  const kinds = new Map<string, {group: string; resource: string; names: readonly string[]; verbs: Set<string>}>();
  for (const {group, resource, names, verbs} of rights) {
    const key = JSON.stringify([group, resource, names]);
    const known = kinds.get(key) ?? {group, resource, names, verbs: new Set<string>()};
    for (const verb of verbs) known.verbs.add(verb);
    kinds.set(key, known);
  }
  const rules = new Map<string, {group: string; names: readonly string[]; verbs: readonly string[]; resources: string[]}>();
  for (const {group, resource, names, verbs: found} of kinds.values()) {
    // Any name is allowed already.
    const whole = names.length > 0 ? kinds.get(JSON.stringify([group, resource, []]))?.verbs : undefined;
    const verbs = inOrder([...found].filter(verb => !whole?.has(verb)));
    if (verbs.length === 0) continue;
    const key = JSON.stringify([group, names, verbs]);
    const known = rules.get(key);
    if (known === undefined) rules.set(key, {group, names, verbs, resources: [resource]});
    else known.resources.push(resource);
  }
  return [...rules.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, {group, names, verbs, resources}]) => ({
      apiGroups: [group],
      resources: resources.sort(),
      ...(names.length > 0 && {resourceNames: [...names] as Json[]}),
      verbs: [...verbs],
    }));
}
