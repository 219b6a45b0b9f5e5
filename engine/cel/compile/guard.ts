import type {Type} from '../types/type.js';
import {isDouble, isInt, isMap} from '../values/index.js';
import {Duration, ObjectValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value} from '../values/value.js';

/** Whether a value has a type, as far as the outermost level goes. */
export type Guard = (value: Value) => boolean;

const simple: Readonly<Record<string, Guard>> = {
  null: value => value === null,
  bool: value => typeof value === 'boolean',
  int: isInt,
  uint: value => value instanceof Uint,
  double: isDouble,
  string: value => typeof value === 'string',
  bytes: value => value instanceof Uint8Array,
  duration: value => value instanceof Duration,
  timestamp: value => value instanceof Timestamp,
  list: value => Array.isArray(value),
  map: isMap,
  optional: value => value instanceof Optional,
  type: value => value instanceof TypeValue,
};

/** `undefined`: every value will do. */
export function guardOf(type: Type): Guard | undefined {
  switch (type.kind) {
    case 'dyn':
    case 'any':
    case 'error':
    case 'param':
      return undefined;
    case 'opaque':
      return value => value instanceof OpaqueValue && value.typeName === type.name;
    case 'object':
      // Objects with declared fields are as often plain JSON.
      return value => isMap(value) || (value instanceof ObjectValue && value.typeName === type.name);
    default:
      return simple[type.kind];
  }
}

/** Whether a value of the one type, sure at its outermost level, needs no check for the other. */
export function covers(sure: Type | undefined, wanted: Type): boolean {
  if (sure === undefined || sure.kind !== wanted.kind) return false;
  return !('name' in sure) || sure.kind === 'param' || sure.name === (wanted as {name: string}).name;
}

/** The type itself where it says something of the outermost level. */
export function sureType(type: Type): Type | undefined {
  return guardOf(type) === undefined || type.kind === 'object' ? undefined : type;
}
