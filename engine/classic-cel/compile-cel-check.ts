import {compileNativeRules, type NativeRules} from '../admission-policies/compile-rules.js';
import {decide} from '../admission-policies/decide.js';
import {findParams} from '../admission-policies/params.js';
import type {Check, Outcome} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import type {MatchCondition} from '../policy/model.js';
import type {RegexEngine} from '../regex/types.js';
import {amountLibrary} from './amounts.js';
import {type CelCheckModel, readCelCheck} from './load-cel-check.js';
import {isQuantityExpression, rewriteQuantities} from './rewrite-quantities.js';

export interface CelCheckOptions {
  readonly rule: string;
  readonly message: string | undefined;
  /** `spec.rules[0].validate.cel`. */
  readonly path: string;
  readonly preconditions: readonly MatchCondition[];
  /** Where they stand. */
  readonly preconditionsPath: string;
  /** Orders and products of quantity fields go by amount. */
  readonly amounts: boolean;
  readonly regex: RegexEngine;
}

/** `validate.cel`, judged as the API server judges its own policies. Throws CompileError for the first fault. */
export function compileCelCheck(raw: JsonObject, options: CelCheckOptions): Check {
  const model = readCelCheck(raw, options.message);
  const rules = compileRules(model, options);
  const passed: Outcome = {status: 'pass', message: `Validation rule '${options.rule}' passed.`};
  return (_subject, scope) => {
    for (const params of paramsOf(model, scope)) {
      const outcome = judge(rules, scope, params);
      if (outcome !== undefined) return outcome;
    }
    return passed;
  };
}

function compileRules(model: CelCheckModel, options: CelCheckOptions): NativeRules {
  const {path, preconditions, preconditionsPath, regex} = options;
  const {rules, problems} = compileNativeRules(
    {
      variables: model.variables,
      conditions: preconditions,
      validations: model.validations,
      params: model.paramKind !== undefined,
      paths: {variables: `${path}.variables`, conditions: preconditionsPath, validations: `${path}.expressions`},
      ...(options.amounts && {rewrite: amountRewriter(model), libraries: [amountLibrary]}),
    },
    {regex, mutating: false},
  );
  if (rules !== undefined) return rules;
  throw new CompileError(problems[0]!);
}

function amountRewriter({variables}: CelCheckModel): (expression: string) => string {
  const quantities = new Set<string>();
  for (const {name, expression} of variables) if (isQuantityExpression(expression, quantities)) quantities.add(name);
  return expression => rewriteQuantities(expression, quantities);
}

function paramsOf({paramKind, paramRef}: CelCheckModel, {env, context}: RuleScope): ReadonlyArray<JsonObject | null> {
  try {
    return findParams(paramKind, paramRef, {request: context.request, run: env});
  } catch (thrown) {
    if (!(thrown instanceof EvalError) || thrown instanceof BudgetError) throw thrown;
    throw new EvalError(`error in parameterized resource: ${thrown.message}`, thrown.code);
  }
}

/** `undefined`: nothing against the request. What cannot be evaluated is as good as a violation. */
function judge(rules: NativeRules, {env, context}: RuleScope, params: Json): Outcome | undefined {
  const decision = decide(rules, {request: context.request, host: env, cluster: env, params});
  switch (decision.type) {
    case 'admit':
      return undefined;
    case 'not-matched':
      return {status: 'skip', message: 'cel preconditions not met'};
    case 'deny':
      return {status: 'fail', message: decision.message};
    case 'error':
      if (decision.index === undefined)
        throw new EvalError(`failed to evaluate CEL preconditions: ${decision.message}`);
      return {status: 'fail', message: decision.message};
  }
}
