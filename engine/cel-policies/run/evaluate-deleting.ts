import {EvalError} from '../../diagnostic.js';
import type {ConditionList} from '../types.js';
import {conditionsHold} from './conditions.js';
import {exemptionFor, type PolicyException} from './exceptions.js';
import type {CelVerdict} from './results.js';
import type {PolicyScope} from './scope.js';

/** Whether a DeletingPolicy would delete an object that its constraints select. */
export function evaluateDeleting(
  conditions: ConditionList,
  exceptions: readonly PolicyException[],
  scope: PolicyScope,
  {rule, subject}: {readonly rule: string; readonly subject: 'resource' | 'payload'},
): CelVerdict {
  try {
    const exemption = exemptionFor(exceptions, scope, true);
    if (exemption.type === 'full') return exemption.verdict;
    return conditionsHold(conditions, scope)
      ? {rule, status: 'pass', message: `${subject} matched`}
      : {rule, status: 'fail', message: `${subject} did not match`};
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return {rule, status: 'error', message: thrown.message};
  }
}
