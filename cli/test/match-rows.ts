import type {JsonObject} from '../../engine/json/types.js';
import {isRuleless} from '../files/policy-kinds.js';
import type {Expectation, ResourceSpec} from '../files/test-file.js';
import {coversRule} from '../offline/given.js';
import {keyOf, keyText, type PolicyResponse, type ResourceKey, type RuleResponse} from '../offline/responses.js';
import {type Comparison, compareRule, type ExpectedObjects} from './compare.js';

export interface Row {
  /** As `results[].policy` says. */
  readonly policy: string;
  readonly rule: string;
  readonly resource: string;
  readonly result: 'Pass' | 'Fail' | 'Skip';
  readonly reason: string;
  readonly message: string;
}

/** Responses of one resource in one run. */
export interface Judged {
  readonly key: ResourceKey;
  readonly responses: readonly PolicyResponse[];
}

/** An existing object that rules changed. */
export interface ChangedTarget {
  readonly key: ResourceKey;
  readonly changes: ReadonlyArray<{
    readonly response: PolicyResponse;
    readonly rule: RuleResponse;
    readonly object: JsonObject;
  }>;
}

export interface MatchOptions {
  /** Runs by operation; the run without one is under ''. */
  readonly runs: ReadonlyMap<string, readonly Judged[]>;
  readonly targets: readonly ChangedTarget[];
  /** Names of policies that were left out as invalid → why. */
  readonly invalid: ReadonlyMap<string, string>;
  readonly load: ExpectedObjects;
  /** Names that match nothing are reported instead of standing for every resource. */
  readonly strict: boolean;
}

interface Selected {
  readonly key: ResourceKey;
  readonly judged: Judged | undefined;
  readonly target: ChangedTarget | undefined;
}

/** Rows of one entry of `results`. */
export function matchRows(expectation: Expectation, options: MatchOptions): readonly Row[] {
  const trigger = options.runs.get(expectation.operation ?? '') ?? [];
  const candidates = selectable(trigger, options.targets);
  const selected = select(candidates, expectation, options.strict);
  const rows = selected.keys.flatMap(item => rowsOf(item, expectation, options));
  for (const name of selected.unmatched)
    rows.push(row(expectation, {resource: name, result: 'Fail', reason: 'Not found', message: 'Not found'}));
  return rows;
}

function selectable(trigger: readonly Judged[], targets: readonly ChangedTarget[]): readonly Selected[] {
  const found = new Map<string, Selected>();
  for (const judged of trigger) found.set(keyText(judged.key), {key: judged.key, judged, target: undefined});
  for (const target of targets) {
    const text = keyText(target.key);
    found.set(text, {key: target.key, judged: found.get(text)?.judged, target});
  }
  return [...found.values()];
}

function select(candidates: readonly Selected[], expectation: Expectation, strict: boolean) {
  const names = expectation.resources ?? [];
  const specs = expectation.resourceSpecs ?? [];
  // A name that is listed twice counts twice.
  const keys: Selected[] = [];
  const unmatched: string[] = [];
  const take = (label: string, matches: (key: ResourceKey) => boolean) => {
    const found = candidates.filter(candidate => matches(candidate.key));
    keys.push(...found);
    if (strict && found.length === 0) unmatched.push(label);
  };
  for (const name of names) take(name, key => matchesName(name, key));
  if (names.length > 0 || strict) for (const spec of specs) take(specText(spec), key => matchesSpec(spec, key));
  const all = keys.length === 0 && unmatched.length === 0;
  return {keys: all ? candidates : keys, unmatched};
}

/** `name` or `namespace/name`, to the letter; a whole key or payload path matches too. */
function matchesName(name: string, key: ResourceKey): boolean {
  if (name === key.name) return true;
  const parts = name.split('/');
  return parts.length === 2 && parts[0] === key.namespace && parts[1] === key.name;
}

function matchesSpec(spec: ResourceSpec, key: ResourceKey): boolean {
  const apiVersion = spec.group ? `${spec.group}/${spec.version ?? ''}` : (spec.version ?? '');
  return apiVersion === key.apiVersion && (spec.namespace ?? '') === key.namespace && (spec.name ?? '') === key.name;
}

function specText(spec: ResourceSpec): string {
  return [spec.group, spec.version, spec.kind, spec.namespace, spec.name].filter(part => part).join('/');
}

function rowsOf(item: Selected, expectation: Expectation, options: MatchOptions): Row[] {
  const rows: Row[] = [];
  let dropped = false;
  const resource = keyText(item.key);
  const add = (comparison: Comparison, rule: string, at = resource) => {
    if (comparison.missing && !expectation.failOnMissingResources) {
      dropped = true;
      return;
    }
    rows.push(
      row(expectation, {
        rule,
        resource: at,
        result: comparison.ok ? 'Pass' : 'Fail',
        reason: comparison.reason,
        message: comparison.message,
      }),
    );
  };
  const name = policyName(expectation);
  for (const response of item.judged?.responses ?? []) {
    if (response.policy.name !== name) continue;
    for (const rule of rulesFor(response, expectation)) {
      const ruleName = isRuleless(response.policy.family) ? '' : rule.rule;
      if (rule.type === 'Generation') {
        for (const actual of rule.generated) {
          add(
            compareRule({expectation, response, rule, actual, generated: true, load: options.load}),
            ruleName,
            `/${keyOf(actual).name}`,
          );
        }
        if (rule.generated.length > 0) continue;
        add(
          compareRule({
            expectation: statusOnly(expectation),
            response,
            rule,
            actual: response.resource,
            generated: false,
            load: options.load,
          }),
          ruleName,
        );
        continue;
      }
      const actual = rule.type === 'Mutation' ? response.patched : response.resource;
      add(compareRule({expectation, response, rule, actual, generated: false, load: options.load}), ruleName);
    }
    if (rows.length === 0 && !dropped) {
      rows.push(row(expectation, {resource, result: 'Pass', reason: 'Excluded', message: 'Excluded'}));
    }
  }
  for (const change of item.target?.changes ?? []) {
    add(
      compareRule({
        expectation,
        response: change.response,
        rule: change.rule,
        actual: change.object,
        generated: false,
        load: options.load,
      }),
      change.rule.rule,
    );
  }
  if (rows.length > 0 || dropped) return rows;
  const invalid = options.invalid.get(name);
  if (invalid !== undefined)
    return [row(expectation, {resource, result: 'Skip', reason: 'Invalid Policy', message: invalid})];
  return [row(expectation, {resource, result: 'Fail', reason: 'Not found', message: 'Not found'})];
}

function statusOnly(expectation: Expectation): Expectation {
  const {patchedResources: _patched, generatedResource: _one, generatedResources: _several, ...rest} = expectation;
  return rest;
}

function rulesFor(response: PolicyResponse, expectation: Expectation): readonly RuleResponse[] {
  const {rule} = expectation;
  if (!rule || isRuleless(response.policy.family)) return response.rules;
  return response.rules.filter(({rule: actual, unserved}) => coversRule(rule, actual) || (unserved && actual === ''));
}

/** The last segment: a namespace in front of it is documentation. */
export function policyName(expectation: Expectation): string {
  return (expectation.policy ?? '').split('/').at(-1) ?? '';
}

function row(expectation: Expectation, fields: Omit<Row, 'policy' | 'rule'> & {readonly rule?: string}): Row {
  return {policy: expectation.policy ?? '', rule: expectation.rule ?? '', ...fields};
}
