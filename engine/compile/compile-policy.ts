import {deriveRules} from '../autogen/derive-rules.js';
import {compilePolicyConditions} from '../classic-cel/policy-conditions.js';
import type {CompiledCleanup} from '../cleanup/compile-cleanup-policy.js';
import {compileCleanupRules} from '../cleanup/compile-cleanup-rule.js';
import {compileEntries} from '../context/compile-entry.js';
import {CompileError, type Diagnostic} from '../diagnostic.js';
import {compileGenerate} from '../generate/compile-generate.js';
import {compileFilterGroup, compileQuickTest} from '../match/compile-filter.js';
import type {ProviderLack} from '../image/idle-providers.js';
import {type KeyServiceLack, noKeyServices} from '../image/key-services.js';
import {type KindSelector, parseKindSelector} from '../match/kind-selector.js';
import {matchHints} from '../match/match-hint.js';
import type {ClassicPolicy, ClassicRule, FilterGroup} from '../policy/model.js';
import type {RegexEngine} from '../regex/types.js';
import {compileTargets} from '../targets/compile-targets.js';
import type {Operation} from '../types.js';
import {compileTemplate} from '../variables/template.js';
import {compileImages, imagesFailureAction} from '../verify-images/compile-images.js';
import {compileCheck} from './compile-check.js';
import {compilePatch} from './compile-patch.js';
import {compileOptionalBlock} from './condition-block.js';
import {compileFailureAction} from './failure-action.js';
import {ruleLists} from './rule-lists.js';
import type {CompiledPolicy, CompiledRule, PolicyConditions} from './types.js';
import {unservedReasons} from './unserved.js';

export interface CompileOptions {
  /**
   * Who judges `matchConditions` of requests: the API server before it calls, or the engine. Where neither may, policies
   * with conditions are refused.
   */
  readonly matchConditions: 'by-api-server' | 'by-engine' | 'not-available';
  /** Whether generate rules and mutation of existing objects are worked off; a policy with one is refused otherwise. */
  readonly background?: 'served' | 'not-available';
  /** For CEL; without it policies with `validate.cel` are refused. */
  readonly regex?: RegexEngine | undefined;
  /** Policies on keys of a service that lacks something are refused; all of them are when absent. */
  readonly keyServiceLack?: KeyServiceLack | undefined;
  /** Policies whose registry credentials all lack something are refused; none are when absent. */
  readonly providerLack?: ProviderLack | undefined;
}

/** `text` turns off that quantity fields order and multiply by amount in `validate.cel`. */
export const quantitiesAnnotation = 'policies.kyverno.io/cel-quantities';

export type CompileResult =
  | {readonly policy: CompiledPolicy; readonly problems: readonly []}
  | {readonly policy: undefined; readonly problems: readonly Diagnostic[]};

/** Turns a loaded policy into closures, or says everything that stands in the way. Never half of a policy. */
export function compilePolicy(source: ClassicPolicy, options: CompileOptions): CompileResult {
  const problems: Diagnostic[] = unservedReasons(source, options);
  if (problems.length > 0) return {policy: undefined, problems};
  const declared = source.spec.rules;
  const derived = deriveRules(source);
  const rules: CompiledRule[] = [];
  let cleanups: readonly CompiledCleanup[] = [];
  let conditions: PolicyConditions | undefined;
  [...declared, ...derived].forEach((rule, index) => {
    // Clean-ups run by their schedule, never for a request.
    if (rule.action.type === 'cleanup') return;
    try {
      rules.push(
        compileRule(rule, source, {
          derived: index >= declared.length,
          regex: options.regex,
          keyServiceLack: options.keyServiceLack ?? noKeyServices,
        }),
      );
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      const {diagnostic} = error;
      // What is wrong with a rule is wrong with those derived from it, too.
      if (!problems.some(({path}) => path === diagnostic.path)) problems.push(diagnostic);
    }
  });
  try {
    const {regex} = options;
    const alone = options.matchConditions === 'by-engine';
    conditions = regex && compilePolicyConditions(source, {regex, alone});
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    problems.push(error.diagnostic);
  }
  try {
    cleanups = compileCleanupRules(source);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    problems.push(error.diagnostic);
  }
  if (problems.length > 0) return {policy: undefined, problems};
  return {
    problems: [],
    policy: {
      ref: source.ref,
      source,
      failurePolicy: source.spec.failurePolicy,
      fineGrained: source.spec.matchConditions.length > 0,
      conditions,
      ...ruleLists(rules, source),
      cleanups,
    },
  };
}

interface RuleOptions {
  readonly derived: boolean;
  readonly regex: RegexEngine | undefined;
  readonly keyServiceLack: KeyServiceLack;
}

function compileRule(
  rule: ClassicRule,
  policy: ClassicPolicy,
  {derived, regex, keyServiceLack}: RuleOptions,
): CompiledRule {
  const {path} = rule;
  const base = {
    name: rule.name,
    source: rule,
    derived,
    kinds: kindsOf(rule.match),
    operations: operationsOf(rule.match),
    hints: matchHints(rule.match),
    mayMatch: compileQuickTest(rule.match),
    match: compileFilterGroup(rule.match, {role: 'match'}),
    exclude: rule.exclude === undefined ? undefined : compileFilterGroup(rule.exclude, {role: 'exclude'}),
    entries: compileEntries(rule.context, `${path}.context`),
    preconditions: compileOptionalBlock(rule.preconditions, `${path}.preconditions`),
    properties: Object.entries(rule.reportProperties).map(
      ([key, value]) => [key, compileTemplate(value, `${path}.reportProperties.${key}`)] as const,
    ),
  };
  const {action} = rule;
  if (action.type === 'mutate') {
    const {targets} = action;
    const at = `${path}.mutate`;
    if (targets === undefined)
      return {...base, type: 'mutate', patch: compilePatch(action.patch, {path: at, document: ['mutate']})};
    const patch = compilePatch(action.patch, {path: at, document: ['mutate'], self: 'target'});
    return {...base, type: 'mutateExisting', mutateTargets: compileTargets(targets, patch, at)};
  }
  if (action.type === 'generate')
    return {...base, type: 'generate', generate: compileGenerate(action.raw, `${path}.generate`)};
  if (action.type === 'verifyImages') {
    const failureAction = imagesFailureAction(action);
    const {action: actionOf, fixed} = compileFailureAction({failureAction, failureActionOverrides: []}, policy.spec);
    const images = compileImages(rule, action, {keyServiceLack, regex});
    return {...base, type: 'verifyImages', action: actionOf, fixedAction: fixed, images};
  }
  if (action.type !== 'validate') {
    throw new CompileError({code: 'rule-type', message: `rule type ${action.type} is not served yet`, path});
  }
  const {action: actionOf, fixed} = compileFailureAction(action, policy.spec);
  return {
    ...base,
    type: 'validate',
    action: actionOf,
    fixedAction: fixed,
    forgivesOld:
      action.check.type !== 'cel' &&
      action.check.type !== 'manifests' &&
      action.allowExistingViolations &&
      (action.failureAction ?? policy.spec.failureAction) === 'Enforce',
    check: compileCheck(action.check, {
      rule: rule.name,
      message: action.message,
      path: `${path}.validate`,
      document: ['validate'],
      manifests: {keyServiceLack, regex},
      cel: regex && {
        preconditions: rule.celPreconditions ?? [],
        preconditionsPath: `${path}.celPreconditions`,
        amounts: policy.annotations[quantitiesAnnotation] !== 'text',
        regex,
      },
    }),
  };
}

/** Every kind the rule can select; rules are found under these. */
function kindsOf(match: FilterGroup): KindSelector[] {
  const texts =
    match.mode === 'any'
      ? match.filters.flatMap(f => f.kinds)
      : (match.filters.find(f => f.kinds.length > 0)?.kinds ?? []);
  return texts.map(parseKindSelector).filter(selector => selector !== undefined);
}

function operationsOf(match: FilterGroup): ReadonlySet<Operation> | undefined {
  if (match.mode === 'all') {
    const limited = match.filters.find(filter => filter.operations.length > 0);
    return limited === undefined ? undefined : new Set(limited.operations);
  }
  if (match.filters.some(filter => filter.operations.length === 0)) return undefined;
  return new Set(match.filters.flatMap(filter => filter.operations));
}
