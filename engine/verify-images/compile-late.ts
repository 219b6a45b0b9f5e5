import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import {compileTemplate, type TemplateScope} from '../variables/template.js';

/**
 * Something that is read from a part of a rule once its variables are resolved. Without variables it is read when the policy
 * is loaded, so that its faults are told then; `read` throws `CompileError` with paths from the part on. Secrets that are
 * named without a namespace are in one that only a run knows. What comes back throws `EvalError` and may suspend.
 */
export function compileLate<T>(
  part: JsonObject,
  path: string,
  read: (part: JsonObject, secretNamespace: string) => T,
): (scope: RuleScope) => T {
  const template = compileTemplate(part, path);
  if (!template.isStatic)
    return scope =>
      readNow(
        substituted(() => template.evaluate(scope)),
        scope,
        read,
      );
  const json = template.evaluate(undefined as unknown as TemplateScope) as JsonObject;
  try {
    read(json, '');
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new CompileError({...error.diagnostic, path: `${path}${error.diagnostic.path}`});
  }
  let known: {readonly namespace: string; readonly value: T} | undefined;
  return scope => {
    const {secretNamespace: namespace} = scope.env;
    // What was good at load may lack its key service since.
    if (known?.namespace !== namespace) known = {namespace, value: readNow(json, scope, read)};
    return known.value;
  };
}

function substituted(evaluate: () => Json): JsonObject {
  try {
    const json = evaluate();
    return isObject(json) ? json : {};
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`failed to substitute variables: ${error.message}`, error.code);
  }
}

function readNow<T>(json: JsonObject, scope: RuleScope, read: (part: JsonObject, secretNamespace: string) => T): T {
  try {
    return read(json, scope.env.secretNamespace);
  } catch (error) {
    if (error instanceof CompileError) throw new EvalError(`failed to substitute variables: ${error.message}`);
    throw error;
  }
}
