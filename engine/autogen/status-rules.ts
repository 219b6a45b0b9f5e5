import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import type {ClassicPolicy, FilterGroup, ResourceFilter} from '../policy/model.js';
import {type DerivedRule, deriveWithTemplates} from './derive-rules.js';
import {rewriteCelBlock, rewriteCelConditions} from './rewrite-cel.js';
import {rewriteValue, wrapInTemplate} from './rewrite-text.js';

/** Derived rules in the shape that users write, for `status.autogen.rules` and `explain`. */
export function statusRules(policy: ClassicPolicy): JsonObject[] {
  const raw = own(policy.raw, 'spec');
  const rules = isObject(raw) ? own(raw, 'rules') : undefined;
  if (!Array.isArray(rules)) return [];
  return deriveWithTemplates(policy).flatMap(derived => {
    const index = Number(/\[(\d+)\]$/.exec(derived.rule.path)?.[1] ?? -1);
    const source = rules[index];
    return isObject(source) ? [statusRule(derived, source)] : [];
  });
}

function statusRule({rule, template}: DerivedRule, source: JsonObject): JsonObject {
  const result: JsonObject = {name: rule.name, match: groupJson(rule.match)};
  if (rule.exclude !== undefined) result['exclude'] = groupJson(rule.exclude);
  for (const [key, value] of Object.entries(source)) {
    if (key === 'name' || key === 'match' || key === 'exclude' || key === 'imageExtractors') continue;
    const rewritten =
      key === 'celPreconditions' ? rewriteCelConditions(value, template) : rewriteValue(value, template);
    setOwn(result, key, actionJson(key, rewritten, template));
  }
  // Scripts that read the status expect the default spelt out.
  if (own(result, 'skipBackgroundRequests') === undefined) result['skipBackgroundRequests'] = true;
  return result;
}

function actionJson(key: string, value: Json, template: readonly string[]): Json {
  if (!isObject(value)) return value;
  if (key === 'validate' || key === 'validation') {
    const result: JsonObject = {...value};
    const pattern = own(value, 'pattern');
    const anyPattern = own(value, 'anyPattern');
    const cel = own(value, 'cel');
    if (isObject(cel)) result['cel'] = rewriteCelBlock(cel, template);
    if (pattern !== undefined) result['pattern'] = wrapInTemplate(pattern, template);
    if (Array.isArray(anyPattern)) result['anyPattern'] = anyPattern.map(item => wrapInTemplate(item, template));
    return result;
  }
  return key === 'mutate' || key === 'mutation' ? mutateJson(value, template) : value;
}

function mutateJson(value: JsonObject, template: readonly string[]): JsonObject {
  const result: JsonObject = {...value};
  const patch = own(value, 'patchStrategicMerge');
  const foreach = own(value, 'foreach');
  if (patch !== undefined) result['patchStrategicMerge'] = wrapInTemplate(patch, template);
  if (Array.isArray(foreach))
    result['foreach'] = foreach.map(entry => (isObject(entry) ? mutateJson(entry, template) : entry));
  return result;
}

function groupJson(group: FilterGroup): JsonObject {
  return {[group.mode]: group.filters.map(filterJson)};
}

function filterJson(filter: ResourceFilter): JsonObject {
  const resources: JsonObject = {};
  if (filter.kinds.length > 0) resources['kinds'] = [...filter.kinds];
  if (filter.namespaces.length > 0) resources['namespaces'] = [...filter.namespaces];
  if (filter.operations.length > 0) resources['operations'] = [...filter.operations];
  if (filter.namespaceSelector !== undefined)
    resources['namespaceSelector'] = filter.namespaceSelector as unknown as Json;
  const result: JsonObject = {resources};
  if (filter.roles.length > 0) result['roles'] = [...filter.roles];
  if (filter.clusterRoles.length > 0) result['clusterRoles'] = [...filter.clusterRoles];
  if (filter.subjects.length > 0) result['subjects'] = filter.subjects.map(subject => ({...subject}));
  return result;
}
