import {EvalError} from '../diagnostic.js';
import {goTypeName, isInteger, isObject, type Json, type JsonObject, own} from '../json/types.js';

const none: readonly Json[] = [];

/**
 * Typed reads of Kubernetes fields: absent and null are the same, any other type than the field's is an EvalError,
 * as the API server would not admit it and nobody can say what it would mean.
 */
export function objectAt(parent: JsonObject, key: string): JsonObject | undefined {
  const value = own(parent, key);
  if (value === undefined || value === null) return undefined;
  return isObject(value) ? value : wrongType(key, 'an object', value);
}

export function listAt(parent: JsonObject, key: string): readonly Json[] {
  const value = own(parent, key);
  if (value === undefined || value === null) return none;
  return Array.isArray(value) ? value : wrongType(key, 'a list', value);
}

export function boolAt(parent: JsonObject, key: string): boolean | undefined {
  const value = own(parent, key);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'boolean' ? value : wrongType(key, 'true or false', value);
}

/** Empty when absent. */
export function textAt(parent: JsonObject, key: string): string {
  const value = own(parent, key);
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : wrongType(key, 'a string', value);
}

export function integerAt(parent: JsonObject, key: string): number | bigint | undefined {
  const value = own(parent, key);
  if (value === undefined || value === null) return undefined;
  return isInteger(value) ? value : wrongType(key, 'an integer', value);
}

export function textItem(value: Json, list: string): string {
  return typeof value === 'string' ? value : wrongType(`${list}[]`, 'a string', value);
}

export function objectItem(value: Json, list: string): JsonObject {
  return isObject(value) ? value : wrongType(`${list}[]`, 'an object', value);
}

function wrongType(key: string, wanted: string, value: Json): never {
  throw new EvalError(`cannot judge the Pod: ${key} must be ${wanted}, not ${goTypeName(value)}`, 'pod-security-shape');
}
