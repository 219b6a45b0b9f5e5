import type {Budget} from '../budget.js';
import type {Template} from '../variables/types.js';

/** One `{key, operator, value, message}`, its texts compiled as templates. */
export interface CompiledCondition<S> {
  readonly path: string;
  /** As written. */
  readonly operator: string;
  readonly key: Template<S>;
  readonly value: Template<S>;
  readonly message: Template<S> | undefined;
  /** The message for this scope, empty when there is none; as written when its variables have no value. */
  describe(scope: S): string;
  /** Key and value are evaluated here; what goes wrong in them comes out as `EvalError` that names the place. */
  test(scope: S, budget?: Budget): boolean;
}

/** `legacy` is the bare list, which means `all`. `undefined` blocks are absent, which is not the same as empty. */
export interface ConditionTree<S> {
  readonly form: 'any-all' | 'legacy';
  readonly any: ReadonlyArray<CompiledCondition<S>> | undefined;
  readonly all: ReadonlyArray<CompiledCondition<S>> | undefined;
}

export interface ConditionsResult {
  readonly result: boolean;
  /** Messages of the conditions that made the result, joined; empty when none has a message. */
  readonly message: string;
}

export interface CompiledConditions<S> {
  readonly conditions: ConditionTree<S>;
  /** Throws what templates throw, and `BudgetError` where a budget is given. */
  evaluate(scope: S, budget?: Budget): ConditionsResult;
}
