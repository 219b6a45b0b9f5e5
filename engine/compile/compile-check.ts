import {compileAssertCheck} from '../assert/assert-check.js';
import {compileCelCheck} from '../classic-cel/compile-cel-check.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import {stringifyJson} from '../json/stringify.js';
import type {Json} from '../json/types.js';
import {compileManifests, type ManifestsOptions} from '../manifests/compile-manifests.js';
import {
  type CompiledPattern,
  compilePattern,
  evaluateAnyPattern,
  patternMessage,
  type RuleMessage,
} from '../pattern/index.js';
import {compilePodSecurity} from '../pod-security/index.js';
import type {MatchCondition, ValidateCheck} from '../policy/model.js';
import type {RegexEngine} from '../regex/types.js';
import {compileTemplate, type DocumentPath, type TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import {compileForeach} from './compile-foreach.js';
import {compileBlock, evaluateBlock} from './condition-block.js';
import type {Check, Outcome} from './types.js';

export interface CheckOptions {
  readonly rule: string;
  readonly message: string | undefined;
  /** `spec.rules[0].validate`. */
  readonly path: string;
  readonly document: DocumentPath;
  /** Of rules with `validate.cel`; absent inside of loops. */
  readonly cel?: CelRuleOptions | undefined;
  /** Of rules with `validate.manifests`; absent inside of loops. */
  readonly manifests?: Omit<ManifestsOptions, 'path'> | undefined;
}

export interface CelRuleOptions {
  readonly preconditions: readonly MatchCondition[];
  readonly preconditionsPath: string;
  readonly amounts: boolean;
  readonly regex: RegexEngine;
}

export function compileCheck(check: ValidateCheck, options: CheckOptions): Check {
  switch (check.type) {
    case 'pattern':
      return onExisting(patternCheck(check.pattern, options));
    case 'anyPattern':
      return onExisting(anyPatternCheck(check.patterns, options));
    case 'deny':
      return denyCheck(check.conditions, options);
    case 'foreach':
      return compileForeach(check.entries, options);
    case 'podSecurity':
      return compilePodSecurity(check.raw, {rule: options.rule, path: `${options.path}.podSecurity`});
    case 'assert':
      return compileAssertCheck(check.raw, options);
    case 'manifests':
      if (options.manifests === undefined) break;
      return compileManifests(check.raw, {...options.manifests, path: `${options.path}.manifests`});
    case 'cel':
      if (options.cel === undefined) break;
      return compileCelCheck(check.raw, {
        ...options.cel,
        rule: options.rule,
        message: options.message,
        path: `${options.path}.cel`,
      });
    default:
      break;
  }
  throw new CompileError({
    code: 'not-served',
    message: `validate.${check.type} is not served by this release`,
    path: options.path,
  });
}

/** Patterns say nothing about an object that goes away. */
function onExisting(check: Check): Check {
  return (subject, scope) => (scope.deleting ? undefined : check(subject, scope));
}

function patternCheck(pattern: Json, options: CheckOptions): Check {
  const {rule} = options;
  const at = patternSource(pattern, `${options.path}.pattern`, [...options.document, 'pattern']);
  const passed: Outcome = {status: 'pass', message: `validation rule '${rule}' passed.`};
  const message = failureMessage(options);
  return (subject, scope) => {
    const compiled = substituted(at, scope);
    const result = compiled.match(subject, scope.env.budget);
    if (result.status === 'pass') return passed;
    if (result.status === 'skip') return {status: 'skip', message: result.message};
    return {status: result.status, message: patternMessage({rule, ...message(scope), result})};
  };
}

function anyPatternCheck(patterns: readonly Json[], options: CheckOptions): Check {
  const {rule} = options;
  const sources = patterns.map((pattern, index) =>
    patternSource(pattern, `${options.path}.anyPattern[${index}]`, [...options.document, 'anyPattern', index]),
  );
  const message = failureMessage(options);
  return (subject, scope) => {
    const compiled = sources.map(source => substituted(source, scope));
    const {budget} = scope.env;
    const outcome = evaluateAnyPattern(compiled, subject, {rule, message: undefined, budget});
    if (options.message === undefined || outcome.status === 'pass' || outcome.status === 'skip') return outcome;
    // Only now is the message wanted: what it refers to is not loaded for rules that pass.
    return evaluateAnyPattern(compiled, subject, {rule, ...message(scope), budget});
  };
}

type PatternSource = (scope: RuleScope) => CompiledPattern;

/** A pattern without variables is compiled once; one with variables when its values are known. */
function patternSource(pattern: Json, path: string, document: DocumentPath): PatternSource {
  const template = compileTemplate(pattern, path, {document});
  if (template.isStatic) {
    const compiled = compilePattern(template.evaluate(noScope), path);
    return () => compiled;
  }
  return scope => compilePattern(template.evaluate(scope), path);
}

/** Static templates never look at their scope. */
const noScope = undefined as unknown as TemplateScope;

function substituted(source: PatternSource, scope: RuleScope): CompiledPattern {
  try {
    return source(scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`variable substitution failed: ${error.message}`, error.code);
  }
}

type MessageText = Pick<RuleMessage, 'message' | 'unresolved'>;

/**
 * The rule's own message with its variables, evaluated only when a rule has something to complain about. It never
 * changes the verdict, not even by using up the budget.
 */
function failureMessage(options: CheckOptions): (scope: RuleScope) => MessageText {
  const {message, path} = options;
  if (message === undefined) return () => ({message: undefined});
  const template: Template<TemplateScope> = compileTemplate(message, `${path}.message`);
  return scope => {
    try {
      const value = template.evaluate(scope);
      return {message: typeof value === 'string' ? value : stringifyJson(value)};
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
      return {message: undefined, unresolved: true};
    }
  };
}

function denyCheck(raw: Json | undefined, options: CheckOptions): Check {
  const {rule} = options;
  const conditions = compileBlock(raw, `${options.path}.deny.conditions`);
  const passed: Outcome = {status: 'pass', message: `validation rule '${rule}' passed.`};
  const message =
    options.message === undefined ? undefined : compileTemplate(options.message, `${options.path}.message`);
  return (_subject, scope) => {
    let verdict: {readonly result: boolean; readonly message: string};
    try {
      verdict = evaluateBlock(conditions, scope);
    } catch (error) {
      if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
      throw new EvalError(`failed to check deny conditions: ${error.message}`, error.code);
    }
    if (!verdict.result) return passed;
    return {status: 'fail', message: denyMessage(rule, message, verdict.message, scope)};
  };
}

function denyMessage(
  rule: string,
  template: Template<TemplateScope> | undefined,
  conditionMessages: string,
  scope: RuleScope,
): string {
  let own: string | undefined;
  if (template !== undefined) {
    try {
      const value = template.evaluate(scope);
      if (typeof value !== 'string')
        return "the produced message didn't resolve to a string, check your policy definition.";
      own = value;
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
    }
  }
  const parts = [own, conditionMessages].filter(part => part !== undefined && part !== '');
  return parts.length > 0 ? parts.join('; ') : `validation error: rule ${rule} failed`;
}
