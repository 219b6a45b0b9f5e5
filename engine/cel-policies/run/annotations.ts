import {BudgetError, EvalError} from '../../diagnostic.js';
import type {AnnotationList, CelScope} from '../types.js';

const none: Readonly<Record<string, string>> = Object.freeze({});

/** Values of `auditAnnotations`, empty ones left out. Throws EvalError for the first that has none. */
export function annotationValues({programs}: AnnotationList, scope: CelScope): Readonly<Record<string, string>> {
  if (programs.length === 0) return none;
  const values: Record<string, string> = Object.create(null);
  for (const {key, program} of programs) {
    let value: unknown;
    try {
      value = program.evaluate(scope.bindings, scope.host);
    } catch (thrown) {
      if (!(thrown instanceof EvalError) || thrown instanceof BudgetError) throw thrown;
      throw new EvalError(`failed to evaluate auditAnnotation '${key}': ${thrown.message}`);
    }
    // Null is how an expression says that there is nothing to tell.
    if (value === null || value === '') continue;
    if (typeof value !== 'string')
      throw new EvalError(`failed to convert auditAnnotation '${key}' expression: it comes to no string`);
    values[key] = value;
  }
  return values;
}
