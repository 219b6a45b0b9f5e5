import {evaluateBlock} from '../compile/condition-block.js';
import type {CompiledPolicy, CompiledRule, Outcome} from '../compile/types.js';
import type {RequestContext} from '../context/request-context.js';
import type {RuleRun} from '../context/rule-run.js';
import {RuleScope} from '../context/rule-scope.js';
import {Suspend} from '../context/suspend.js';
import {textOfThrown} from '../context/thrown-text.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {CompiledException} from '../exception/compile-exception.js';
import type {PolicySnapshot} from '../snapshot/policy-snapshot.js';
import {imageVariables} from '../verify-images/verify-images.js';

export interface RuleCall<R extends CompiledRule> {
  readonly rule: R;
  readonly policy: CompiledPolicy;
  readonly context: RequestContext;
  readonly run: RuleRun;
  readonly snapshot: PolicySnapshot;
  /** Why the policy is not to be run, though it selects the request; asked once it is known to. */
  readonly refusal?: ((policy: CompiledPolicy) => string | undefined) | undefined;
}

/**
 * The boundary of a rule: whatever goes wrong inside becomes an `error` outcome, a bug of ours included. Only the wish
 * to wait for a value passes.
 */
export function guard<T>(run: RuleRun, body: () => T, onError: (message: string) => T): T {
  try {
    return body();
  } catch (thrown) {
    if (thrown instanceof Suspend) throw thrown;
    if (thrown instanceof EvalError) return onError(thrown.message);
    run.failedInside();
    return onError(`internal error: ${textOfThrown(thrown)}`);
  }
}

/** Match, then exclude. Touches nothing of the rule's context. */
export function selects(call: RuleCall<CompiledRule>): boolean {
  const {rule, context, run} = call;
  return rule.match(context, run) && !(rule.exclude?.(context, run) ?? false);
}

export function scopeFor(call: RuleCall<CompiledRule>): RuleScope {
  const {context, policy, rule, run} = call;
  const variables = rule.images && imageVariables(rule.images, {context, env: run});
  const base = {env: run, context, entries: rule.entries, ...(variables !== undefined && {variables})};
  const {given} = run;
  if (given === undefined) return new RuleScope(base);
  return new RuleScope({
    ...base,
    given: {
      below: given.below(policy.ref, rule.name, context.request),
      above: given.above(policy.ref, rule.name),
      resolves: type => given.resolves(type),
    },
  });
}

/** `undefined` when the rule may go on; otherwise its answer. */
export function preconditionOutcome(rule: CompiledRule, scope: RuleScope): Outcome | undefined {
  if (rule.preconditions === undefined) return undefined;
  try {
    const {result, message} = evaluateBlock(rule.preconditions, scope);
    if (result) return undefined;
    return {status: 'skip', message: message === '' ? 'preconditions not met' : `preconditions not met; ${message}`};
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return {status: 'error', message: `failed to evaluate preconditions: ${error.message}`};
  }
}

/** All exceptions that free this request from the rule or from parts of it, sorted. */
export function exceptionsOf(call: RuleCall<CompiledRule>, scope: RuleScope): readonly CompiledException[] {
  const exceptions = call.snapshot.exceptionsFor(call.policy.ref.key);
  if (exceptions.length === 0) return exceptions;
  return exceptions.filter(
    exception => exception.names(call.policy.ref.key, call.rule.name) && exception.applies(call.context, scope),
  );
}

/** Their keys. */
export function matchingExceptions(call: RuleCall<CompiledRule>, scope: RuleScope): string[] {
  return exceptionsOf(call, scope).map(exception => exception.key);
}

export function exceptionOutcome(keys: readonly string[]): Outcome {
  return {status: 'skip', message: `rule is skipped due to policy exceptions${keys.join(', ')}`};
}
