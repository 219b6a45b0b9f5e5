import type {BackgroundPolicy} from '../update-requests/background-policy.js';
import {type NamedObject, objectKey} from '../update-requests/trigger.js';
import {RuleFailure} from './rule-failure.js';
import type {Troubles} from './troubles.js';
import {causeOf, MissingRight, Refused} from './work-errors.js';

/** Of what went wrong on one trigger, what the rule's author or the cluster's has to mend. */
export function tellFailure(troubles: Pick<Troubles, 'report'>, policy: BackgroundPolicy, trigger: NamedObject, failure: unknown): void {
  const cause = causeOf(failure);
  // What the network does is no fault of the rule.
  if (!(failure instanceof RuleFailure) && !(cause instanceof MissingRight) && !(cause instanceof Refused)) return;
  const rule = failure instanceof RuleFailure ? failure.rule : (policy.rules[0]?.name ?? '');
  troubles.report(policy, {rule, work: objectKey(trigger), error: cause, message: failure instanceof Error ? failure.message : String(failure)});
}
