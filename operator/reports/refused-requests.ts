import type {Clock} from '../../adapters/clock.js';
import type {AuditRecord} from '../../webhook/types.js';
import {type ReportSubject, subjectKey} from './merge-report.js';
import {objectDigest, subjectOf} from './admission-results.js';

/** A request that one of our webhooks refused: what the others found in it is about an object that is not so. */
export interface Refusal {
  readonly subject: ReportSubject;
  /** Milliseconds since the epoch, when the request came in. */
  readonly time: number;
  /** There is no such object at all. */
  readonly created: boolean;
  /** Of the object as it was reviewed. */
  readonly digest: string;
}

/** Each webhook is asked by itself, and none is told what the others say. */
export function refusalOf({request, allowed, time}: AuditRecord): Refusal | undefined {
  if (allowed || request.dryRun || (request.operation !== 'CREATE' && request.operation !== 'UPDATE')) return undefined;
  const subject = subjectOf(request);
  return subject && {subject, time, created: request.operation === 'CREATE', digest: request.operation === 'CREATE' ? '' : objectDigest(request)};
}

export interface RefusedRequests {
  note(refusal: Refusal): void;
  /** Whether what was found at `time` in an object of this digest (absent: not known) was found in a request that was refused. */
  includes(subject: ReportSubject, found: {readonly time: number; readonly digest?: string | undefined}): boolean;
}

/** Reports are written later than the webhooks of one request are done. */
const keptMs = 30_000;
/** The webhooks of one request are asked within so long of one another; none knows the request by a name that the others know. */
const togetherMs = 1_000;
const most = 10_000;

export function createRefusedRequests(clock: Pick<Clock, 'monotonic'>): RefusedRequests {
  const refused = new Map<string, {readonly time: number; readonly created: boolean; readonly digest: string; readonly until: number}>();
  return {
    note({subject, time, created, digest}) {
      const now = clock.monotonic();
      for (const [oldest, {until}] of refused) {
        if (until > now && refused.size < most) break;
        refused.delete(oldest);
      }
      const key = subjectKey(subject);
      refused.delete(key);
      refused.set(key, {time, created, digest, until: now + keptMs});
    },
    includes(subject, {time, digest}) {
      const refusal = refused.get(subjectKey(subject));
      if (refusal === undefined || refusal.created) return refusal !== undefined;
      return Math.abs(refusal.time - time) <= togetherMs && (digest === undefined || digest === refusal.digest);
    },
  };
}
