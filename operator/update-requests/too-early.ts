import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {errorsIn} from '../generate/work-errors.js';
import {type NamedObject, shownObject} from './trigger.js';

/** The trigger is not there; it may still be on its way through other webhooks. */
export class TriggerMissing extends Error {
  override readonly name = 'TriggerMissing';
  constructor(trigger: NamedObject) {
    super(`the trigger ${shownObject(trigger)} is not there`);
  }
}

/** The trigger is as it was before the request; that may still be on its way, or change nothing. */
export class TriggerUnchanged extends Error {
  override readonly name = 'TriggerUnchanged';
  constructor(trigger: NamedObject) {
    super(`the trigger ${shownObject(trigger)} is as it was before the request`);
  }
}

/** A deletion was asked for and has not come about (yet). */
export class StillThere extends Error {
  override readonly name = 'StillThere';
  constructor(trigger: NamedObject) {
    super(`the trigger ${shownObject(trigger)} is still there: its deletion was refused, or is still to come`);
  }
}

/** The request is still on its way through the API server. */
export function isTooEarly(error: unknown): boolean {
  return errorsIn(error).every(item => item instanceof TriggerMissing || item instanceof TriggerUnchanged || item instanceof StillThere);
}

/** Whether the very object that a request was to delete lives on; one that waits for finalizers is taken for gone. */
export function isStill(live: JsonObject | undefined, {uid}: NamedObject): boolean {
  return live !== undefined && uid !== '' && textOf(ownPath(live, 'metadata', 'uid')) === uid && textOf(ownPath(live, 'metadata', 'deletionTimestamp')) === '';
}
