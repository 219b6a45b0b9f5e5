import {BudgetError, EvalError} from '../../diagnostic.js';
import type {CelScope, CompiledValidations} from '../types.js';

/** The first validation that does not hold, or that cannot be judged; `undefined` when all hold. */
export interface Violation {
  readonly status: 'fail' | 'error';
  readonly message: string;
  readonly index: number;
}

/** `lenient`: what cannot be judged does not keep those after it from being judged, and one that does not hold decides. */
export function firstViolation({programs}: CompiledValidations, scope: CelScope, lenient = false): Violation | undefined {
  let failure: Violation | undefined;
  for (let index = 0; index < programs.length; index++) {
    const {program, message, messageProgram} = programs[index]!;
    let holds: boolean;
    try {
      holds = program.evaluate(scope.bindings, scope.host) === true;
    } catch (thrown) {
      if (!(thrown instanceof EvalError)) throw thrown;
      failure ??= {status: 'error', message: `error: ${thrown.message}`, index};
      if (lenient && !(thrown instanceof BudgetError)) continue;
      return failure;
    }
    if (holds) continue;
    const own = messageProgram === undefined ? message : producedMessage(messageProgram, scope);
    return {status: 'fail', message: own || `CEL expression validation failed at index ${index}`, index};
  }
  return failure;
}

/** The verdict stands, whatever becomes of its message. */
function producedMessage(program: CompiledValidations['programs'][number]['program'], scope: CelScope): string {
  try {
    const value = program.evaluate(scope.bindings, scope.host);
    if (typeof value === 'string') return value;
    return 'failed to convert message expression to string';
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return `failed to evaluate message expression: ${thrown.message}`;
  }
}
