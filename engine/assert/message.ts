import {EvalError} from '../diagnostic.js';
import type {FunctionEnv} from '../jmespath/types.js';
import {stringifyJson} from '../json/stringify.js';
import type {Json} from '../json/types.js';
import {findVariables} from '../variables/scan.js';
import {type Bindings, compileExpression, type Expression} from './expression.js';

export type Message = (payload: Json, bindings: Bindings, env: FunctionEnv) => string;

/** A text with `{{ expression }}` in it. One that cannot be evaluated stays as written: a message never decides. */
export function compileMessage(text: string, path: string): Message {
  const parts: Array<string | {readonly written: string; readonly expression: Expression}> = [];
  let from = 0;
  for (const {start, end, expression} of findVariables(text)) {
    parts.push(text.slice(from, start), {
      written: text.slice(start, end),
      expression: compileExpression({text: expression, language: undefined}, path),
    });
    from = end;
  }
  parts.push(text.slice(from));
  return (payload, bindings, env) =>
    parts
      .map(part => (typeof part === 'string' ? part : textOf(part.expression, part.written)(payload, bindings, env)))
      .join('');
}

function textOf(expression: Expression, written: string): Message {
  return (payload, bindings, env) => {
    try {
      const value = expression(payload, bindings, env);
      return typeof value === 'string' ? value : stringifyJson(value);
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
      return written;
    }
  };
}
