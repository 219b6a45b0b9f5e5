import {auditAnnotations} from '../../engine/cel-policies/load/read-parts.js';
import type {MatchConstraints, NamedExpression} from '../../engine/cel-policies/model.js';
import {type CelCheckModel, readCelCheck} from '../../engine/classic-cel/load-cel-check.js';
import {isQuantityExpression, rewriteQuantities} from '../../engine/classic-cel/rewrite-quantities.js';
import {quantitiesAnnotation} from '../../engine/compile/compile-policy.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import type {CompiledException} from '../../engine/exception/compile-exception.js';
import type {JsonObject} from '../../engine/json/types.js';
import {child} from '../../engine/policy/access.js';
import type {ClassicRule, FilterGroup, LabelSelector, ResourceFilter, ValidateAction} from '../../engine/policy/model.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {hasWildcard} from '../../engine/values/glob.js';
import {filterRules} from './classic-rules.js';
import {constraintsJson, makePlan, type NativeWish, skipped} from './native-plan.js';
import {validationJson} from './plan-cel.js';

export interface ClassicPlanInput {
  /** All that name the policy's rule. */
  readonly exceptions: readonly CompiledException[];
  readonly resources: ResourceMap;
}

type Refusal = string | undefined;
const skip = skipped.validating;

/** The native copy of a ClusterPolicy whose one rule is `validate.cel` and asks for it. */
export function planClassicPolicy(policy: CompiledPolicy, {exceptions, resources}: ClassicPlanInput): NativeWish {
  const {source} = policy;
  const {rules} = source.spec;
  const [rule] = rules;
  if (rule === undefined) return skip('no rules found.');
  if (rules.length > 1) return skip('multiple rules are not applicable.');
  const {action} = rule;
  if (action.type !== 'validate' || action.check.type !== 'cel') return {skip: 'skip generating ValidatingAdmissionPolicy for non CEL rules.'};
  if (action.check.raw['generate'] !== true) return skip('validate.cel.generate is not set to true.');
  const check = readCelCheck(action.check.raw, action.message);
  const refusal = policyRefusal(policy, rule, action) ?? matchRefusal(rule.match) ?? excludeRefusal(rule.exclude) ?? quantityRefusal(policy, rule, check);
  if (refusal !== undefined) return skip(refusal);
  if (!exceptions.every(isPlain)) return skip('a policy exception is configured.');

  const matched = filterRules(rule.match.filters, resources);
  if (matched.unknown.length > 0) return skip(`the cluster has no ${matched.unknown.join(', ')}.`);
  const freed = filterRules([...(rule.exclude?.filters ?? []), ...exceptions.flatMap(({source: {match}}) => match?.filters ?? [])], resources);
  const [filter] = rule.match.filters;
  const constraints: MatchConstraints = {
    resourceRules: matched.rules,
    excludeResourceRules: freed.rules,
    namespaceSelector: filter && namespaceSelector(filter),
    objectSelector: filter?.selector,
    matchPolicy: undefined,
  };
  const conditions: NamedExpression[] = [...source.spec.matchConditions, ...(rule.celPreconditions ?? [])];
  // To the API server, selectors of namespaces say nothing about objects outside of them.
  if (constraints.namespaceSelector !== undefined && matched.reachesOutside) {
    conditions.unshift({name: 'kyverno-in-a-namespace', expression: 'has(request.namespace) && request.namespace != ""'});
  }
  const {raw} = action.check;
  return {
    plan: makePlan(
      {ref: source.ref, labels: source.labels},
      {
        type: 'validating',
        until: undefined,
        spec: {
          failurePolicy: source.spec.failurePolicy,
          ...(check.paramKind !== undefined && {paramKind: {...check.paramKind}}),
          matchConstraints: constraintsJson(constraints),
          matchConditions: uniqueNames(conditions).map(({name, expression}) => ({name, expression})),
          variables: check.variables.map(({name, expression}) => ({name, expression})),
          validations: check.validations.map(validation => validationJson(validation)),
          auditAnnotations: auditAnnotations(raw).map(({key, valueExpression}) => ({key, valueExpression})),
        },
        binding: {...paramRefOf(raw), validationActions: (action.failureAction ?? source.spec.failureAction) === 'Enforce' ? ['Deny'] : ['Audit', 'Warn']},
      },
    ),
  };
}

function policyRefusal({source, rules}: CompiledPolicy, rule: ClassicRule, {failureActionOverrides}: ValidateAction): Refusal {
  if (!source.spec.admission) return 'admission is disabled.';
  if (rules.some(each => each.derived)) return 'pod controllers autogen is enabled.';
  const overrides = [...source.spec.failureActionOverrides, ...failureActionOverrides];
  if (overrides.length > 1) return 'multiple validationFailureActionOverrides are not applicable.';
  if (overrides.some(({namespaces}) => namespaces !== undefined && namespaces.length > 0)) return 'Namespaces in validationFailureActionOverrides is not applicable.';
  if (overrides.length > 0) return 'validationFailureActionOverrides are not applicable.';
  if (rule.context.length > 0) return 'context entries are not applicable.';
  if (rule.preconditions !== undefined) return 'preconditions are not applicable.';
  return undefined;
}

function matchRefusal({mode, filters}: FilterGroup): Refusal {
  if (mode === 'all' && filters.length > 1) return "multiple 'all' is not applicable.";
  for (const filter of filters) {
    const refusal = filterRefusal(filter, 'match');
    if (refusal !== undefined) return refusal;
  }
  if (filters.length < 2) return undefined;
  if (filters.some(({selector}) => selector !== undefined)) return 'ObjectSelector across multiple resources is not applicable.';
  if (filters.some(({namespaceSelector: selector}) => selector !== undefined)) return 'NamespaceSelector across multiple resources is not applicable.';
  return filters.some(({namespaces}) => namespaces.length > 0) ? 'Namespaces across multiple resources is not applicable.' : undefined;
}

function excludeRefusal(exclude: FilterGroup | undefined): Refusal {
  if (exclude === undefined) return undefined;
  if (exclude.mode === 'all' && exclude.filters.length > 1) return "multiple 'all' is not applicable.";
  for (const filter of exclude.filters) {
    const refusal = filterRefusal(filter, 'exclude');
    if (refusal !== undefined) return refusal;
    if (filter.namespaces.length > 0) return 'excluding a resource within a namespace is not applicable.';
    if (filter.selector !== undefined || filter.namespaceSelector !== undefined) return 'ObjectSelector and NamespaceSelector in exclude is not applicable.';
    if (filter.kinds.length === 0) return 'exclude without kinds is not applicable.';
  }
  return undefined;
}

function filterRefusal(filter: ResourceFilter, where: string): Refusal {
  if (filter.roles.length > 0) return `Roles in ${where} is not applicable.`;
  if (filter.clusterRoles.length > 0) return `ClusterRoles in ${where} is not applicable.`;
  if (filter.subjects.length > 0) return `Subjects in ${where} is not applicable.`;
  if (filter.annotations !== undefined) return `Annotations in ${where} is not applicable.`;
  if (filter.names.some(hasWildcard)) return 'wildcards in resource names is not applicable.';
  if (filter.namespaces.some(hasWildcard)) return 'wildcards in namespaces is not applicable.';
  if (hasWildcardLabels(filter.selector) || hasWildcardLabels(filter.namespaceSelector)) return 'wildcards in selectors is not applicable.';
  return undefined;
}

function hasWildcardLabels(selector: LabelSelector | undefined): boolean {
  return Object.entries(selector?.matchLabels ?? {}).some(([key, value]) => hasWildcard(key) || hasWildcard(value));
}

/** By amount here, by text there. */
function quantityRefusal({source}: CompiledPolicy, rule: ClassicRule, {variables, validations}: CelCheckModel): Refusal {
  if (source.annotations[quantitiesAnnotation] === 'text') return undefined;
  const quantities = new Set<string>();
  for (const {name, expression} of variables) if (isQuantityExpression(expression, quantities)) quantities.add(name);
  const expressions = [...variables, ...(rule.celPreconditions ?? []), ...validations].map(({expression}) => expression);
  const messages = validations.flatMap(({messageExpression}) => messageExpression ?? []);
  const differs = [...expressions, ...messages].some(expression => rewriteQuantities(expression, quantities) !== expression);
  return differs ? 'it orders or multiplies quantities, which a native policy takes as text.' : undefined;
}

/** Whether rules of the API server say as much as the exception. */
function isPlain({source, everywhere, podSecurity}: CompiledException): boolean {
  const {match} = source;
  if (!everywhere || match === undefined || source.conditions !== undefined || podSecurity !== undefined) return false;
  return excludeRefusal(match) === undefined;
}

function namespaceSelector(filter: ResourceFilter): LabelSelector | undefined {
  if (filter.namespaces.length === 0) return filter.namespaceSelector;
  const {matchLabels, matchExpressions = []} = filter.namespaceSelector ?? {};
  return {
    ...(matchLabels !== undefined && {matchLabels}),
    matchExpressions: [...matchExpressions, {key: 'kubernetes.io/metadata.name', operator: 'In', values: [...filter.namespaces]}],
  };
}

function paramRefOf(raw: JsonObject): JsonObject {
  const ref = child(raw, 'paramRef');
  return ref === undefined ? {} : {paramRef: ref};
}

function uniqueNames(expressions: readonly NamedExpression[]): NamedExpression[] {
  const taken = new Set<string>();
  return expressions.map(({name, expression}) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name}-${number}`;
    taken.add(unique);
    return {name: unique, expression};
  });
}
