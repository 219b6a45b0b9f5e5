import type {Budget} from '../budget.js';
import type {Json} from '../json/types.js';
import type {CompiledPattern, PatternResult} from './types.js';

export interface RuleMessage {
  readonly rule: string;
  /** `validate.message` with its variables replaced; `undefined` when the rule has none. */
  readonly message: string | undefined;
  /** The message could not be resolved: the text says so instead of showing it. */
  readonly unresolved?: boolean;
}

export interface PatternMessageOptions extends RuleMessage {
  readonly result: PatternResult;
}

/** The message of a rule with one pattern, in the shapes that scripts match on. */
export function patternMessage(options: PatternMessageOptions): string {
  const {rule, result} = options;
  switch (result.status) {
    case 'pass':
      return `validation rule '${rule}' passed.`;
    case 'skip':
      return result.message;
    case 'fail':
      if (options.unresolved) return unresolvedMessage(rule, result.message);
      return `${head(options.message)} rule ${rule} failed at path ${result.path}`;
    case 'error':
      if (options.unresolved) return unresolvedMessage(rule, result.message);
      return `${head(options.message)} rule ${rule} execution error: ${result.message}`;
  }
}

function unresolvedMessage(rule: string, error: string): string {
  return `validation error: variables substitution error in rule ${rule} execution error: ${error}`;
}

/** The user's own words end with a full stop here, whether or not they did before. */
function head(message: string | undefined): string {
  if (message === undefined || message === '') return 'validation error:';
  return `validation error: ${message.endsWith('.') ? message : `${message}.`}`;
}

export interface AnyPatternOptions extends RuleMessage {
  readonly budget: Budget;
}

export interface AnyPatternResult {
  readonly status: PatternResult['status'];
  readonly message: string;
}

/**
 * The first alternative that matches decides. Otherwise a failing one makes it fail (skipped ones are not listed), and
 * only if all skipped does the rule skip.
 */
export function evaluateAnyPattern(
  patterns: readonly CompiledPattern[],
  resource: Json | undefined,
  options: AnyPatternOptions,
): AnyPatternResult {
  const {rule, budget} = options;
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const result = pattern.match(resource, budget);
    if (result.status === 'pass') {
      return {status: 'pass', message: `validation rule '${rule}' anyPattern[${index}] passed.`};
    }
    const name = `rule ${rule}[${index}]`;
    if (result.status === 'skip') skipped.push(`${name} skipped: ${result.message}`);
    else if (result.status === 'fail') failed.push(`${name} failed at path ${result.path}`);
    else failed.push(`${name} failed: ${result.message}`);
  }
  if (failed.length > 0) {
    const text = failed.join(' ');
    return {
      status: 'fail',
      message: options.unresolved ? unresolvedMessage(rule, text) : `${head(options.message)} ${text}`,
    };
  }
  if (skipped.length > 0) return {status: 'skip', message: skipped.join(' ')};
  return {
    status: 'error',
    message: `${head(options.message)} rule ${rule} execution error: anyPattern lists no pattern`,
  };
}
