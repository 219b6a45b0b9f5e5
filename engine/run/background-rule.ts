import type {CompiledGenerateRule, CompiledTargetsRule, Outcome} from '../compile/types.js';
import type {RuleResult} from '../types.js';
import {exceptionOutcome, guard, matchingExceptions, preconditionOutcome, type RuleCall, scopeFor, selects} from './guard-rule.js';
import {ruleResult} from './results.js';

/** One generate or mutate-existing rule on its trigger: one result for a generation, one per target for a mutation. */
export function backgroundRule(call: RuleCall<CompiledGenerateRule | CompiledTargetsRule>, selectOnly = false): readonly RuleResult[] {
  const {rule, context, policy} = call;
  const type = rule.type === 'generate' ? 'Generation' : 'Mutation';
  const action = policy.source.spec.failureAction;
  return guard<readonly RuleResult[]>(
    call.run,
    () => {
      if (!selects(call)) return [];
      const refusal = call.refusal?.(call.policy);
      if (refusal !== undefined) return [ruleResult(rule, {status: 'error', message: refusal}, {type, action})];
      const scope = scopeFor(call);
      const answer = (outcome: Outcome, exceptions?: readonly string[]) =>
        ruleResult(rule, outcome, {type, action, scope, ...(exceptions !== undefined && {exceptions})});
      const precondition = preconditionOutcome(rule, scope);
      if (precondition !== undefined) return [answer(precondition)];
      const exceptions = matchingExceptions(call, scope);
      if (exceptions.length > 0) return [answer(exceptionOutcome(exceptions), exceptions)];
      if (selectOnly) return [answer({status: 'pass', message: 'triggered'})];
      if (rule.type === 'generate') {
        const targets = rule.generate(scope, {policy: policy.ref, rule: rule.name});
        return [{...answer({status: 'pass', message: `generated ${targets.length} objects for ${context.kind}/${context.name}`}), targets}];
      }
      return rule.mutateTargets(scope).map(outcome => ({
        ...answer({status: outcome.status, message: outcome.message}),
        targets: [outcome.patched ?? outcome.target],
      }));
    },
    message => [ruleResult(rule, {status: 'error', message}, {type, action})],
  );
}
