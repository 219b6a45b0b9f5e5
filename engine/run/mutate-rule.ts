import type {CompiledMutateRule, Outcome} from '../compile/types.js';
import type {JsonObject} from '../json/types.js';
import type {RuleResult} from '../types.js';
import {exceptionOutcome, guard, matchingExceptions, preconditionOutcome, type RuleCall, scopeFor, selects} from './guard-rule.js';
import {ruleResult} from './results.js';

export interface MutateOutcome {
  readonly result: RuleResult;
  /** Set when the rule changed something. */
  readonly object?: JsonObject;
}

/** One mutate rule on the running object; `undefined` when it has nothing to say. Synchronous; may suspend. */
export function mutateRule(call: RuleCall<CompiledMutateRule>): MutateOutcome | undefined {
  const {rule} = call;
  const action = call.policy.source.spec.failureAction;
  const failed = (message: string): MutateOutcome => ({
    result: ruleResult(rule, {status: 'error', message}, {type: 'Mutation', action}),
  });
  return guard<MutateOutcome | undefined>(call.run, () => {
    if (!selects(call)) return undefined;
    const refusal = call.refusal?.(call.policy);
    if (refusal !== undefined) return failed(refusal);
    const scope = scopeFor(call);
    const answer = (outcome: Outcome, exceptions?: readonly string[]) =>
      ruleResult(rule, outcome, {type: 'Mutation', action, scope, ...(exceptions !== undefined && {exceptions})});
    const precondition = preconditionOutcome(rule, scope);
    if (precondition !== undefined) return {result: answer(precondition)};
    const exceptions = matchingExceptions(call, scope);
    if (exceptions.length > 0) return {result: answer(exceptionOutcome(exceptions), exceptions)};
    const {object} = call.context.request;
    if (object === undefined) return undefined;
    const patched = rule.patch(object, scope);
    const result = answer({status: patched.status, message: patched.message});
    return patched.status === 'pass' ? {result, object: patched.object} : {result};
  }, failed);
}
