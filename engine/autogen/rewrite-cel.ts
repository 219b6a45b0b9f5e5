import {rewriteExpression, rewriteMessage, type TemplatePath} from '../cel-policies/autogen/rewrite-expression.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';

const lists: Readonly<Record<string, readonly string[]>> = {
  expressions: ['expression', 'messageExpression'],
  variables: ['expression'],
  auditAnnotations: ['valueExpression'],
};

/** `validate.cel` of a Pod rule for a controller: expressions and messages follow into the Pod template. */
export function rewriteCelBlock(block: JsonObject, template: TemplatePath): JsonObject {
  const result: JsonObject = {...block};
  for (const [list, fields] of Object.entries(lists)) {
    const entries = own(block, list);
    if (Array.isArray(entries)) result[list] = entries.map(entry => rewriteEntry(entry, fields, template));
  }
  return result;
}

/** `celPreconditions`. */
export function rewriteCelConditions<T extends Json | undefined>(conditions: T, template: TemplatePath): T {
  if (!Array.isArray(conditions)) return conditions;
  return conditions.map(entry => rewriteEntry(entry, ['expression'], template)) as T & Json[];
}

function rewriteEntry(entry: Json, fields: readonly string[], template: TemplatePath): Json {
  if (!isObject(entry)) return entry;
  const result: JsonObject = {...entry};
  for (const field of fields) {
    const text = own(entry, field);
    if (typeof text === 'string') setOwn(result, field, rewriteExpression(text, template));
  }
  const message = own(entry, 'message');
  if (typeof message === 'string') result['message'] = rewriteMessage(message, template);
  return result;
}
