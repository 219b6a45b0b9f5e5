import {isObject, type Json, type JsonObject, own} from '../../../engine/json/types.js';
import {unverified} from '../notary/refuse.js';

/** Fields of protobuf's JSON, which may be absent; what is there has to be of its kind. */

export function objectField(parent: JsonObject, key: string): JsonObject | undefined {
  const value = own(parent, key);
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw unverified(`${key} is no object`);
}

export function listField(parent: JsonObject, key: string): readonly Json[] {
  const value = own(parent, key);
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw unverified(`${key} is no list`);
}

/** Empty when absent. */
export function textField(parent: JsonObject, key: string): string {
  const value = own(parent, key);
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw unverified(`${key} is no text`);
}

const base64 = /^[A-Za-z0-9+/_\r\n-]*={0,2}\s*$/;

/** Base64, also of URLs; empty when absent. */
export function bytesField(parent: JsonObject, key: string): Buffer {
  return decodeBase64(textField(parent, key), key);
}

export function decodeBase64(text: string, what: string): Buffer {
  if (!base64.test(text)) throw unverified(`${what} is no base64`);
  return Buffer.from(text, 'base64');
}

/** An int64, written as number or text; 0 when absent. */
export function integerField(parent: JsonObject, key: string): bigint {
  const value = own(parent, key);
  if (value === undefined || value === null || value === '') return 0n;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value);
  throw unverified(`${key} is no integer`);
}

export function objectsOf(list: readonly Json[]): JsonObject[] {
  return list.filter(isObject);
}
