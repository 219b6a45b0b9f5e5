import {BudgetError, EvalError} from '../../diagnostic.js';
import type {Bindings, Program, Trace, TraceStep} from '../environment.js';
import {CelError} from '../errors.js';
import type {CelHost} from '../library/library.js';
import type {Observe} from './compiler.js';

/** More steps than people read. */
const maxSteps = 1_000;

/** Evaluates a program made with an observer and keeps what it is told. The whole's error is the last step. */
export function trace(make: (observe: Observe) => Program, bindings: Bindings, host: CelHost): Trace {
  const steps: TraceStep[] = [];
  let cut = false;
  const program = make((expr, outcome) => {
    if (steps.length >= maxSteps) cut = true;
    else steps.push(outcome instanceof CelError ? {expr, error: outcome.message} : {expr, value: outcome});
  });
  try {
    program.evaluate(bindings, host);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
  }
  return {steps, cut};
}
