import {compileEntries, type CompiledEntry} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import {goTypeName, isObject, type Json} from '../json/types.js';
import {compileQuery, UnknownKeyError} from '../jmespath/index.js';
import type {CompiledQuery} from '../jmespath/types.js';
import type {ValidateForeach} from '../policy/model.js';
import {compileLateQuery} from '../variables/late-query.js';
import {UnresolvedVariable, compileTemplate} from '../variables/template.js';
import {compileCheck, type CheckOptions} from './compile-check.js';
import {compileOptionalBlock, evaluateBlock} from './condition-block.js';
import {elementVariables} from './element-variables.js';
import type {Check, Conditions, Outcome} from './types.js';

interface Loop {
  readonly list: ListQuery;
  readonly elementScope: boolean | undefined;
  readonly entries: readonly CompiledEntry[];
  readonly preconditions: Conditions | undefined;
  readonly check: Check;
}

/** Entries are joined by AND: the first that does not pass ends the rule; without any element there is no answer. */
export function compileForeach(entries: readonly ValidateForeach[], options: CheckOptions, depth = 0): Check {
  const loops = entries.map((entry, index) => compileLoop(entry, index, options, depth));
  return (subject, scope) => {
    let applied = 0;
    let listError: EvalError | undefined;
    for (const loop of loops) {
      let elements: readonly Json[];
      try {
        elements = loop.list(scope);
      } catch (error) {
        if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
        if (!isUnknownKey(error)) listError ??= error;
        continue;
      }
      const result = runLoop(loop, elements, subject, scope, depth);
      if (result.failure !== undefined) return result.failure;
      applied += result.applied;
    }
    if (applied > 0) return {status: 'pass', message: 'rule passed'};
    if (listError !== undefined) throw new EvalError(`failed to evaluate list: ${listError.message}`, listError.code);
    return undefined;
  };
}

function compileLoop(entry: ValidateForeach, index: number, options: CheckOptions, depth: number): Loop {
  const path = `${options.path}.foreach[${index}]`;
  const inner: CheckOptions = {...options, path, document: [...options.document, 'foreach', index]};
  return {
    list: compileList(entry.list, `${path}.list`),
    elementScope: entry.elementScope,
    entries: compileEntries(entry.context, `${path}.context`),
    preconditions: compileOptionalBlock(entry.preconditions, `${path}.preconditions`),
    check: entry.check.type === 'foreach' ? compileForeach(entry.check.entries, inner, depth + 1) : compileCheck(entry.check, inner),
  };
}

function runLoop(
  loop: Loop,
  elements: readonly Json[],
  subject: Json | undefined,
  scope: RuleScope,
  depth: number,
): {readonly applied: number; readonly failure?: Outcome} {
  let applied = 0;
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index] as Json;
    scope.env.budget.step();
    if (element === null) continue;
    const inner = scope.child(loop.entries, elementVariables(element, index, depth));
    if (!preconditionsHold(loop.preconditions, inner)) continue;
    const outcome = checkElement(loop, element, subject, inner);
    if (outcome === undefined || outcome.status === 'skip') continue;
    if (outcome.status !== 'pass') {
      return {applied, failure: {status: outcome.status, message: `validation failure: ${outcome.message}`}};
    }
    applied += 1;
  }
  return {applied};
}

/** Preconditions of an element that cannot be evaluated leave the element out. */
function preconditionsHold(preconditions: Conditions | undefined, scope: RuleScope): boolean {
  if (preconditions === undefined) return true;
  try {
    return evaluateBlock(preconditions, scope).result;
  } catch (error) {
    if (error instanceof EvalError && !(error instanceof BudgetError)) return false;
    throw error;
  }
}

function checkElement(loop: Loop, element: Json, subject: Json | undefined, scope: RuleScope): Outcome | undefined {
  const scoped = loop.elementScope ?? isObject(element);
  if (scoped && !isObject(element)) {
    return {
      status: 'error',
      message: `failed to process foreach: cannot use elementScope=true foreach rules for elements that are not maps, expected type=map got type=${goTypeName(element)}`,
    };
  }
  try {
    return loop.check(scoped ? element : subject, scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return {status: 'error', message: error.message};
  }
}

type ListQuery = (scope: RuleScope) => readonly Json[];

/**
 * A list gives its elements, any other value but null is one element. The text may hold variables itself. It is no
 * variable: on DELETE a list of `request.object` has no elements, so that objects can go whatever they hold.
 */
export function compileList(text: string, path: string): ListQuery {
  const run = text.includes('{{') ? dynamicQuery(text, path) : staticQuery(text, path);
  return scope => {
    const value = run(scope);
    if (Array.isArray(value)) return value;
    return value === null ? [] : [value];
  };
}

function staticQuery(text: string, path: string): (scope: RuleScope) => Json {
  let query: CompiledQuery;
  try {
    query = compileQuery(text);
  } catch (error) {
    if (error instanceof CompileError) throw new CompileError({...error.diagnostic, path});
    throw error;
  }
  return scope => query.evaluate(scope.root, scope.env);
}

function dynamicQuery(text: string, path: string): (scope: RuleScope) => Json {
  const template = compileTemplate(text, path);
  return scope => {
    const value = template.evaluate(scope);
    return typeof value === 'string' ? compileLateQuery(value).evaluate(scope.root, scope.env) : value;
  };
}

function isUnknownKey(error: EvalError): boolean {
  return error instanceof UnknownKeyError || (error instanceof UnresolvedVariable && error.unknownKey);
}
