import {textOf} from '../engine/json/text.js';
import {type JsonObject, ownPath} from '../engine/json/types.js';

/** When the API server made the object, epoch milliseconds; NaN when it does not say. */
export function createdAt(object: JsonObject): number {
  return Date.parse(textOf(ownPath(object, 'metadata', 'creationTimestamp')));
}
