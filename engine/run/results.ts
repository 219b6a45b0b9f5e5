import type {CompiledPolicy, CompiledRule, Outcome} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import {EvalError} from '../diagnostic.js';
import {stringifyJson} from '../json/stringify.js';
import type {FailureAction, FailurePolicy, PolicyResult, RuleResult, RuleType} from '../types.js';

export function resultOf(
  policy: CompiledPolicy,
  rules: readonly RuleResult[],
  run: {readonly errors: FailurePolicy | undefined; readonly duration: number},
): PolicyResult {
  return {
    policy: policy.ref,
    failurePolicy: run.errors ?? policy.failurePolicy,
    emitWarning: policy.source.spec.emitWarning,
    annotations: policy.source.annotations,
    background: policy.source.spec.background,
    rules,
    duration: run.duration,
  };
}

export interface RuleResultOptions {
  readonly type: RuleType;
  readonly action: FailureAction;
  readonly exceptions?: readonly string[];
  readonly scope?: RuleScope;
}

export function ruleResult(rule: CompiledRule, outcome: Outcome, options: RuleResultOptions): RuleResult {
  const own = options.scope === undefined || rule.properties.length === 0 ? undefined : reportProperties(rule, options.scope);
  const properties = own === undefined || outcome.properties === undefined ? (own ?? outcome.properties) : {...outcome.properties, ...own};
  const {status, message} = outcome;
  if (options.exceptions === undefined && properties === undefined) {
    return {rule: rule.name, type: options.type, status, message, action: options.action};
  }
  return {
    rule: rule.name,
    type: options.type,
    status,
    message,
    action: options.action,
    ...(options.exceptions !== undefined && {exceptions: options.exceptions}),
    ...(properties !== undefined && {properties}),
  };
}

/** A property that cannot be evaluated, for whatever reason, is left out: it must not change the verdict. */
function reportProperties(rule: CompiledRule, scope: RuleScope): Record<string, string> {
  const properties: Record<string, string> = Object.create(null);
  for (const [key, template] of rule.properties) {
    try {
      const value = template.evaluate(scope);
      properties[key] = typeof value === 'string' ? value : stringifyJson(value);
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
    }
  }
  return properties;
}
