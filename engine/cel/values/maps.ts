import {Float, type JsonObject, setOwn} from '../../json/types.js';
import {CelError} from '../errors.js';
import {integralOf, intOf, isInt} from './numbers.js';
import {Boxed, type MapKey, Uint, type Value} from './value.js';

export type PlainMap = {readonly [key: string]: Value};
export type MapValue = PlainMap | ReadonlyMap<MapKey, Value>;

const hasOwn = Object.prototype.hasOwnProperty;

/** True for both representations of a map. */
export function isMap(value: Value | undefined): value is MapValue {
  return isPlainMap(value) || value instanceof Map;
}

/** A JSON object, or a map literal of strings. */
export function isPlainMap(value: Value | undefined): value is PlainMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Boxed || value instanceof Float || value instanceof Map || value instanceof Uint8Array) &&
    !Array.isArray(value)
  );
}

/** The value of a key, numbers of any type taken for equal; `undefined` when it is not there. */
export function mapGet(map: MapValue, key: Value): Value | undefined {
  if (!(map instanceof Map)) {
    return typeof key === 'string' && hasOwn.call(map, key) ? (map as PlainMap)[key] : undefined;
  }
  if (typeof key === 'string' || typeof key === 'boolean') return map.get(key);
  const exact = wholeNumber(key);
  if (exact === undefined) return undefined;
  const found = isInt64(exact) ? map.get(intOf(exact)) : undefined;
  return found === undefined ? map.get(uintKey(exact)) : found;
}

export function mapHas(map: MapValue, key: Value): boolean {
  return mapGet(map, key) !== undefined;
}

export function mapSize(map: MapValue): number {
  if (map instanceof Map) return map.size;
  let count = 0;
  for (const key in map) if (hasOwn.call(map, key)) count++;
  return count;
}

/** Keys as CEL values, in order of writing. */
export function mapKeys(map: MapValue): Value[] {
  if (!(map instanceof Map)) return Object.keys(map);
  const keys: Value[] = [];
  for (const key of map.keys()) keys.push(keyValue(key));
  return keys;
}

export function* mapEntries(map: MapValue): Iterable<[Value, Value]> {
  if (map instanceof Map) {
    for (const [key, value] of map) yield [keyValue(key), value];
    return;
  }
  for (const key of Object.keys(map)) yield [key, (map as PlainMap)[key]!];
}

/** A plain object when all keys are strings, else a `Map`. Later entries win. Throws for keys that CEL does not have. */
export function makeMap(entries: Iterable<readonly [Value, Value]>): MapValue {
  const plain: Record<string, Value> = {};
  const rest = entries[Symbol.iterator]();
  for (let next = rest.next(); !next.done; next = rest.next()) {
    const [key, value] = next.value;
    if (typeof key === 'string') {
      setOwn(plain as JsonObject, key, value as JsonObject);
      continue;
    }
    const mixed = new Map<MapKey, Value>(Object.entries(plain));
    for (; !next.done; next = rest.next()) mixed.set(mapKey(next.value[0]), next.value[1]);
    return mixed;
  }
  return plain;
}

/** The key under which a `Map` holds a value. Throws `unsupported key type` for what cannot be a key. */
export function mapKey(key: Value): MapKey {
  if (typeof key === 'string' || typeof key === 'boolean' || isInt(key)) return key as MapKey;
  if (key instanceof Uint) return uintKey(key.value);
  throw new CelError('unsupported key type');
}

function uintKey(value: bigint): symbol {
  return Symbol.for(`u:${value}`);
}

function keyValue(key: MapKey): Value {
  return typeof key === 'symbol' ? new Uint(BigInt(key.description!.slice(2))) : key;
}

function wholeNumber(key: Value): bigint | undefined {
  return key instanceof Float ? BigInt(key.value) : integralOf(key);
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
