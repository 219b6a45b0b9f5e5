import {BudgetError, EvalError} from '../../diagnostic.js';
import type {RegexEngine} from '../../regex/types.js';
import type {Checked} from '../check/checked.js';
import type {Scope} from '../check/scope.js';
import type {Program} from '../environment.js';
import {CelError} from '../errors.js';
import type {Expr} from '../syntax/ast.js';
import {Compiler, type Observe} from './compiler.js';
import {Frame} from './frame.js';
import {references} from './references.js';
import {chargeResult, mayShare} from './result-size.js';

export interface ProgramOptions {
  readonly scope: Scope;
  readonly regex: RegexEngine;
  readonly slot: (variable: string) => number;
  readonly costLimit: number | undefined;
  readonly observe?: Observe;
}

/** A program of an expression without issues. */
export function createProgram(source: string, checked: Checked, options: ProgramOptions): Program {
  const {scope, regex, slot, observe} = options;
  const compiler = new Compiler({checked, regex, slot, object: name => scope.object(name), observe});
  const {run, cost} = compiler.compile(checked.expr as Expr);
  const {slots} = compiler;
  const limit = options.costLimit ?? Number.POSITIVE_INFINITY;
  const charge = cost.charge + 1;
  const whole = mayShare(checked.expr);
  const {variables, paths, functions} = references(checked);
  return {
    source,
    type: checked.type,
    variables,
    paths,
    functions,
    costEstimate: {min: cost.min, max: cost.max},
    evaluate(bindings, host) {
      const frame = new Frame(bindings, host, slots, limit);
      try {
        frame.spend(charge);
        const value = run(frame);
        if (whole) chargeResult(frame, value);
        return value;
      } catch (error) {
        throw thrown(error);
      } finally {
        frame.settle();
      }
    },
  };
}

function thrown(error: unknown): unknown {
  if (error instanceof CelError) return new EvalError(shortened(error.message));
  // Values that were put into each other over many expressions can be nested deeper than any text.
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) {
    return new BudgetError('evaluation went deeper than values may be nested');
  }
  return error;
}

/** Longest message of an error; keys and texts of any length may be in one. */
const maxMessage = 2_000;

function shortened(message: string): string {
  return message.length <= maxMessage ? message : `${message.slice(0, maxMessage)}…`;
}
