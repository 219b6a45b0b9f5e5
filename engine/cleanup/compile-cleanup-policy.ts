import {compileOptionalBlock, evaluateBlock} from '../compile/condition-block.js';
import type {Conditions} from '../compile/types.js';
import {type CompiledEntry, compileEntries} from '../context/compile-entry.js';
import type {RuleRun} from '../context/rule-run.js';
import {RuleScope} from '../context/rule-scope.js';
import type {JsonObject} from '../json/types.js';
import {compileFilterGroup, type Matcher} from '../match/compile-filter.js';
import {type KindSelector, parseKindSelector} from '../match/kind-selector.js';
import type {FilterGroup} from '../policy/model.js';
import type {PolicyRef} from '../types.js';
import {deletionOf} from './deletion-context.js';
import type {CleanupPolicy, Propagation} from './model.js';
import type {Schedule} from './schedule.js';

/** What is to be removed, again and again. Immutable; deleting is its caller's work. */
export interface CompiledCleanup {
  readonly policy: PolicyRef;
  /** Rule that the clean-up stands in; empty for a CleanupPolicy. */
  readonly rule: string;
  /** undefined = the installation's default. */
  readonly schedule: Schedule | undefined;
  readonly propagation: Propagation | undefined;
  /** Where to look for candidates: kinds, and one namespace or (empty) everywhere. */
  readonly kinds: readonly KindSelector[];
  readonly namespace: string;
  /**
   * Whether an existing object is to go. Synchronous; runs inside `run.complete`. Throws `EvalError` when that cannot be
   * told (a context entry or condition fails): such an object stays.
   */
  matches(object: JsonObject, run: RuleRun): boolean;
}

/** Throws `CompileError` for conditions or context that cannot be compiled. */
export function compileCleanupPolicy(source: CleanupPolicy): CompiledCleanup {
  const {ref} = source;
  const test = compileTest({
    namespace: ref.namespace,
    match: source.match,
    exclude: source.exclude,
    entries: compileEntries(source.context, 'spec.context'),
    conditions: compileOptionalBlock(source.conditions, 'spec.conditions'),
  });
  return {
    policy: ref,
    rule: '',
    schedule: source.schedule,
    propagation: source.propagation,
    kinds: kindsOf(source.match),
    namespace: ref.namespace,
    matches: test,
  };
}

export interface TestParts {
  /** Of the policy; empty = any. */
  readonly namespace: string;
  readonly match: FilterGroup;
  readonly exclude: FilterGroup | undefined;
  readonly entries: readonly CompiledEntry[];
  readonly conditions: Conditions | undefined;
}

/** Namespace, match, exclude, conditions, cheapest first. */
export function compileTest(parts: TestParts): CompiledCleanup['matches'] {
  const {namespace, entries, conditions} = parts;
  // A namespaceSelector never selects a Namespace for removal, but does protect it.
  const match: Matcher = compileFilterGroup(withoutOperations(parts.match), {role: 'match'});
  const exclude =
    parts.exclude === undefined ? undefined : compileFilterGroup(withoutOperations(parts.exclude), {role: 'exception'});
  return (object, run) => {
    const context = deletionOf(object, run.resources);
    if (namespace !== '' && (context.isNamespace || context.request.namespace !== namespace)) return false;
    if (!match(context, run) || exclude?.(context, run) === true) return false;
    if (conditions === undefined) return true;
    const scope = new RuleScope({env: run, context, entries, variables: {target: object}});
    return evaluateBlock(conditions, scope).result;
  };
}

function withoutOperations(group: FilterGroup): FilterGroup {
  return {...group, filters: group.filters.map(filter => ({...filter, operations: []}))};
}

function kindsOf(match: FilterGroup): readonly KindSelector[] {
  const texts = new Set(match.filters.flatMap(filter => filter.kinds));
  return [...texts].map(parseKindSelector).filter(selector => selector !== undefined);
}
