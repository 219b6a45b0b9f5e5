import {isObject, type Json, type JsonObject} from '../json/types.js';
import {readConditions, type RawCondition} from '../conditions/read-conditions.js';
import {type Anchor, parseAnchor} from '../pattern/index.js';
import type {ClassicRule, MutatePatch, ResourceFilter, ValidateCheck} from '../policy/model.js';

const deepest = 400;

export interface PatternNode {
  /** As written. */
  readonly key: string;
  readonly name: string;
  readonly anchor: Anchor | undefined;
  readonly value: Json;
  readonly path: string;
  /** Names of the keys above, without anchors and indexes. */
  readonly above: readonly string[];
}

/** Every key of a pattern or patch, outer ones first. */
export function* patternNodes(pattern: Json, path: string, above: readonly string[] = []): Generator<PatternNode> {
  if (above.length > deepest) return;
  if (Array.isArray(pattern)) {
    for (const [index, item] of pattern.entries()) yield* patternNodes(item, `${path}[${index}]`, above);
    return;
  }
  if (!isObject(pattern)) return;
  for (const key of Object.keys(pattern)) {
    const value = pattern[key]!;
    const anchor = parseAnchor(key);
    const name = anchor?.key ?? key;
    const at = `${path}.${key}`;
    yield {key, name, anchor, value, path: at, above};
    yield* patternNodes(value, at, [...above, name]);
  }
}

/** Patterns of a rule's checks, each with its place. */
export function* patternsOf(
  rule: ClassicRule,
): Generator<{readonly pattern: Json; readonly path: string; readonly loop: boolean; readonly alternatives: number}> {
  if (rule.action.type === 'validate') yield* checkPatterns(rule.action.check, `${rule.path}.validate`, false);
}

function* checkPatterns(check: ValidateCheck, path: string, loop: boolean): ReturnType<typeof patternsOf> {
  switch (check.type) {
    case 'pattern':
      yield {pattern: check.pattern, path: `${path}.pattern`, loop, alternatives: 1};
      return;
    case 'anyPattern':
      for (const [index, pattern] of check.patterns.entries()) {
        yield {pattern, path: `${path}.anyPattern[${index}]`, loop, alternatives: check.patterns.length};
      }
      return;
    case 'foreach':
      for (const [index, entry] of check.entries.entries())
        yield* checkPatterns(entry.check, `${path}.foreach[${index}]`, true);
      return;
    default:
      return;
  }
}

/** Strategic merge patches and the text ones of a rule. */
export function* patchesOf(
  rule: ClassicRule,
): Generator<{readonly patch: Exclude<MutatePatch, {readonly type: 'foreach'}>; readonly path: string}> {
  if (rule.action.type === 'mutate') yield* innerPatches(rule.action.patch, `${rule.path}.mutate`);
}

function* innerPatches(patch: MutatePatch, path: string): ReturnType<typeof patchesOf> {
  if (patch.type === 'foreach') {
    for (const [index, entry] of patch.entries.entries()) yield* innerPatches(entry.patch, `${path}.foreach[${index}]`);
  } else yield {patch, path: `${path}.${patch.type === 'strategicMerge' ? 'patchStrategicMerge' : 'patchesJson6902'}`};
}

/** Every condition of a rule: preconditions, deny conditions, those of loops. */
export function conditionsOf(rule: ClassicRule): RawCondition[] {
  const found: RawCondition[] = [];
  const read = (raw: Json | undefined, path: string) => {
    const {any, all} = readConditions(raw, path).conditions;
    found.push(...(any ?? []), ...(all ?? []));
  };
  const check = (checked: ValidateCheck, path: string): void => {
    if (checked.type === 'deny') read(checked.conditions, `${path}.deny.conditions`);
    if (checked.type !== 'foreach') return;
    for (const [index, entry] of checked.entries.entries()) {
      read(entry.preconditions, `${path}.foreach[${index}].preconditions`);
      check(entry.check, `${path}.foreach[${index}]`);
    }
  };
  const patch = (inner: MutatePatch, path: string): void => {
    if (inner.type !== 'foreach') return;
    for (const [index, entry] of inner.entries.entries()) {
      read(entry.preconditions, `${path}.foreach[${index}].preconditions`);
      patch(entry.patch, `${path}.foreach[${index}]`);
    }
  };
  read(rule.preconditions, `${rule.path}.preconditions`);
  if (rule.action.type === 'validate') check(rule.action.check, `${rule.path}.validate`);
  if (rule.action.type === 'mutate') patch(rule.action.patch, `${rule.path}.mutate`);
  return found;
}

/** Every text of a value with its place. */
export function* textsOf(
  value: Json | undefined,
  path: string,
  depth = 0,
): Generator<{readonly text: string; readonly path: string}> {
  if (value === undefined || depth > deepest) return;
  if (typeof value === 'string') yield {text: value, path};
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* textsOf(item, `${path}[${index}]`, depth + 1);
  else if (isObject(value))
    for (const key of Object.keys(value)) yield* textsOf(value[key], `${path}.${key}`, depth + 1);
}

export interface PlacedFilter {
  readonly filter: ResourceFilter;
  readonly path: string;
}

export function filtersOf(rule: ClassicRule, block: 'match' | 'exclude'): PlacedFilter[] {
  const group = rule[block];
  return (group?.filters ?? []).map((filter, index) => ({
    filter,
    path: `${rule.path}.${block}.${group!.mode}[${index}]`,
  }));
}

/** `apps/v1/Deployment`, `Deployment`, `pods/exec` → the kind alone. */
export function kindName(selector: string): string {
  const parts = selector.split('/');
  const last = parts.at(-1) ?? '';
  const kind = /^[a-z]/.test(last) && parts.length > 1 ? (parts.at(-2) ?? '') : last;
  return kind.split('.')[0] ?? '';
}

export function writtenRule(policy: {readonly raw: JsonObject}, rule: ClassicRule): Json | undefined {
  const index = Number(/\[(\d+)\]$/.exec(rule.path)?.[1]);
  const spec = policy.raw['spec'];
  const rules = isObject(spec) ? spec['rules'] : undefined;
  return Array.isArray(rules) ? rules[index] : undefined;
}
