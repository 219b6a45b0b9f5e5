import {parseKindSelector} from '../match/kind-selector.js';
import type {
  ClassicPolicy,
  ClassicRule,
  FilterGroup,
  MutateForeach,
  MutatePatch,
  ResourceFilter,
  RuleAction,
  ValidateCheck,
  ValidateForeach,
} from '../policy/model.js';
import {autogenAnnotation, isPodController, type PodController, podControllers, templatePath} from './controllers.js';
import {rewriteCelBlock, rewriteCelConditions} from './rewrite-cel.js';
import {rewriteText, rewriteValue, wrapInTemplate} from './rewrite-text.js';

const maxNameLength = 63;

/** A derived rule and where the Pod template stands in the objects it judges. */
export interface DerivedRule {
  readonly rule: ClassicRule;
  readonly template: readonly string[];
}

/** Rules for Pod controllers derived from a policy's Pod rules, in source order, controllers before CronJob. */
export function deriveRules(policy: Pick<ClassicPolicy, 'annotations' | 'spec'>): ClassicRule[] {
  return deriveWithTemplates(policy).map(({rule}) => rule);
}

export function deriveWithTemplates(policy: Pick<ClassicPolicy, 'annotations' | 'spec'>): DerivedRule[] {
  const controllers = activeControllers(policy);
  if (controllers.length === 0) return [];
  const others = controllers.filter(kind => kind !== 'CronJob');
  return policy.spec.rules
    .filter(takesAutogen)
    .flatMap(rule => [
      ...(others.length > 0 ? derive(rule, 'autogen-', others) : []),
      ...(controllers.includes('CronJob') ? derive(rule, 'autogen-cronjob-', ['CronJob']) : []),
    ]);
}

/** Controllers that a policy is extended to; empty when autogen is off or not possible. */
export function activeControllers(policy: Pick<ClassicPolicy, 'annotations' | 'spec'>): PodController[] {
  if (!allowsAutogen(policy.spec.rules)) return [];
  const wanted = policy.annotations[autogenAnnotation];
  const all = Object.keys(podControllers).filter(isPodController);
  if (wanted === undefined) return all;
  const listed = new Set(wanted.split(','));
  return listed.has('none') ? [] : all.filter(kind => listed.has(kind));
}

function allowsAutogen(rules: readonly ClassicRule[]): boolean {
  if (rules.some(rule => blocksAutogen(rule.action))) return false;
  const filters = rules.flatMap(rule => [...rule.match.filters, ...(rule.exclude?.filters ?? [])]);
  if (filters.some(isTooSpecific)) return false;
  return filters.some(filter => filter.kinds.some(kind => kind === 'Pod' || isPodController(kind)));
}

function blocksAutogen(action: RuleAction): boolean {
  if (action.type === 'generate') return true;
  if (action.type !== 'mutate') return false;
  const {patch} = action;
  return (
    patch.type === 'json6902' ||
    (patch.type === 'foreach' && patch.entries.some(entry => entry.patch.type === 'json6902'))
  );
}

/** Criteria that hold for the Pod itself and cannot be carried over to its controller. */
function isTooSpecific(filter: ResourceFilter): boolean {
  if (filter.names.length > 0 || filter.selector !== undefined || filter.annotations !== undefined) return true;
  return filter.kinds.length > 1 && filter.kinds.some(isPod);
}

function isPod(kind: string): boolean {
  const selector = parseKindSelector(kind);
  return selector !== undefined && selector.kind === 'Pod' && selector.subresource === '';
}

function takesAutogen(rule: ClassicRule): boolean {
  const included = rule.match.filters.flatMap(filter => filter.kinds);
  const excluded = rule.exclude?.filters.flatMap(filter => filter.kinds) ?? [];
  return included.some(isPod) && (excluded.length === 0 || excluded.some(isPod)) && !rule.name.startsWith('autogen-');
}

function derive(rule: ClassicRule, prefix: string, controllers: readonly PodController[]): DerivedRule[] {
  const template = templatePath(controllers[0] ?? 'Deployment') ?? [];
  const action = deriveAction(rule.action, template);
  if (action === undefined) return [];
  const kinds = controllers.map(kind => podControllers[kind]);
  const everyFilter = prefix === 'autogen-cronjob-';
  // Templates hold images where every Pod holds them.
  const {imageExtractors: _, ...kept} = rule;
  const derived: ClassicRule = {
    ...kept,
    name: `${prefix}${rule.name}`.slice(0, maxNameLength),
    match: replaceKinds(rule.match, kinds, everyFilter),
    exclude: rule.exclude === undefined ? undefined : replaceKinds(rule.exclude, kinds, everyFilter),
    context: rewriteValue(rule.context as never, template),
    preconditions: rewriteValue(rule.preconditions, template),
    reportProperties: rewriteValue(rule.reportProperties as never, template),
    ...(rule.celPreconditions !== undefined && {
      celPreconditions: rewriteCelConditions(rule.celPreconditions as never, template),
    }),
    action,
  };
  return [{rule: derived, template}];
}

function replaceKinds(group: FilterGroup, kinds: readonly string[], everyFilter: boolean): FilterGroup {
  return {
    mode: group.mode,
    filters: group.filters.map(filter =>
      filter.kinds.length > 0 && (everyFilter || filter.kinds.some(isPod)) ? {...filter, kinds} : filter,
    ),
  };
}

function deriveAction(action: RuleAction, template: readonly string[]): RuleAction | undefined {
  switch (action.type) {
    case 'validate': {
      const check = deriveCheck(action.check, template);
      if (check === undefined) return undefined;
      return {
        ...action,
        check,
        message: action.message === undefined ? undefined : rewriteText(action.message, template),
      };
    }
    case 'mutate': {
      if (action.targets !== undefined) return undefined;
      const patch = derivePatch(action.patch, template);
      return patch === undefined ? undefined : {...action, patch};
    }
    case 'verifyImages':
      return {...action, raw: rewriteValue(action.raw as never, template)};
    default:
      return undefined;
  }
}

function deriveCheck(check: ValidateCheck, template: readonly string[]): ValidateCheck | undefined {
  switch (check.type) {
    case 'pattern':
      return {type: 'pattern', pattern: wrapInTemplate(rewriteValue(check.pattern, template), template)};
    case 'anyPattern':
      return {
        type: 'anyPattern',
        patterns: check.patterns.map(pattern => wrapInTemplate(rewriteValue(pattern, template), template)),
      };
    case 'deny':
      return {type: 'deny', conditions: rewriteValue(check.conditions, template)};
    case 'foreach':
      return {type: 'foreach', entries: rewriteValue(check.entries as never, template) as readonly ValidateForeach[]};
    case 'cel':
      return {...check, raw: rewriteCelBlock(check.raw, template)};
    case 'podSecurity':
      return {...check, raw: rewriteValue(check.raw, template)};
    default:
      return undefined;
  }
}

function derivePatch(patch: MutatePatch, template: readonly string[]): MutatePatch | undefined {
  switch (patch.type) {
    case 'strategicMerge':
      return {type: 'strategicMerge', patch: wrapInTemplate(rewriteValue(patch.patch, template), template)};
    case 'json6902':
      return undefined;
    case 'foreach': {
      const entries: MutateForeach[] = [];
      for (const entry of patch.entries) {
        const inner = derivePatch(entry.patch, template);
        if (inner === undefined) return undefined;
        entries.push({
          ...entry,
          list: rewriteText(entry.list, template),
          context: rewriteValue(entry.context as never, template),
          preconditions: rewriteValue(entry.preconditions, template),
          patch: inner,
        });
      }
      return {type: 'foreach', entries};
    }
  }
}
