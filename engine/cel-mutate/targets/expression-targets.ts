import type {Program} from '../../cel/environment.js';
import type {CelScope} from '../../cel-policies/types.js';
import {isObject, type JsonObject, own} from '../../json/types.js';
import {jsonOf} from '../values.js';

/** The objects that an expression comes to: the items of a list, else the one; null is none. Throws EvalError. */
export function objectsOf(program: Program, scope: CelScope): readonly JsonObject[] {
  const value = jsonOf(program.evaluate(scope.bindings, scope.host));
  if (!isObject(value)) return [];
  const items = own(value, 'items');
  const kind = own(value, 'kind');
  // Kinds with a field `items` that are no lists exist.
  const isList = Array.isArray(items) && (typeof kind !== 'string' || kind.endsWith('List'));
  if (isList) return items.filter(isObject).map(item => withType(item, value));
  return Object.keys(value).length === 0 ? [] : [value];
}

/** Items of a list carry no type of their own; that of the list tells it. */
function withType(item: JsonObject, list: JsonObject): JsonObject {
  if (own(item, 'kind') !== undefined) return item;
  const kind = own(list, 'kind');
  const apiVersion = own(list, 'apiVersion');
  return {
    ...(apiVersion !== undefined && {apiVersion}),
    ...(typeof kind === 'string' && {kind: kind.replace(/List$/, '')}),
    ...item,
  };
}
