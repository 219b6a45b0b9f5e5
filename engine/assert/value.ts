import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {type Expression, compileExpression} from './expression.js';
import {parseText} from './key.js';

/** A value with expressions in it, made for a payload. */
export type Value = Expression;

/** Texts of the form `(expression)` become their result, everything else is as written. */
export function compileValue(tree: Json, path: string): Value {
  if (typeof tree === 'string') {
    const statement = parseText(tree);
    if (statement.kind === 'expression') return compileExpression(statement, path);
    return () => statement.text;
  }
  if (Array.isArray(tree)) {
    const items = tree.map((item, index) => compileValue(item, `${path}[${index}]`));
    return (value, bindings, env) => items.map(item => item(value, bindings, env));
  }
  if (!isObject(tree)) return () => tree;
  const entries = Object.keys(tree).map(key => [key, compileValue(own(tree, key)!, `${path}.${key}`)] as const);
  return (value, bindings, env) => {
    const result: JsonObject = {};
    for (const [key, entry] of entries) setOwn(result, key, entry(value, bindings, env));
    return result;
  };
}
