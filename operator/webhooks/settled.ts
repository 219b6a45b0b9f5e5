import {createHash} from 'node:crypto';
import {stringifyJson} from '../../engine/json/stringify.js';
import {type Json, type JsonObject, ownPath} from '../../engine/json/types.js';

/**
 * Says which webhooks have been written a second time. API servers keep what they made of a configuration until its next
 * event, and one that is just reading its configurations when an event arrives may put what it read over it: from then on
 * it acts on the webhooks of before, for hours perhaps. A second event a moment later, with the same webhooks, ends that:
 * whatever is read then is right.
 */
export const settledAnnotation = 'webhook.kyverno.io/settled';

/** The annotation's value for these webhooks. */
export function settledMark(webhooks: Json | undefined): string {
  return createHash('sha256').update(stringifyJson(webhooks ?? [])).digest('hex').slice(0, 16);
}

export function markOf(configuration: JsonObject): string | undefined {
  const mark = ownPath(configuration, 'metadata', 'annotations', settledAnnotation);
  return typeof mark === 'string' ? mark : undefined;
}
