import type {CompiledValidateRule, Outcome} from '../compile/types.js';
import {RequestContext} from '../context/request-context.js';
import {EvalError} from '../diagnostic.js';
import type {CompiledException} from '../exception/compile-exception.js';
import {type Exemption, exempted} from '../pod-security/index.js';
import {ruleInBucket} from '../snapshot/policy-snapshot.js';
import type {EngineRequest, RuleResult, RuleType, ValidateOptions} from '../types.js';
import {
  exceptionOutcome,
  exceptionsOf,
  guard,
  preconditionOutcome,
  type RuleCall,
  scopeFor,
  selects,
} from './guard-rule.js';
import {ruleResult} from './results.js';

export interface ValidateCall extends RuleCall<CompiledValidateRule> {
  readonly bucket: ValidateOptions['bucket'];
}

/** One validate rule on one request; `undefined` when it has nothing to say. Synchronous; may suspend. */
export function validateRule(call: ValidateCall): RuleResult | undefined {
  const {rule} = call;
  if (rule.fixedAction !== undefined && !ruleInBucket(call.bucket, rule, rule.fixedAction)) return undefined;
  return guard(
    call.run,
    () => judge(call),
    message =>
      ruleResult(rule, {status: 'error', message}, {type: typeOf(rule), action: rule.fixedAction ?? 'Enforce'}),
  );
}

function judge(call: ValidateCall): RuleResult | undefined {
  const {rule, context, run} = call;
  if (!selects(call)) return undefined;
  const action = rule.fixedAction ?? rule.action(context, run);
  if (!ruleInBucket(call.bucket, rule, action)) return undefined;
  const type = typeOf(rule);
  const refusal = call.refusal?.(call.policy);
  if (refusal !== undefined) return ruleResult(rule, {status: 'error', message: refusal}, {type, action});
  const scope = scopeFor(call);
  const answer = (outcome: Outcome, exceptions?: readonly string[]) =>
    ruleResult(rule, outcome, {type, action, scope, ...(exceptions !== undefined && {exceptions})});
  return guard(
    run,
    () => {
      const precondition = preconditionOutcome(rule, scope);
      if (precondition !== undefined) return answer(precondition);
      const exceptions = exceptionsOf(call, scope);
      const exemptions = exceptions.length === 0 ? undefined : exemptionsOf(rule, exceptions);
      if (exceptions.length > 0 && exemptions === undefined)
        return answer(skipped(rule, keysOf(exceptions)), keysOf(exceptions));
      const outcome = rule.check(context.resource, scope, exemptions);
      if (outcome === undefined) return undefined;
      if (exemptions !== undefined && outcome.status === 'skip') return answer(outcome, keysOf(exceptions));
      if (outcome.status === 'fail' && rule.forgivesOld && violatedBefore(call, exemptions)) {
        return answer({status: 'skip', message: 'skipping the rule evaluation as pre-existing violations are allowed'});
      }
      return answer(outcome);
    },
    message => ruleResult(rule, {status: 'error', message}, {type, action}),
  );
}

function typeOf(rule: CompiledValidateRule): RuleType {
  return rule.isImageCheck === true ? 'ImageVerify' : 'Validation';
}

function keysOf(exceptions: readonly CompiledException[]): string[] {
  return exceptions.map(exception => exception.key);
}

function isPodSecurity({source: {action}}: CompiledValidateRule): boolean {
  return action.type === 'validate' && action.check.type === 'podSecurity';
}

function skipped(rule: CompiledValidateRule, keys: readonly string[]): Outcome {
  return isPodSecurity(rule) ? exempted(keys) : exceptionOutcome(keys);
}

/** What the exceptions free a podSecurity rule from; undefined when one of them frees from the whole rule. */
function exemptionsOf(
  rule: CompiledValidateRule,
  exceptions: readonly CompiledException[],
): readonly Exemption[] | undefined {
  if (!isPodSecurity(rule)) return undefined;
  const exemptions: Exemption[] = [];
  for (const {key, podSecurity} of exceptions) {
    if (podSecurity === undefined) return undefined;
    exemptions.push({key, exclusions: podSecurity});
  }
  return exemptions;
}

/**
 * Whether the object violated this rule before the update: the old object is judged as if it were created. User
 * criteria cannot exempt: the old object has no requester that any of them names.
 */
function violatedBefore(call: ValidateCall, exemptions: readonly Exemption[] | undefined): boolean {
  const {request} = call.context;
  if (request.operation !== 'UPDATE' || request.oldObject === undefined || request.object === undefined) return false;
  const context = new RequestContext(asCreation(request));
  const before: ValidateCall = {...call, context};
  try {
    if (!selects(before)) return false;
    const scope = scopeFor(before);
    if (preconditionOutcome(call.rule, scope) !== undefined) return false;
    return call.rule.check(context.resource, scope, exemptions)?.status === 'fail';
  } catch (error) {
    // What cannot be shown to have been so before forgives nothing.
    if (error instanceof EvalError) return false;
    throw error;
  }
}

function asCreation(request: EngineRequest): EngineRequest {
  return {
    ...request,
    operation: 'CREATE',
    object: request.oldObject,
    oldObject: undefined,
    user: {username: '\u0000', groups: [], roles: [], clusterRoles: []},
    raw: {...request.raw, oldObject: null},
  };
}
