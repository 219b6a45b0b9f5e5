/**
 * What can be wrong with a policy or with an evaluation, as data first and text last.
 * Codes are API; see docs/diagnostics.md.
 */
export interface Diagnostic {
  /** Stable kebab-case identifier, e.g. `match-kinds-missing`, `jmespath-syntax`, `variable-unresolved`. */
  readonly code: string;
  /** One line without trailing full stop, in the field's wording where scripts match on it. */
  readonly message: string;
  /** Place in the policy as users write it, e.g. `spec.rules[0].validate.pattern`; empty when it is the whole object. */
  readonly path: string;
  readonly expression?: string;
  readonly hint?: string;
}

/** `path: message (hint)`; the path is left out when the message names it already. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const head = diagnostic.path && !diagnostic.message.includes(diagnostic.path) ? `${diagnostic.path}: ` : '';
  const tail = diagnostic.hint ? ` (${diagnostic.hint})` : '';
  return `${head}${diagnostic.message}${tail}`;
}

/** Thrown while a policy compiles; carries where and what. Caught by the loader, one per fault. */
export class CompileError extends Error {
  override readonly name = 'CompileError';

  constructor(readonly diagnostic: Diagnostic) {
    super(diagnostic.message);
  }
}

/**
 * Thrown inside a rule and caught at the rule boundary, never above it. Carries no stack: policies throw it as a matter
 * of course and the place is in the text.
 */
export class EvalError extends Error {
  override readonly name: string = 'EvalError';

  constructor(message: string, readonly code: string = 'evaluation') {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/** A budget ran out. Not absorbed by `||`, defaults or projections: it ends the rule. */
export class BudgetError extends EvalError {
  override readonly name = 'BudgetError';

  constructor(message: string) {
    super(message, 'budget');
  }
}
