import {CompileError, EvalError} from '../diagnostic.js';
import {compileQuery, UnknownKeyError} from '../jmespath/index.js';
import type {FunctionEnv} from '../jmespath/types.js';
import {stringifyJson} from '../json/stringify.js';
import type {Json} from '../json/types.js';
import {compileLateQuery} from '../variables/late-query.js';
import type {Statement} from './key.js';

/** Values of `$name` in expressions. */
export type Bindings = (name: string) => Json | undefined;

export type Expression = (value: Json, bindings: Bindings, env: FunctionEnv) => Json;

/** Texts in which a dollar sign means itself, then a bound name. */
const token = /'(?:\\'|[^'])*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\$(\w+)/gs;

/**
 * Compiles an expression of an assertion tree: JMESPath on the value at hand, with bound names. An unknown key is null.
 * Throws `CompileError` for bad syntax and for other languages.
 */
export function compileExpression({text, language}: Pick<Statement, 'text' | 'language'>, path: string): Expression {
  if (language !== undefined && language !== 'jp') {
    throw new CompileError({
      code: 'assert-language',
      message: `expressions in ${language} are not served; write JMESPath`,
      path,
      expression: text,
    });
  }
  const parts = split(text);
  if (parts.length === 1) {
    const query = compileAt(text, path);
    return (value, _bindings, env) => orNull(() => query.evaluate(value, env));
  }
  // With any value in the place of a name, the rest has to be right.
  compileAt(parts.map(part => (typeof part === 'string' ? part : '`null`')).join(''), path);
  return (value, bindings, env) => {
    let query = '';
    for (const part of parts) query += typeof part === 'string' ? part : literal(part.name, bindings);
    env.budget.bytes(query.length);
    return orNull(() => compileLateQuery(query).evaluate(value, env));
  };
}

function compileAt(text: string, path: string) {
  try {
    return compileQuery(text);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new CompileError({...error.diagnostic, path});
  }
}

function orNull(evaluate: () => Json): Json {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof UnknownKeyError) return null;
    throw error;
  }
}

interface Name {
  readonly name: string;
}

function split(text: string): ReadonlyArray<string | Name> {
  const parts: Array<string | Name> = [];
  let from = 0;
  for (const match of text.matchAll(token)) {
    const name = match[1];
    if (name === undefined) continue;
    parts.push(text.slice(from, match.index), {name});
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

function literal(name: string, bindings: Bindings): string {
  const value = bindings(name);
  if (value === undefined) throw new EvalError(`assertion: $${name} is not bound`);
  return `\`${stringifyJson(value).replaceAll('`', '\\u0060')}\``;
}
