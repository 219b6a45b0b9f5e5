import type {CompiledPolicy, CompiledRule} from '../../engine/compile/types.js';
import {parseKindSelector} from '../../engine/match/kind-selector.js';
import type {ClassicRule, ResourceFilter} from '../../engine/policy/model.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {compileGlob} from '../../engine/values/glob.js';
import type {Interception} from './merge-rules.js';
import {resolveKind} from './resolve-kinds.js';

const validateOperations = ['CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const mutateOperations = ['CREATE', 'UPDATE'];
/** What else happens to a trigger is heard of by watching it. */
const backgroundOperations = ['CREATE', 'UPDATE'];

export interface PolicyInterceptions {
  readonly interceptions: readonly Interception[];
  /** Kinds that the cluster does not have (yet). */
  readonly unresolved: readonly string[];
}

/** What the API server has to send us for one policy's validate or mutate rules. */
export function interceptionsOf(
  policy: CompiledPolicy,
  type: CompiledRule['type'],
  resources: ResourceMap,
): PolicyInterceptions {
  const interceptions: Interception[] = [];
  const unresolved = new Set<string>();
  const namespacedOnly = policy.ref.namespace !== '';
  for (const rule of policy.rules) {
    const isBackground = rule.type === 'generate' || rule.type === 'mutateExisting';
    // What they lead to is noted when a request is let in, and nothing is changed: a validating webhook.
    if (isBackground ? type !== 'validate' : !asksFor(rule, type)) continue;
    for (const filter of rule.source.match.filters) {
      for (const kind of filter.kinds) {
        const found = resolveKind(kind, {resources, namespacedOnly});
        if (found.length === 0) unresolved.add(kind);
        const operations = operationsFor(
          rule.source,
          filter,
          kind,
          isBackground ? 'background' : rule.type === 'verifyImages' ? 'verifyImages' : type,
        );
        if (operations.length > 0) interceptions.push(...found.map(resource => ({...resource, operations})));
      }
    }
  }
  return {interceptions, unresolved: [...unresolved].sort()};
}

/** Images are verified when an object is mutated; that they were is looked at when it is validated. */
function asksFor(rule: CompiledRule, type: CompiledRule['type']): boolean {
  if (rule.type !== 'verifyImages') return rule.type === type;
  return type === 'mutate' || (type === 'validate' && rule.images.checks);
}

/** The filter's operations (or the default) less those that an exclusion by kind and operation alone takes away. */
function operationsFor(
  rule: ClassicRule,
  filter: ResourceFilter,
  kind: string,
  type: CompiledRule['type'] | 'background',
): string[] {
  const wanted: readonly string[] = filter.operations.length > 0 ? filter.operations : defaultOperations(kind, type);
  const possible = wanted.filter(operation => isPossible(operation, type));
  const excluded = excludedOperations(rule, kind);
  return possible.filter(operation => !excluded.has(operation));
}

/** On DELETE there is no object to change, and no image that would run. */
function isPossible(operation: string, type: CompiledRule['type'] | 'background'): boolean {
  if (type === 'verifyImages') return mutateOperations.includes(operation);
  return type !== 'mutate' || operation !== 'DELETE';
}

function defaultOperations(kind: string, type: CompiledRule['type'] | 'background'): readonly string[] {
  if (type === 'validate') return validateOperations;
  if (type !== 'background') return mutateOperations;
  // Only subresources are connected to.
  const subresource = parseKindSelector(kind)?.subresource ?? '';
  return subresource === '' ? backgroundOperations : ['CONNECT', ...backgroundOperations];
}

function excludedOperations(rule: ClassicRule, kind: string): Set<string> {
  const excluded = new Set<string>();
  if (rule.exclude?.mode !== 'any') return excluded;
  for (const filter of rule.exclude.filters) {
    if (!onlyKindsAndOperations(filter)) continue;
    if (filter.kinds.length > 0 && !filter.kinds.some(pattern => coversKind(pattern, kind))) continue;
    for (const operation of filter.operations.length > 0 ? filter.operations : validateOperations)
      excluded.add(operation);
  }
  return excluded;
}

function onlyKindsAndOperations(filter: ResourceFilter): boolean {
  return (
    (filter.kinds.length > 0 || filter.operations.length > 0) &&
    filter.names.length === 0 &&
    filter.namespaces.length === 0 &&
    filter.annotations === undefined &&
    filter.selector === undefined &&
    filter.namespaceSelector === undefined &&
    filter.roles.length === 0 &&
    filter.clusterRoles.length === 0 &&
    filter.subjects.length === 0
  );
}

/** Whether every resource of `kind` is one of `pattern`'s; unsure counts as no. */
function coversKind(pattern: string, kind: string): boolean {
  const wide = parseKindSelector(pattern);
  const narrow = parseKindSelector(kind);
  if (wide === undefined || narrow === undefined) return false;
  return (['group', 'version', 'kind', 'subresource'] as const).every(
    part => wide[part] === narrow[part] || compileGlob(wide[part])(narrow[part]),
  );
}
