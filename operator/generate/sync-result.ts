import type {KeptRequest} from '../update-requests/rebuilt-request.js';
import type {NamedObject} from '../update-requests/trigger.js';
import type {ApplyOutcome} from './downstream-writer.js';

/** What an admission request tells beyond the trigger's state. */
export interface RequestEvidence extends KeptRequest {
  /** These rules were triggered. */
  readonly rules: ReadonlySet<string>;
  readonly deleteDownstream: boolean;
}

export interface AppliedObject {
  readonly object: NamedObject;
  readonly rule: string;
  readonly outcome: ApplyOutcome;
}

export interface SyncResult {
  readonly applied: readonly AppliedObject[];
  readonly removed: readonly NamedObject[];
  /** Version of the trigger that was looked at; empty when it is not there. */
  readonly version: string;
  /** The trigger is not there (any more). */
  readonly missing: boolean;
}
