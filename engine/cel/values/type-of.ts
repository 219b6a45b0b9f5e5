import {Float} from '../../json/types.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  objectType,
  opaque,
  optionalOf,
  stringType,
  type Type,
  timestampType,
  typeOf,
  uintType,
} from '../types/type.js';
import {Duration, ObjectValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value} from './value.js';

const anyList = listOf(dynType);
const anyMap = mapOf(dynType, dynType);
const anyOptional = optionalOf(dynType);
const anyOfType = typeOf();

/** Type of a value at run time; of lists, maps and optionals without their elements'. */
export function typeOfValue(value: Value): Type {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return Number.isInteger(value) ? intType : doubleType;
  }
  if (value === null) return nullType;
  if (Array.isArray(value)) return anyList;
  if (value instanceof Float) return doubleType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Optional) return anyOptional;
  if (value instanceof TypeValue) return anyOfType;
  if (value instanceof ObjectValue) return objectType(value.typeName);
  if (value instanceof OpaqueValue) return opaque(value.typeName);
  return anyMap;
}

/** Name of a type at run time, as `type(x)` prints it: `list`, `null_type`, `google.protobuf.Duration`. */
export function runtimeName(type: Type): string {
  switch (type.kind) {
    case 'null':
      return 'null_type';
    case 'optional':
      return 'optional_type';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'any':
      return 'google.protobuf.Any';
    case 'opaque':
    case 'object':
    case 'param':
      return type.name;
    default:
      return type.kind;
  }
}
