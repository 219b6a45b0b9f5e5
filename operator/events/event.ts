import type {JsonObject} from '../../engine/json/types.js';
import {microTime} from '../../adapters/kube/lease.js';

export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
}

export type EventSource =
  | 'kyverno-admission'
  | 'kyverno-scan'
  | 'kyverno-generate'
  | 'kyverno-mutate'
  | 'kyverno-cleanup';
export type EventReason = 'PolicyViolation' | 'PolicyApplied' | 'PolicyError' | 'PolicySkipped' | 'WebhookContested' | 'PeerActive';
export type EventAction =
  | 'Resource Blocked'
  | 'Resource Passed'
  | 'Resource Mutated'
  | 'Resource Generated'
  | 'Resource Cleaned Up'
  | 'None';

/** Something that happened, before it is an object of the API. */
export interface PolicyEvent {
  readonly regarding: EventSubject;
  readonly related?: EventSubject | undefined;
  readonly reason: EventReason;
  readonly action: EventAction;
  /** Cut to 1024 bytes. */
  readonly note: string;
  readonly source: EventSource;
  /** Which answer it is about; of repeats, the last one's. */
  readonly decision?: string | undefined;
}

/** Shows the id that denials, log lines, traces and the API server's audit log have too. */
export const decisionAnnotation = 'kyverno.io/decision-id';

const maxNoteBytes = 1024;
const maxNameLength = 253;

/** Equal identities are repeats of one event. */
export function eventIdentity({regarding, related, reason, action, note, source}: PolicyEvent): string {
  return JSON.stringify([
    subjectIdentity(regarding),
    related && subjectIdentity(related),
    reason,
    action,
    note,
    source,
  ]);
}

/** Cluster-scoped objects have their Events in `default`. */
export function eventNamespace({regarding}: PolicyEvent): string {
  return regarding.namespace || 'default';
}

/** The `events.k8s.io/v1` object; `nanos` makes its name unique. */
export function eventObject(
  event: PolicyEvent,
  {at, nanos, hostname}: {readonly at: number; readonly nanos: bigint; readonly hostname: string},
): JsonObject {
  const normal = event.reason === 'PolicyApplied' || event.reason === 'PolicySkipped';
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: eventName(event.regarding.name, nanos),
      namespace: eventNamespace(event),
      ...(event.decision !== undefined && {annotations: {[decisionAnnotation]: event.decision}}),
    },
    eventTime: microTime(at),
    type: normal ? 'Normal' : 'Warning',
    reason: event.reason,
    action: event.action,
    note: cutNote(event.note),
    regarding: reference(event.regarding),
    ...(event.related && {related: reference(event.related)}),
    reportingController: event.source,
    reportingInstance: `${event.source}-${hostname}`.slice(0, 128),
  };
}

/** At most 1024 bytes of UTF-8, three dots at the cut, no torn character. */
export function cutNote(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= maxNoteBytes) return note;
  let end = maxNoteBytes - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}...`;
}

function eventName(objectName: string, nanos: bigint): string {
  const suffix = `.${nanos.toString(16)}`;
  const clean = objectName
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, maxNameLength - suffix.length)
    .replace(/^[^a-z0-9]+/, '')
    .replace(/[^a-z0-9]+$/, '')
    .replace(/[^a-z0-9]*\.[^a-z0-9]*/g, '.');
  return `${clean || 'event'}${suffix}`;
}

function reference({apiVersion, kind, namespace, name, uid}: EventSubject): JsonObject {
  return {apiVersion, kind, name, ...(namespace !== '' && {namespace}), ...(uid !== undefined && {uid})};
}

function subjectIdentity({apiVersion, kind, namespace, name, uid}: EventSubject): readonly string[] {
  return [apiVersion, kind, namespace, name, uid ?? ''];
}
