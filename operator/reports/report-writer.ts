import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import {joinKey, type ObjectReader} from '../../adapters/kube/object-store.js';
import {metadataOnly} from '../../adapters/kube/metadata-only.js';
import {collectionPath, objectPath} from '../../adapters/kube/paths.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {createRateLimit} from '../../adapters/kube/rate-limit.js';
import {sleep} from '../../adapters/clock.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {compactOf, resultFingerprint} from './fingerprint.js';
import {mergeReport, type ReportChange, type ReportSubject} from './merge-report.js';
import {managedByLabel, type ReportApi, reportName} from './report-kinds.js';
import {type ReportResult, resultKey} from './report-result.js';
import type {ReportMetrics} from './report-metrics.js';
import {isTooLarge, shrinkSteps} from './shrink-report.js';
import {type Who, whoOf} from './who.js';

export interface ReportWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly api: ReportApi;
  readonly metrics: ReportMetrics;
  /** Reports as mirrored, in compact form, by `namespace/uid` or `uid`. */
  readonly mirror: (namespaced: boolean) => ObjectReader;
  /** Changes that wait at most; beyond, the newest is dropped and counted: a scan finds it again. */
  readonly maxPending: number;
  /** Work on the object is under way, whose findings are to go into the same write. Absent: nothing is waited for. */
  readonly isExpected?: (uid: string) => boolean;
  /** Reports that are written at one time. */
  readonly concurrency: () => number;
  /** Waited for before each report. Absent: no pauses. */
  readonly pause?: () => Promise<void> | undefined;
  /** No report is created while there are so many; the limit of upstream's breaker. Absent: no limit. */
  readonly most?: number;
}

export interface ReportWriter {
  /** Results found at admission: they join what is there. */
  add(subject: ReportSubject, results: readonly ReportResult[]): void;
  /** Everything that is to be said from one side: `covers` tells whose results these are. False: the report says so already. */
  replace(subject: ReportSubject, results: readonly ReportResult[], covers: Covers): boolean;
  readonly pending: number;
  /** Nothing is expected of the object any more. */
  hurry(uid: string): void;
  /** To be waited for by those who could wait before they find out more; `undefined`: there is room. */
  room(): Promise<void> | undefined;
  /** Writes what waits as far as a moment allows. */
  stop(): Promise<void>;
}

export type Covers = (stored: Who) => boolean;

interface Pending {
  readonly subject: ReportSubject;
  readonly results: Map<string, ReportResult>;
  covers: Covers | undefined;
  /** On the clock that never jumps. */
  readonly since: number;
}

/** Time in which further results of one object are joined. */
const settleMs = 1_000;
/** Longest time that results wait for those of work on their object. */
const holdMs = 4_000;
const attempts = 6;
/** Those who can wait do so from here on. */
const comfortable = 1_000;
/** Beside the budget of everything else, so that a first scan is over in seconds; 429 and Retry-After hold all the same. */
const writesPerSecond = 1_000;
const flushMs = 1_500;
const complainEveryMs = 60_000;
const bulk = {unthrottled: true} as const;
/** What was written is known: its metadata is answer enough. */
const brief = {...bulk, query: {fieldManager: 'kyverno'}, accept: metadataOnly} as const;

/**
 * Writes reports: one read and one write per object whose results differ from what its report says, none where they do
 * not. Several replicas may write the same report: each write holds for one version of it, and a lost one is tried anew on
 * what is there then.
 */
export function createReportWriter(options: ReportWriterOptions): ReportWriter {
  const {client, clock, log, api} = options;
  const waiting = new Map<string, Pending>();
  const {dropped, writes} = options.metrics;
  options.metrics.watch(() => waiting.size);
  const queue = createWorkQueue({
    clock,
    concurrency: options.concurrency,
    firstRetryMs: 500,
    maxRetryMs: 60_000,
    run: write,
    onError(key, error, retryInMs) {
      if (retryInMs === undefined) forget(key);
      complain('a report could not be written', key, error);
    },
  });
  const limit = createRateLimit({qps: writesPerSecond, burst: writesPerSecond, clock});
  const waiters: Array<() => void> = [];
  /** Keys of objects, by uid, that are held for work on them. */
  const held = new Map<string, string>();
  let stopped = false;
  const complaints = new Map<string, number>();

  /** One line a minute for each fault: what is wrong with one report is wrong with thousands. */
  function complain(what: string, key: string, error: unknown): void {
    const text = error instanceof KubeError ? `${error.status} ${error.reason}` : String(error);
    const last = complaints.get(`${what} ${text}`);
    const now = clock.monotonic();
    if (last !== undefined && now - last < complainEveryMs) return;
    if (complaints.size > 100) complaints.clear();
    complaints.set(`${what} ${text}`, now);
    log.error(what, {key, error: error instanceof KubeError ? error.message : String(error), waiting: waiting.size});
  }

  function forget(key: string): void {
    waiting.delete(key);
    if (waiting.size < comfortable) for (const resolve of waiters.splice(0)) resolve();
  }

  async function write(key: string): Promise<void> {
    const pending = waiting.get(key);
    if (pending === undefined) return;
    const {subject: {uid}, since} = pending;
    const holdFor = since + holdMs - clock.monotonic();
    if (holdFor > 0 && !stopped && options.isExpected?.(uid) === true) {
      held.set(uid, key);
      queue.addAfter(key, holdFor);
      return;
    }
    const pause = stopped ? undefined : options.pause?.();
    if (pause !== undefined) await pause;
    held.delete(uid);
    forget(key);
    try {
      await apply({
        subject: pending.subject,
        results: [...pending.results.values()],
        replaces: stored => pending.results.has(resultKey(stored)) || pending.covers?.(whoOf(stored)) === true,
      });
    } catch (error) {
      // Refused for good: trying again would only cost.
      if (hasStatus(error, 400) || hasStatus(error, 422) || hasStatus(error, 403) || isTooLarge(error)) {
        dropped.inc({reason: hasStatus(error, 403) ? 'forbidden' : 'refused'});
        complain('a report was refused', key, error);
        return;
      }
      const newer = waiting.get(key);
      waiting.set(key, newer === undefined ? pending : joined(pending, newer));
      throw error;
    }
  }

  async function apply(change: ReportChange): Promise<void> {
    const {namespace, uid} = change.subject;
    const kind = namespace === '' ? api.cluster : api.namespaced;
    const collection = {group: api.group, version: api.version, resource: kind.resource, namespace};
    const ref = {...collection, name: reportName(api, uid)};
    // A report that was never heard of most likely is not there.
    let existing = mirroredOf(change.subject) === undefined ? undefined : await read(ref);
    for (let attempt = 1; ; attempt += 1) {
      // Somebody else's report under this name is left as it is.
      if (existing !== undefined && ownPath(existing, 'metadata', 'labels', managedByLabel) !== 'kyverno') return;
      const report = mergeReport(existing, change, api, Math.floor(clock.now() / 1000));
      if (report === existing) return;
      await limit.take();
      try {
        if (report === undefined) {
          await client.delete(ref, {...bulk, resourceVersion: String(ownPath(existing, 'metadata', 'resourceVersion') ?? '')});
          writes.inc({operation: 'delete'});
        } else if (existing === undefined) {
          if (isFull()) {
            dropped.inc({reason: 'too-many-reports'});
            return;
          }
          await fitting(report, body => client.request({...brief, method: 'POST', path: collectionPath(collection), body}));
          writes.inc({operation: 'create'});
        } else {
          await fitting(report, body => client.request({...brief, method: 'PUT', path: objectPath(ref), body}));
          writes.inc({operation: 'update'});
        }
        return;
      } catch (error) {
        // Of a report that has gone meanwhile, what others said is gone too; of an object whose namespace goes, all is.
        if (hasStatus(error, 404) && existing === undefined) return;
        if (hasStatus(error, 404) && report === undefined) return;
        if (hasStatus(error, 403) && /being terminated/.test((error as KubeError).message)) return;
        if ((!hasStatus(error, 409) && !hasStatus(error, 404)) || attempt >= attempts) throw error;
        existing = await read(ref);
      }
    }
  }

  function isFull(): boolean {
    return options.most !== undefined && options.mirror(true).size + options.mirror(false).size >= options.most;
  }

  async function fitting(report: JsonObject, send: (body: JsonObject) => Promise<unknown>): Promise<void> {
    let body = report;
    for (const shrink of [...shrinkSteps, undefined]) {
      try {
        await send(body);
        return;
      } catch (error) {
        if (shrink === undefined || !isTooLarge(error)) throw error;
        body = shrink(body);
      }
    }
  }

  async function read(ref: Parameters<KubeClient['get']>[0]): Promise<JsonObject | undefined> {
    try {
      return await client.get(ref, bulk);
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  function mirroredOf({namespace, uid}: ReportSubject): JsonObject | undefined {
    return options.mirror(namespace !== '').get(joinKey(namespace, reportName(api, uid)));
  }

  /** Whether the report, as far as this replica has heard, says all of this already; and nothing else of those covered. */
  function isSaid(subject: ReportSubject, results: readonly ReportResult[], covers?: Covers): boolean {
    const mirrored = mirroredOf(subject);
    if (mirrored === undefined) return results.length === 0;
    const {marks, whos} = compactOf(mirrored);
    if (covers !== undefined) {
      let covered = 0;
      for (const who of whos) if (covers(who)) covered += 1;
      if (covered !== results.length) return false;
    }
    return results.every(result => has(marks, resultFingerprint(result)));
  }

  function pendingOf(subject: ReportSubject): Pending | undefined {
    const key = keyOf(subject);
    const known = waiting.get(key);
    if (known !== undefined) return known;
    if (waiting.size >= options.maxPending) {
      dropped.inc({reason: 'queue-full'});
      return undefined;
    }
    const pending: Pending = {subject, results: new Map(), covers: undefined, since: clock.monotonic()};
    waiting.set(key, pending);
    return pending;
  }

  return {
    add(subject, results) {
      if (results.length === 0 || (!waiting.has(keyOf(subject)) && isSaid(subject, results))) return;
      const pending = pendingOf(subject);
      if (pending === undefined) return;
      for (const result of results) pending.results.set(resultKey(result), result);
      queue.addAfter(keyOf(subject), settleMs);
    },
    replace(subject, results, covers) {
      const pending = waiting.get(keyOf(subject)) === undefined && isSaid(subject, results, covers) ? undefined : pendingOf(subject);
      if (pending === undefined) return false;
      const before = pending.covers;
      for (const [key, result] of pending.results) if (covers(whoOf(result))) pending.results.delete(key);
      for (const result of results) pending.results.set(resultKey(result), result);
      pending.covers = before === undefined ? covers : stored => covers(stored) || before(stored);
      queue.addAfter(keyOf(subject), settleMs);
      return true;
    },
    get pending() {
      return waiting.size;
    },
    hurry(uid) {
      const key = held.get(uid);
      held.delete(uid);
      if (key !== undefined) queue.add(key);
    },
    room: () => (waiting.size < comfortable || stopped ? undefined : new Promise(resolve => waiters.push(resolve))),
    async stop() {
      stopped = true;
      for (const resolve of waiters.splice(0)) resolve();
      for (const key of waiting.keys()) queue.add(key);
      for (const until = clock.monotonic() + flushMs; queue.size > 0 && clock.monotonic() < until; ) await sleep(clock, 20);
      await queue.stop();
    },
  };
}

/** Both changes as one; the newer one has the last word. */
function joined(older: Pending, newer: Pending): Pending {
  const results = new Map([...older.results].filter(([, result]) => newer.covers?.(whoOf(result)) !== true));
  for (const [key, result] of newer.results) results.set(key, result);
  const {covers} = older;
  const later = newer.covers;
  return {subject: newer.subject, since: older.since, results, covers: covers === undefined ? later : later === undefined ? covers : who => covers(who) || later(who)};
}

function keyOf({namespace, uid}: ReportSubject): string {
  return `${namespace}/${uid}`;
}

/** Binary search in an ascending list. */
function has(marks: readonly number[], mark: number): boolean {
  let low = 0;
  let high = marks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = marks[middle]!;
    if (value === mark) return true;
    if (value < mark) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
