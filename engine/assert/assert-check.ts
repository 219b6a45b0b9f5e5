import type {Check, Outcome} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import {CompileError, EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import {stringifyJson} from '../json/stringify.js';
import {compileTemplate, type DocumentPath} from '../variables/template.js';
import {type AssertFault, type CompiledAssertion, compileAssertion} from './compile-assertion.js';

export interface AssertCheckOptions {
  readonly rule: string;
  readonly message: string | undefined;
  /** `spec.rules[0].validate`. */
  readonly path: string;
  readonly document: DocumentPath;
}

/**
 * `validate.assert`: an assertion tree on the whole object. Variables (`{{ … }}`) are put in first; `$name` in an
 * expression is what the tree binds, else the rule's variable of that name. Says nothing of an object that goes away.
 */
export function compileAssertCheck(tree: JsonObject, options: AssertCheckOptions): Check {
  const {rule} = options;
  const path = `${options.path}.assert`;
  const template = compileTemplate(tree, path, {document: [...options.document, 'assert']});
  const fixed = template.isStatic ? compileAssertion(tree, path) : undefined;
  const message =
    options.message === undefined ? undefined : compileTemplate(options.message, `${options.path}.message`);
  const passed: Outcome = {status: 'pass', message: `validation rule '${rule}' passed.`};

  function failed(faults: readonly AssertFault[], scope: RuleScope): Outcome {
    const own = message === undefined ? undefined : messageText(() => message.evaluate(scope));
    const head =
      own === undefined
        ? `validation error: rule ${rule} failed`
        : `validation error: ${own.replace(/\.$/, '')}. rule ${rule} failed`;
    return {status: 'fail', message: `${head}: ${faults.map(describe).join('; ')}`};
  }

  return (subject, scope) => {
    if (scope.deleting || !isObject(subject)) return undefined;
    const assertion: CompiledAssertion = fixed ?? compileLate(template.evaluate(scope), path);
    const faults = assertion.check(subject, {functions: scope.env, bindings: name => scope.root.get(name)});
    return faults.length === 0 ? passed : failed(faults, scope);
  };
}

/** A tree that only exists at run time: a fault in it is the evaluation's, not the policy's. */
function compileLate(tree: Json, path: string): CompiledAssertion {
  try {
    return compileAssertion(tree, path);
  } catch (error) {
    if (error instanceof CompileError) throw new EvalError(`${error.diagnostic.path}: ${error.message}`);
    throw error;
  }
}

/** A message never changes the verdict: one that cannot be made is left out. */
function messageText(evaluate: () => Json): string | undefined {
  try {
    const value = evaluate();
    return typeof value === 'string' ? value : stringifyJson(value);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return undefined;
  }
}

function describe({path, message}: AssertFault): string {
  return path === '' ? message : `${path}: ${message}`;
}
