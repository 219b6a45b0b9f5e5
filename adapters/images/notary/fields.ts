import {parseJsonBytes} from '../../../engine/json/index.js';
import {isObject, type JsonObject} from '../../../engine/json/types.js';
import {unverified} from './refuse.js';

/** A JSON object; `what` names it in errors. */
export function readFields(bytes: Uint8Array, what: string): JsonObject {
  try {
    const value = parseJsonBytes(bytes);
    if (isObject(value)) return value;
  } catch (cause) {
    throw unverified(`${what} is no JSON`, {cause});
  }
  throw unverified(`${what} is no JSON object`);
}
