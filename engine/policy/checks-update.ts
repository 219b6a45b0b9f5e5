import {isObject, type JsonObject, own} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import {child, flag, has, objects, sameJson, text, without} from './access.js';
import {at, Faults} from './faults.js';
import {normalizeRule} from './normalize-rule.js';

/** Parts of a generate block that take effect on what was generated before. */
const followed = ['data', 'foreach', 'synchronize', 'orphanDownstreamOnPolicyDelete', 'generateExisting'];

/** Generate rules that replace older ones: objects made under the old rule must still be found under the new. */
export function checkUpdate(
  old: JsonObject,
  rules: readonly JsonObject[],
  paths: readonly string[],
  resources: ResourceMap,
  faults: Faults,
): void {
  const oldRules = generateRules(old, resources);
  const synchronized = oldRules.some(rule => flag(child(rule, 'generate'), 'synchronize') === true);
  const byName = new Map(oldRules.map(rule => [text(rule, 'name') ?? '', rule]));
  const names = new Set(rules.map(rule => text(rule, 'name') ?? ''));
  const dropped = oldRules.filter(rule => !names.has(text(rule, 'name') ?? ''));
  rules.forEach((rule, index) => {
    if (!has(rule, 'generate')) return;
    const before = byName.get(text(rule, 'name') ?? '');
    const path = paths[index]!;
    if (before) compare(before, rule, path, synchronized, faults);
    else if (dropped.some(other => sameJson(own(other, 'generate'), own(rule, 'generate'))))
      refuse(at(path, 'name'), faults);
  });
}

function compare(before: JsonObject, rule: JsonObject, path: string, synchronized: boolean, faults: Faults): void {
  const part = (value: JsonObject) => {
    const rest = without(value, 'generate', 'match');
    return own(rest, 'skipBackgroundRequests') === true ? without(rest, 'skipBackgroundRequests') : rest;
  };
  for (const key of new Set([...Object.keys(part(before)), ...Object.keys(part(rule))])) {
    if (!sameJson(own(part(before), key), own(part(rule), key))) refuse(at(path, key), faults);
  }
  if (synchronized && !sameJson(own(before, 'match'), own(rule, 'match'))) refuse(at(path, 'match'), faults);
  const pattern = (value: JsonObject) => without(child(value, 'generate') ?? {}, ...followed);
  if (!sameJson(pattern(before), pattern(rule))) {
    faults.warn(
      'stale-targets',
      at(path, 'generate'),
      `no synchronization will be performed to the old target resource upon policy updates: changes in the generate rule pattern could result in stale targets (${at(path, 'generate')})`,
    );
  }
}

function refuse(path: string, faults: Faults): void {
  faults.error('immutable-field', path, 'changes of immutable fields of a rule spec in a generate rule is disallowed');
}

function generateRules(policy: JsonObject, resources: ResourceMap): readonly JsonObject[] {
  const spec = child(policy, 'spec');
  const ignored = new Faults();
  return objects(spec, 'rules')
    .map(rule => normalizeRule(rule, '', resources, ignored))
    .filter(rule => isObject(own(rule, 'generate')))
    .map(rule => without(rule, ...Object.keys(rule).filter(key => own(rule, key) === null)));
}
