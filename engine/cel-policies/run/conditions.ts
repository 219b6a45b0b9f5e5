import {BudgetError, EvalError} from '../../diagnostic.js';
import type {CelScope, ConditionList} from '../types.js';

/**
 * Whether all hold. The first false decides, an error of an earlier one or not; only then an error is one. Throws
 * EvalError.
 */
export function conditionsHold({programs}: ConditionList, scope: CelScope): boolean {
  let failure: EvalError | undefined;
  for (const {program} of programs) {
    try {
      if (program.evaluate(scope.bindings, scope.host) !== true) return false;
    } catch (thrown) {
      if (!(thrown instanceof EvalError) || thrown instanceof BudgetError) throw thrown;
      failure ??= thrown;
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}
