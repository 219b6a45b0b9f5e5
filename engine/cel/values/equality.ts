import {Float} from '../../json/types.js';
import {isMap, type MapValue, mapEntries, mapGet, mapSize} from './maps.js';
import {compareNumbers, isNumeric} from './numbers.js';
import {runtimeName} from './type-of.js';
import {Duration, ObjectValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value} from './value.js';

/** Told of each element that is compared; throws to end the comparison. */
export interface Meter {
  spend(units: number): void;
}

/** CEL's `==`: numbers of all types by amount, unrelated types are different, NaN equals nothing. */
export function equals(a: Value, b: Value, meter?: Meter): boolean {
  if (typeof a !== 'object' || a === null) {
    if (typeof a === 'string' || typeof a === 'boolean' || a === null) return a === b;
    if (typeof a === 'number' && typeof b === 'number') return a === b;
    return isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0;
  }
  if (typeof b !== 'object' || b === null) return a instanceof Float || a instanceof Uint ? equals(b, a) : false;
  return objectsEqual(a, b, meter);
}

function objectsEqual(a: Value & object, b: Value & object, meter: Meter | undefined): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && listsEqual(a, b, meter);
  if (isMap(a)) return isMap(b) && mapsEqual(a, b, meter);
  if (a instanceof Float || a instanceof Uint) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && bytesEqual(a, b);
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Optional) return b instanceof Optional && optionalsEqual(a, b, meter);
  if (a instanceof TypeValue) return b instanceof TypeValue && runtimeName(a.type) === runtimeName(b.type);
  if (a instanceof OpaqueValue) return b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b);
  if (a instanceof ObjectValue) return a === b || (b instanceof ObjectValue && a.equals?.(b) === true);
  return false;
}

function listsEqual(a: readonly Value[], b: readonly Value[], meter: Meter | undefined): boolean {
  if (a.length !== b.length) return false;
  meter?.spend(a.length);
  for (let index = 0; index < a.length; index++) if (!equals(a[index]!, b[index]!, meter)) return false;
  return true;
}

function mapsEqual(a: MapValue, b: MapValue, meter: Meter | undefined): boolean {
  const size = mapSize(a);
  if (size !== mapSize(b)) return false;
  meter?.spend(size);
  for (const [key, value] of mapEntries(a)) {
    const other = mapGet(b, key);
    if (other === undefined || !equals(value, other, meter)) return false;
  }
  return true;
}

function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

function optionalsEqual(a: Optional, b: Optional, meter: Meter | undefined): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value, meter);
}
