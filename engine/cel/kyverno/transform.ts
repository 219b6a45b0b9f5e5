import {CelError} from '../errors.js';
import type {Library} from '../library/library.js';
import {dynType, listOf, mapOf, stringType} from '../types/type.js';
import {isMap, makeMap, mapGet} from '../values/index.js';
import type {Value} from '../values/value.js';
import {invalid, typeName} from './arguments.js';
import {declare} from './declare.js';

/** Two lists of maps as one map: `keyName` of the one gives the keys, `valueName` of the other the values. */
export const transformLibrary: Library = {
  name: 'kyverno.transform',
  functions: declare(
    'transform',
    ['listObjToMap', 'transform.listObjToMap'],
    [
      {
        id: 'lists_names',
        receiver: false,
        params: [listOf(dynType), listOf(dynType), stringType, stringType],
        result: mapOf(stringType, dynType),
        call: listObjToMap,
        cost: (keys: readonly Value[]) => keys.length * 2,
      },
    ],
  ),
};

function listObjToMap(keys: readonly Value[], values: readonly Value[], keyName: string, valueName: string): Value {
  if (keys.length !== values.length) {
    throw new CelError(`listObjToMap must take lists of equal length. list1: ${keys.length}, list2: ${values.length}`);
  }
  return makeMap(
    keys.map((item, index): [Value, Value] => {
      const key = fieldOf(item, keyName, 0);
      if (typeof key !== 'string') {
        throw new CelError('the passed key name cannot be handled as a string in the key object list');
      }
      return [key, fieldOf(values[index]!, valueName, 1) ?? null];
    }),
  );
}

function fieldOf(item: Value, name: string, at: number): Value | undefined {
  if (!isMap(item)) throw invalid(at, `expected a list of maps, got ${typeName(item)} in it`);
  return mapGet(item, name);
}
