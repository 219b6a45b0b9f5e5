import type {PolicyRef} from '../../engine/types.js';
import type {AuditSink} from '../../webhook/types.js';
import type {OperatorConfig} from '../config/config-map.js';
import type {EventEmitter} from '../events/event-emitter.js';
import {policyEvents} from '../events/policy-events.js';

export interface EventSinkOptions {
  readonly events: EventEmitter;
  readonly config: () => OperatorConfig;
  readonly uidOf: (policy: PolicyRef) => string | undefined;
}

/** Turns what was decided into Events. Reports get a sink of their own beside it. */
export function eventSink({events, config, uidOf}: EventSinkOptions): AuditSink {
  return {
    submit(record) {
      const {generateSuccessEvents, successEventActions} = config();
      const made = policyEvents({
        request: record.request,
        results: record.results,
        blocked: !record.allowed,
        source: 'kyverno-admission',
        decision: record.request.uid,
        success: generateSuccessEvents,
        ...(successEventActions.length > 0 && {successActions: successEventActions}),
        uidOf,
      });
      for (const event of made) events.emit(event);
    },
  };
}
