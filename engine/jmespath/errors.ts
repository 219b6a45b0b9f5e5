import {BudgetError, CompileError, EvalError} from '../diagnostic.js';

/** Something a query did itself: a wrong type, a function's refusal. Projections over such a source are null. */
export class QueryError extends EvalError {
  override readonly name: string = 'QueryError';

  constructor(message: string, code = 'jmespath') {
    super(message, code);
  }
}

/** A field lookup on a map without that key. Absorbed (to null) where the language says so, an error elsewhere. */
export class UnknownKeyError extends QueryError {
  override readonly name = 'UnknownKeyError';

  constructor(readonly key: string) {
    super(`Unknown key "${key}" in path`, 'unknown-key');
  }
}

/** True for errors of the query itself, which filter, flatten and value projections turn into null. */
export function isAbsorbable(error: unknown): boolean {
  return error instanceof QueryError;
}

/** The error of function `name` with the field's prefix, unless it ends the rule or has the prefix already. */
export function functionError(name: string, error: unknown): unknown {
  if (!(error instanceof EvalError) || error instanceof BudgetError || error instanceof QueryError) return error;
  return new QueryError(prefixed(name, error.message));
}

export function prefixed(name: string, text: string): string {
  return `JMESPath function '${name}': ${text}`;
}

/** A syntax fault at `position` (UTF-16 offset into the expression). */
export function syntaxError(expression: string, position: number, message: string): CompileError {
  return new CompileError({
    code: 'jmespath-syntax',
    message: `SyntaxError: ${message}`,
    path: '',
    expression,
    hint: caret(expression, position),
  });
}

/** A call that can never work: unknown name, wrong number or kind of arguments. */
export function callError(expression: string, position: number, message: string): CompileError {
  return new CompileError({
    code: 'jmespath-function',
    message,
    path: '',
    expression,
    hint: caret(expression, position),
  });
}

const window = 60;

/** The text around the fault and, on a second line, a caret under the place. */
function caret(expression: string, position: number): string {
  const from = Math.max(0, position - window);
  const before = expression.slice(from, position);
  const after = expression.slice(position, position + window);
  const line = `${from > 0 ? '…' : ''}${before}${after}${position + window < expression.length ? '…' : ''}`;
  const flat = line.replace(/\s/g, ' ');
  return `${flat}\n${' '.repeat(before.length + (from > 0 ? 1 : 0))}^`;
}
