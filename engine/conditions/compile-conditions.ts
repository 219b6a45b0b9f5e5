import type {Budget} from '../budget.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import {stringifyJson} from '../json/stringify.js';
import type {Json} from '../json/types.js';
import type {CompileTemplate, Template} from '../variables/types.js';
import {compileOperator} from './operators.js';
import type {RawCondition} from './read-conditions.js';
import {readConditions} from './read-conditions.js';
import type {CompiledCondition, CompiledConditions, ConditionsResult} from './types.js';

export type {CompiledCondition, CompiledConditions, ConditionsResult, ConditionTree} from './types.js';

/**
 * Compiles `preconditions` or `deny.conditions` found at `path`. Throws `CompileError` for the first fault of the shape
 * (`readConditions` lists them all) and what `compile` throws.
 */
export function compileConditions<S>(
  raw: Json | undefined,
  path: string,
  compile: CompileTemplate<S>,
): CompiledConditions<S> {
  const {conditions, faults} = readConditions(raw, path);
  const [fault] = faults;
  if (fault) throw new CompileError(fault);
  const any = conditions.any?.map(condition => compileCondition(condition, compile));
  const all = conditions.all?.map(condition => compileCondition(condition, compile));
  const tree = {form: conditions.form, any, all};
  if (!any && !all) return {conditions: tree, evaluate: () => ({result: true, message: ''})};
  return {
    conditions: tree,
    evaluate: (scope, budget) =>
      tree.form === 'legacy' ? evaluateLegacy(all ?? [], scope, budget) : evaluateAnyAll(any, all, {scope, budget}),
  };
}

function compileCondition<S>(raw: RawCondition, compile: CompileTemplate<S>): CompiledCondition<S> {
  const {path, operator} = raw;
  const key = compile(raw.key, `${path}.key`);
  const value = compile(raw.value, `${path}.value`);
  const message = raw.message === undefined || raw.message === '' ? undefined : compile(raw.message, `${path}.message`);
  const prepare = compileOperator(operator);
  if (!prepare) {
    throw new CompileError({
      code: 'condition-operator-unknown',
      message: `operator ${operator} is not supported`,
      path: `${path}.operator`,
    });
  }
  let prepared: ReturnType<typeof prepare> | undefined;
  const test = (scope: S, budget?: Budget): boolean => {
    budget?.step();
    const keyNow = evaluateTemplate(key, scope, 'key');
    const valueNow = evaluateTemplate(value, scope, 'value');
    if (!value.isStatic) return prepare(valueNow, false)(keyNow, budget);
    prepared ??= prepare(valueNow, true);
    return prepared(keyNow, budget);
  };
  return {path, operator, key, value, message, test, describe: scope => messageText(message, raw.message, scope)};
}

/** Budgets, and whatever makes a rule wait for its data, pass untouched. */
function evaluateTemplate<S>(template: Template<S>, scope: S, part: 'key' | 'value'): Json {
  try {
    return template.evaluate(scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`failed to substitute variables in condition ${part}: ${error.message}`, error.code);
  }
}

/** A message never changes a verdict: where its variables have no value, or too large a one, it is shown as written. */
function messageText<S>(template: Template<S> | undefined, written: string | undefined, scope: S): string {
  if (!template) return '';
  try {
    const text = template.evaluate(scope);
    return typeof text === 'string' ? text : stringifyJson(text);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return written ?? '';
  }
}

/** `any` up to its first true condition, then `all` up to its first false one, whatever `any` gave. */
function evaluateAnyAll<S>(
  any: ReadonlyArray<CompiledCondition<S>> | undefined,
  all: ReadonlyArray<CompiledCondition<S>> | undefined,
  {scope, budget}: {readonly scope: S; readonly budget: Budget | undefined},
): ConditionsResult {
  const anyStop = any ? indexOf(any, true, {scope, budget}) : 0;
  const allStop = all ? indexOf(all, false, {scope, budget}) : -1;
  const result = anyStop >= 0 && allStop < 0;
  // Before the stop every condition of `any` was false and every one of `all` was true.
  const ofAny = result ? any?.slice(anyStop, anyStop + 1) : any?.slice(0, anyStop < 0 ? any.length : anyStop);
  const ofAll = result ? all : allStop < 0 ? undefined : all?.slice(allStop, allStop + 1);
  return {result, message: messageOf([...(ofAny ?? []), ...(ofAll ?? [])], scope, '; ')};
}

function evaluateLegacy<S>(
  all: ReadonlyArray<CompiledCondition<S>>,
  scope: S,
  budget: Budget | undefined,
): ConditionsResult {
  const stop = indexOf(all, false, {scope, budget});
  if (stop < 0) return {result: true, message: messageOf(all, scope, ';')};
  return {result: false, message: messageOf(all.slice(stop, stop + 1), scope, ';')};
}

function indexOf<S>(
  conditions: ReadonlyArray<CompiledCondition<S>>,
  wanted: boolean,
  {scope, budget}: {readonly scope: S; readonly budget: Budget | undefined},
): number {
  for (let index = 0; index < conditions.length; index++) {
    if (conditions[index]?.test(scope, budget) === wanted) return index;
  }
  return -1;
}

function messageOf<S>(conditions: ReadonlyArray<CompiledCondition<S>>, scope: S, separator: string): string {
  const texts: string[] = [];
  for (const condition of conditions) {
    const text = condition.describe(scope);
    if (text) texts.push(text);
  }
  return texts.join(separator);
}
