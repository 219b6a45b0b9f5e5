import {textOf} from '../json/text.js';
import {type JsonObject, ownPath} from '../json/types.js';
import type {ClassicPolicy} from '../policy/model.js';
import {ImageRecord, type ImageStatuses, recordKey} from './record.js';

/** So long it may take until every API server asks for a new policy. */
const settleMs = 60_000;
const none: ImageStatuses = new Map();

/**
 * What the record of an object that is there already says for a rule. Each admission under the policy writes it anew; what
 * was created before the policy was in force may carry a record that its author made up, and is not believed.
 */
export function trustedStatuses(object: JsonObject | undefined, {ref, raw}: Pick<ClassicPolicy, 'ref' | 'raw'>, rule: string): ImageStatuses {
  // False for times that are not told.
  const isYounger = createdAt(object) > createdAt(raw) + settleMs;
  return isYounger ? ImageRecord.of(object).statuses(recordKey(ref), rule) : none;
}

function createdAt(object: JsonObject | undefined): number {
  return Date.parse(textOf(ownPath(object, 'metadata', 'creationTimestamp')));
}
