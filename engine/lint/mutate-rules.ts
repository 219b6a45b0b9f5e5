import {isObject, type Json} from '../json/types.js';
import {parseJsonPatch} from '../mutate/index.js';
import type {LintRule} from './types.js';
import {filtersOf, kindName, patchesOf, patternNodes, textsOf} from './walk.js';

/** Kinds whose objects another controller writes and writes again. */
const ownedKinds = new Map([
  ['ReplicaSet', 'Deployment'],
  ['ControllerRevision', 'StatefulSet or DaemonSet'],
  ['EndpointSlice', 'Service'],
  ['Endpoints', 'Service'],
]);

function asksForOwner(rule: Parameters<LintRule['check']>[0]['rule']): boolean {
  for (const {text} of textsOf(rule.preconditions, '')) if (text.includes('ownerReferences')) return true;
  return false;
}

const mutateOwnedKind: LintRule = {
  id: 'mutate-owned-kind',
  severity: 'error',
  summary: 'A controller undoes changes of objects that it owns, or makes new ones without end',
  hint: 'change the owner instead, or ask in preconditions that metadata.ownerReferences is empty',
  *check({rule}) {
    if (rule.action.type !== 'mutate' || rule.action.targets !== undefined || asksForOwner(rule)) return;
    for (const {filter, path} of filtersOf(rule, 'match')) {
      for (const [index, selector] of filter.kinds.entries()) {
        const owner = ownedKinds.get(kindName(selector));
        if (owner === undefined) continue;
        yield {
          path: `${path}.resources.kinds[${index}]`,
          message: `changes ${kindName(selector)}s, which their ${owner} compares with its own idea of them`,
        };
      }
    }
  },
};

/** Fields of a Pod's spec that may change once it is there. */
const mutablePodFields = new Set([
  'activeDeadlineSeconds',
  'terminationGracePeriodSeconds',
  'tolerations',
  'schedulingGates',
]);

/** `spec.hostNetwork`, `spec.containers.imagePullPolicy`: what a change of a Pod's spec may not touch later. */
function immutableField(names: readonly string[]): string | undefined {
  const [first, second = '', third] = names;
  if (first !== 'spec' || second === '' || mutablePodFields.has(second)) return undefined;
  if (second === 'containers' || second === 'initContainers')
    return third === undefined || third === 'image' || third === 'name' ? undefined : names.slice(0, 3).join('.');
  return `spec.${second}`;
}

const mutateImmutableField: LintRule = {
  id: 'mutate-immutable-pod-field',
  severity: 'warning',
  summary: 'A changed Pod is refused by the API server when a rule writes fields that cannot change any more',
  hint: 'limit the rule to operations: [CREATE]',
  *check({rule}) {
    if (rule.action.type !== 'mutate' || rule.action.targets !== undefined) return;
    const updates = filtersOf(rule, 'match').some(
      ({filter: {kinds, operations}}) =>
        kinds.some(kind => kindName(kind) === 'Pod' && !kind.includes('Pod/')) &&
        (operations.length === 0 || operations.includes('UPDATE')),
    );
    if (!updates) return;
    for (const {patch, path} of patchesOf(rule)) {
      const reported = new Set<string>();
      for (const {at, names} of patch.type === 'strategicMerge'
        ? writtenFields(patch.patch, path)
        : patchedFields(patch.patch, path)) {
        const field = immutableField(names);
        if (field === undefined || reported.has(field)) continue;
        reported.add(field);
        yield {path: at, message: `writes ${field} of Pods on UPDATE, where it cannot change`};
      }
    }
  },
};

function* writtenFields(patch: Json, path: string) {
  for (const {name, anchor, value, path: at, above} of patternNodes(patch, path)) {
    // Conditions write nothing; `+( )` leaves alone what is there, which on UPDATE may still be nothing.
    if (anchor !== undefined && anchor.kind !== 'addIfAbsent') continue;
    if (isObject(value) || (Array.isArray(value) && value.some(isObject))) continue;
    yield {at, names: [...above, name]};
  }
}

function* patchedFields(text: string, path: string) {
  if (text.includes('{{')) {
    for (const found of text.matchAll(/(?:^|[\s{,"'])["']?path["']?\s*:\s*["']?(\/[^\s"',}]*)/g))
      yield {at: path, names: pointerNames(found[1] ?? '')};
    return;
  }
  let operations: ReturnType<typeof parseJsonPatch>;
  try {
    operations = parseJsonPatch(text);
  } catch {
    // The loader has told what is wrong with it.
    return;
  }
  for (const [index, {path: pointer, op}] of operations.entries())
    if (op !== 'test') yield {at: `${path}[${index}]`, names: pointerNames(pointer)};
}

function pointerNames(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .filter(name => !/^(?:\d+|-|\{\{.*)$/.test(name) && !name.includes('}}'));
}

export const mutateRules: readonly LintRule[] = [mutateOwnedKind, mutateImmutableField];
