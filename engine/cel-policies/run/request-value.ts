import {type Json, type JsonObject, own} from '../../json/types.js';
import type {EngineRequest} from '../../types.js';

/**
 * `request`: what the API server sent, without the fields that it leaves out when they are empty. Objects and options are
 * there in any case, null when the request has none.
 */
export function requestValue(request: EngineRequest): JsonObject {
  const {raw} = request;
  const value: JsonObject = {
    ...raw,
    operation: request.operation,
    object: request.object ?? null,
    oldObject: request.oldObject ?? null,
    options: own(raw, 'options') ?? null,
    userInfo: own(raw, 'userInfo') ?? {},
  };
  for (const key of ['name', 'namespace', 'subResource'] as const) {
    const text: Json | undefined = own(raw, key) ?? request[key];
    if (text === '') delete value[key];
    else value[key] = text;
  }
  return value;
}
