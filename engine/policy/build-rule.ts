import {type Json, type JsonObject, own} from '../json/types.js';
import type {FailureAction} from '../types.js';
import {child, flag, has, list, objects, stringMap, strings, text} from './access.js';
import {buildContext} from './build-context.js';
import {buildFilterGroup, buildSelector, conditionsOf} from './build-match.js';
import {actionsOf} from './checks-rule.js';
import type {
  ClassicRule,
  FailureActionOverride,
  FilterGroup,
  MutateForeach,
  MutatePatch,
  RuleAction,
  ValidateAction,
  ValidateCheck,
  ValidateForeach,
} from './model.js';

type ForeachCheck = ValidateForeach['check'];

/** Where a rule stands. */
interface RulePlace {
  /** `spec.rules[0]` */
  readonly path: string;
  /** Of a Policy; empty for a ClusterPolicy. */
  readonly namespace: string;
}

/** The model of a rule that passed its checks. */
export function buildRule(rule: JsonObject, spec: JsonObject, {path, namespace}: RulePlace): ClassicRule {
  const extractors = child(rule, 'imageExtractors');
  const celPreconditions = objects(rule, 'celPreconditions').map(entry => ({
    name: text(entry, 'name') ?? '',
    expression: text(entry, 'expression') ?? '',
  }));
  return {
    name: text(rule, 'name') ?? '',
    path,
    match: buildFilterGroup(child(rule, 'match')) ?? emptyGroup,
    exclude: buildFilterGroup(child(rule, 'exclude')),
    context: buildContext(objects(rule, 'context')),
    preconditions: conditionsOf(rule, 'preconditions'),
    reportProperties: stringMap(rule, 'reportProperties') ?? {},
    skipBackgroundRequests: flag(rule, 'skipBackgroundRequests') ?? true,
    action: buildAction(rule, spec, namespace),
    ...(extractors ? {imageExtractors: extractors} : {}),
    ...(celPreconditions.length > 0 ? {celPreconditions} : {}),
  };
}

const emptyGroup: FilterGroup = {mode: 'all', filters: []};

function buildAction(rule: JsonObject, spec: JsonObject, namespace: string): RuleAction {
  switch (actionsOf(rule)[0]!) {
    case 'validate':
      return buildValidate(child(rule, 'validate')!);
    case 'mutate': {
      const mutate = child(rule, 'mutate')!;
      return {
        type: 'mutate',
        patch: buildPatch(mutate),
        // A Policy changes nothing outside its namespace, whether it says so or not.
        targets: has(mutate, 'targets') ? objects(mutate, 'targets').map(target => (namespace === '' ? target : {...target, namespace})) : undefined,
        mutateExistingOnPolicyUpdate:
          flag(mutate, 'mutateExistingOnPolicyUpdate') ?? flag(spec, 'mutateExistingOnPolicyUpdate') ?? false,
      };
    }
    case 'generate': {
      const generate = child(rule, 'generate')!;
      const existing = flag(generate, 'generateExisting') ?? flag(spec, 'generateExisting');
      return {type: 'generate', raw: existing === undefined ? generate : {...generate, generateExisting: existing}};
    }
    case 'verifyImages':
      return {type: 'verifyImages', raw: objects(rule, 'verifyImages')};
    case 'cleanup': {
      const cleanup = child(rule, 'cleanup')!;
      return {
        type: 'cleanup',
        schedule: text(cleanup, 'schedule'),
        removeResources: objects(cleanup, 'removeResources'),
      };
    }
  }
}

function buildValidate(validate: JsonObject): ValidateAction {
  return {
    type: 'validate',
    failureAction: text(validate, 'failureAction') as FailureAction | undefined,
    failureActionOverrides: buildOverrides(objects(validate, 'failureActionOverrides')),
    allowExistingViolations: flag(validate, 'allowExistingViolations') ?? true,
    message: text(validate, 'message'),
    check: buildCheck(validate),
  };
}

export function buildOverrides(overrides: readonly JsonObject[]): readonly FailureActionOverride[] {
  return overrides.map(override => ({
    action: text(override, 'action') as FailureAction,
    namespaces: list(override, 'namespaces').length > 0 ? strings(override, 'namespaces') : undefined,
    namespaceSelector: buildSelector(child(override, 'namespaceSelector')),
  }));
}

function buildCheck(validate: JsonObject): ValidateCheck {
  for (const type of ['manifests', 'podSecurity', 'cel'] as const) {
    const raw = child(validate, type);
    if (raw) return {type, raw};
  }
  const isPlain = ['deny', 'pattern', 'anyPattern', 'foreach'].some(key => has(validate, key));
  if (!isPlain) return {type: 'assert', raw: child(validate, 'assert') ?? {}};
  return buildPlainCheck(validate);
}

function buildPlainCheck(block: JsonObject): ForeachCheck {
  const deny = child(block, 'deny');
  if (deny) return {type: 'deny', conditions: conditionsOf(deny, 'conditions')};
  if (has(block, 'pattern')) return {type: 'pattern', pattern: own(block, 'pattern')!};
  if (has(block, 'anyPattern')) return {type: 'anyPattern', patterns: patternList(own(block, 'anyPattern')!)};
  return {type: 'foreach', entries: objects(block, 'foreach').map(buildValidateForeach)};
}

function patternList(patterns: Json): readonly Json[] {
  return Array.isArray(patterns) ? patterns : [patterns];
}

function buildValidateForeach(entry: JsonObject): ValidateForeach {
  return {
    list: text(entry, 'list') ?? '',
    elementScope: flag(entry, 'elementScope'),
    context: buildContext(objects(entry, 'context')),
    preconditions: conditionsOf(entry, 'preconditions'),
    check: buildPlainCheck(entry),
  };
}

function buildPatch(block: JsonObject): MutatePatch {
  if (has(block, 'patchStrategicMerge')) return {type: 'strategicMerge', patch: own(block, 'patchStrategicMerge')!};
  const json = text(block, 'patchesJson6902');
  if (json !== undefined) return {type: 'json6902', patch: json};
  return {type: 'foreach', entries: objects(block, 'foreach').map(buildMutateForeach)};
}

function buildMutateForeach(entry: JsonObject): MutateForeach {
  return {
    list: text(entry, 'list') ?? '',
    order: text(entry, 'order') as 'Ascending' | 'Descending' | undefined,
    context: buildContext(objects(entry, 'context')),
    preconditions: conditionsOf(entry, 'preconditions'),
    patch: buildPatch(entry),
  };
}
