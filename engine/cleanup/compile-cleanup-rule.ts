import {compileOptionalBlock} from '../compile/condition-block.js';
import {compileEntries} from '../context/compile-entry.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import type {KindSelector} from '../match/kind-selector.js';
import {compileLabelSelector} from '../match/label-selector.js';
import {child, strings, text} from '../policy/access.js';
import {buildSelector} from '../policy/build-match.js';
import type {ClassicPolicy, ClassicRule} from '../policy/model.js';
import {compileGlobs, type TextTest} from '../values/glob.js';
import {type CompiledCleanup, compileTest} from './compile-cleanup-policy.js';
import {parseSchedule} from './schedule.js';

/** The clean-ups of a policy's rules (`cleanup.removeResources`), one for each rule: its entries run together. */
export function compileCleanupRules(policy: ClassicPolicy): readonly CompiledCleanup[] {
  return policy.spec.rules.flatMap(rule => compileCleanupRule(rule, policy));
}

/**
 * An object goes when it is of an entry's kind, carries what that entry asks for, and is within the rule's match and
 * outside its exclude; a Job only when it is complete; with a Policy only in the Policy's namespace.
 */
function compileCleanupRule(rule: ClassicRule, policy: ClassicPolicy): readonly CompiledCleanup[] {
  const {action} = rule;
  if (action.type !== 'cleanup') return [];
  const parsed = action.schedule === undefined ? undefined : parseSchedule(action.schedule);
  const schedule = parsed !== undefined && 'schedule' in parsed ? parsed.schedule : undefined;
  // A file may leave a Policy's namespace out; "everywhere" must never be the reading of that.
  const namespace = policy.ref.kind === 'Policy' ? policy.ref.namespace || 'default' : '';
  const within = compileTest({
    namespace,
    match: rule.match,
    exclude: rule.exclude,
    entries: compileEntries(rule.context, `${rule.path}.context`),
    conditions: compileOptionalBlock(rule.preconditions, `${rule.path}.preconditions`),
  });
  const entries = action.removeResources.flatMap(raw => compileEntry(raw) ?? []);
  if (entries.length === 0) return [];
  return [
    {
      policy: policy.ref,
      rule: rule.name,
      schedule,
      propagation: undefined,
      kinds: kindsOf(entries),
      namespace,
      matches: (object, run) => entries.some(entry => entry.test(object)) && within(object, run),
    },
  ];
}

function kindsOf(entries: readonly Entry[]): readonly KindSelector[] {
  const kinds = new Map<string, KindSelector>();
  for (const {group, version, kind} of entries) kinds.set(`${group}/${version}/${kind}`, {group, version, kind, subresource: ''});
  return [...kinds.values()];
}

interface Entry {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly test: (object: JsonObject) => boolean;
}

const any: TextTest = () => true;

/** `undefined` for an entry that asks for nothing but a kind: it would remove everything. Refused at load, too. */
function compileEntry(raw: JsonObject): Entry | undefined {
  const kind = text(raw, 'kind') ?? '';
  const apiVersion = text(raw, 'apiVersion') ?? '';
  const selector = buildSelector(child(raw, 'selector'));
  const names = strings(raw, 'names');
  const namespaces = strings(raw, 'namespaces');
  const selects =
    selector !== undefined && (selector.matchLabels !== undefined || selector.matchExpressions !== undefined);
  if (kind === '' || apiVersion === '' || (!selects && names.length === 0 && namespaces.length === 0)) return undefined;
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const labels = selector === undefined ? undefined : compileLabelSelector(selector);
  const isNamed = names.length === 0 ? any : compileGlobs(names);
  const isPlaced = namespaces.length === 0 ? any : compileGlobs(namespaces);
  const isJob = group === 'batch' && kind === 'Job';
  return {
    group,
    version: apiVersion.slice(slash + 1),
    kind,
    test: object =>
      textOf(own(object, 'kind')) === kind &&
      groupOf(object) === group &&
      isNamed(textOf(ownPath(object, 'metadata', 'name'))) &&
      isPlaced(textOf(ownPath(object, 'metadata', 'namespace'))) &&
      (labels === undefined || labels(labelsOf(object))) &&
      (!isJob || isComplete(object)),
  };
}

function isComplete(job: JsonObject): boolean {
  const conditions = ownPath(job, 'status', 'conditions');
  if (!Array.isArray(conditions)) return false;
  return conditions.some(
    condition => isObject(condition) && own(condition, 'type') === 'Complete' && own(condition, 'status') === 'True',
  );
}

function groupOf(object: JsonObject): string {
  const apiVersion = textOf(own(object, 'apiVersion'));
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const labels = ownPath(object, 'metadata', 'labels');
  if (!isObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
