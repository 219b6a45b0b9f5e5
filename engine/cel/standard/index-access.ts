import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {isMap, keyText, mapGet, runtimeName, typeOfValue} from '../values/index.js';
import {ObjectValue, Uint, type Value} from '../values/value.js';

export function missingKey(key: Value): never {
  throw new CelError(`no such key: ${keyText(key)}`);
}

/** `list[index]`; integral numbers of every type are indices. */
export function indexList(list: readonly Value[], index: Value): Value {
  const position = positionOf(index);
  const item = position === undefined ? undefined : list[position];
  if (item === undefined) throw new CelError(`index out of bounds: ${keyText(index)}`);
  return item;
}

/** `container[key]` of what came untyped. */
export function indexAny(container: Value, key: Value): Value {
  const value = findIndex(container, key);
  if (value !== undefined) return value;
  if (Array.isArray(container)) return indexList(container, key);
  return missingKey(key);
}

/** As `indexAny`, but what is not there is `undefined`. Throws for a list that is asked for what is no index. */
export function findIndex(container: Value, key: Value): Value | undefined {
  if (Array.isArray(container)) {
    const position = positionOf(key);
    return position === undefined ? undefined : container[position];
  }
  if (isMap(container)) return mapGet(container, key);
  if (container instanceof ObjectValue && typeof key === 'string') return container.get(key);
  return undefined;
}

/** `undefined` for numbers out of any list's range. */
function positionOf(index: Value): number | undefined {
  const position = index instanceof Uint ? Number(index.value) : index instanceof Float ? index.value : index;
  if (typeof position === 'number' && Number.isInteger(position)) return position >= 0 ? position : undefined;
  if (typeof position === 'bigint') return undefined;
  throw new CelError(`unsupported index type '${runtimeName(typeOfValue(index))}' in list`);
}
