import {EvalError} from '../../diagnostic.js';
import {isNumber, type Json, type JsonNumber, type JsonObject, own, setOwn} from '../../json/types.js';
import type {FunctionEnv} from '../types.js';
import {equalValues, sortedKeys, textOf} from '../values.js';
import {chargeList} from './charge.js';
import {define, type FunctionDefinition} from './define.js';
import {smallInteger} from './numbers.js';

const wrongType = (position: number, type: string) => new EvalError(`argument #${position} is not of type ${type}`);

function lookup(container: JsonObject | Json[], key: string | JsonNumber): Json {
  if (Array.isArray(container)) {
    const index = typeof key === 'string' ? undefined : smallInteger(key);
    if (index === undefined) throw wrongType(2, 'int');
    return index >= 0 ? (container[index] ?? null) : null;
  }
  if (typeof key !== 'string') throw wrongType(2, 'string');
  return own(container, key) ?? null;
}

function pairOf(names: readonly [string, string], key: Json, value: Json): JsonObject {
  const pair: JsonObject = {};
  setOwn(pair, names[0], key);
  setOwn(pair, names[1], value);
  return pair;
}

function items(container: JsonObject | Json[], names: readonly [string, string], env: FunctionEnv): JsonObject[] {
  const size = Array.isArray(container) ? container.length : Object.keys(container).length;
  chargeList(env, size);
  env.budget.bytes(size * (names[0].length + names[1].length));
  if (Array.isArray(container)) return container.map((value, index) => pairOf(names, index, value));
  return sortedKeys(container).map(key => pairOf(names, key, container[key]!));
}

function fromLists(keys: readonly Json[], values: readonly Json[], env: FunctionEnv): JsonObject {
  chargeList(env, keys.length);
  const result: JsonObject = {};
  for (const [index, key] of keys.entries()) {
    if (typeof key !== 'string' && !isNumber(key) && typeof key !== 'boolean') throw wrongType(1, 'array of scalars');
    setOwn(result, textOf(key), values[index] ?? null);
  }
  return result;
}

/** Every pair of the selector is in the labels. */
function labelMatch(selector: JsonObject, labels: JsonObject, env: FunctionEnv): boolean {
  return Object.keys(selector).every(key => {
    env.budget.step();
    const value = own(labels, key);
    return value !== undefined && equalValues(selector[key]!, value, env.budget);
  });
}

export const collectionFunctions: readonly FunctionDefinition[] = [
  define('label_match', ['object', 'object'], ([selector, labels], env) => labelMatch(selector, labels, env)),
  define('lookup', ['object|array', 'string|number'], ([container, key]) => lookup(container, key)),
  define('items', ['object|array', 'string', 'string'], ([container, key, value], env) =>
    items(container, [key, value], env),
  ),
  define('object_from_lists', ['array', 'array'], ([keys, values], env) => fromLists(keys, values, env)),
];
