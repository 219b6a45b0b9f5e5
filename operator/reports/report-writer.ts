import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import {joinKey, type ObjectReader} from '../../adapters/kube/object-store.js';
import {metadataOnly} from '../../adapters/kube/metadata-only.js';
import {collectionPath, objectPath} from '../../adapters/kube/paths.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {createRateLimit} from '../../adapters/kube/rate-limit.js';
import {sleep} from '../../adapters/clock.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {compactOf, resultFingerprint} from './fingerprint.js';
import {type JudgedResult, mergeReport, type ReportChange, type ReportSubject, subjectKey} from './merge-report.js';
import {managedByLabel, type ReportApi, reportName} from './report-kinds.js';
import {type ReportResult, resultKey} from './report-result.js';
import type {ReportMetrics} from './report-metrics.js';
import {isTooLarge, shrinkSteps} from './shrink-report.js';
import {createRefusedRequests, type Refusal} from './refused-requests.js';
import {createUnheardWrites, type Written} from './unheard-writes.js';
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
  /** Results of work on the object: they join what is there. `at`: when they were found, in milliseconds since the epoch; now where absent. */
  add(subject: ReportSubject, results: readonly ReportResult[], at?: number): void;
  /** The same of a review: they go if its request turns out refused. */
  addReviewed(subject: ReportSubject, results: readonly ReportResult[], review: Review): void;
  /** Everything that is to be said from one side: `covers` tells whose results these are. False: the report says so already. */
  replace(subject: ReportSubject, results: readonly ReportResult[], covers: Covers, at?: number): boolean;
  refuse(refusal: Refusal): void;
  readonly pending: number;
  /** Nothing is expected of the object any more. */
  hurry(uid: string): void;
  /** To be waited for by those who could wait before they find out more; `undefined`: there is room. */
  room(): Promise<void> | undefined;
  /** Writes what waits as far as a moment allows. */
  stop(): Promise<void>;
}

export type Covers = (stored: Who) => boolean;

/** When the request came in, in milliseconds since the epoch, and the digest of the object that was reviewed, where that is known. */
export interface Review {
  readonly time: number;
  readonly digest?: string | undefined;
}

interface PendingResult extends JudgedResult {
  readonly review?: Review;
}

interface Pending {
  readonly subject: ReportSubject;
  readonly results: Map<string, PendingResult>;
  covers: Covers | undefined;
  /** When it was found out what `covers` tells, in milliseconds since the epoch. */
  coveredAt: number;
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
  const unheard = createUnheardWrites(clock);
  const refused = createRefusedRequests(clock);

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
    for (const [one, {review}] of pending.results) if (review !== undefined && refused.includes(pending.subject, review)) pending.results.delete(one);
    if (pending.results.size === 0 && pending.covers === undefined) return;
    const mirrored = mirroredOf(pending.subject);
    const isKnown = mirrored !== undefined || unheard.has(key, undefined);
    unheard.begin(key);
    let written: Written | undefined;
    try {
      written = await apply({
        subject: pending.subject,
        results: [...pending.results.values()],
        replaces: stored => pending.results.has(resultKey(stored)) || pending.covers?.(whoOf(stored)) === true,
        replacedAt: pending.coveredAt,
      }, isKnown);
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
    } finally {
      unheard.end(key, written);
    }
  }

  /** What is there now; `undefined`: not known. */
  async function apply(change: ReportChange, isKnown: boolean): Promise<Written | undefined> {
    const {namespace, uid} = change.subject;
    const kind = namespace === '' ? api.cluster : api.namespaced;
    const collection = {group: api.group, version: api.version, resource: kind.resource, namespace};
    const ref = {...collection, name: reportName(api, uid)};
    // A report that was never heard of most likely is not there.
    let existing = isKnown ? await read(ref) : undefined;
    for (let attempt = 1; ; attempt += 1) {
      // Somebody else's report under this name is left as it is.
      if (existing !== undefined && ownPath(existing, 'metadata', 'labels', managedByLabel) !== 'kyverno') return undefined;
      const report = mergeReport(existing, change, api, clock.now());
      if (report === existing) return existing && {version: versionOf(existing), gone: false};
      await limit.take();
      try {
        if (report === undefined) {
          const version = versionOf(existing);
          await client.delete(ref, {...bulk, resourceVersion: version});
          writes.inc({operation: 'delete'});
          return {version, gone: true};
        }
        if (existing === undefined && isFull()) {
          dropped.inc({reason: 'too-many-reports'});
          return undefined;
        }
        const [method, path] = existing === undefined ? (['POST', collectionPath(collection)] as const) : (['PUT', objectPath(ref)] as const);
        const version = await fitting(report, async body => versionOf((await client.request({...brief, method, path, body})).body));
        writes.inc({operation: existing === undefined ? 'create' : 'update'});
        return {version, gone: false};
      } catch (error) {
        // Of a report that has gone meanwhile, what others said is gone too; of an object whose namespace goes, all is.
        if (hasStatus(error, 404) && existing === undefined) return undefined;
        if (hasStatus(error, 404) && report === undefined) return undefined;
        if (hasStatus(error, 403) && /being terminated/.test((error as KubeError).message)) return undefined;
        if ((!hasStatus(error, 409) && !hasStatus(error, 404)) || attempt >= attempts) throw error;
        existing = await read(ref);
      }
    }
  }

  function isFull(): boolean {
    return options.most !== undefined && options.mirror(true).size + options.mirror(false).size >= options.most;
  }

  async function fitting<T>(report: JsonObject, send: (body: JsonObject) => Promise<T>): Promise<T> {
    let body = report;
    for (const shrink of shrinkSteps) {
      try {
        return await send(body);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        body = shrink(body);
      }
    }
    return send(body);
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
    if (unheard.has(subjectKey(subject), mirrored && versionOf(mirrored))) return false;
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
    const key = subjectKey(subject);
    const known = waiting.get(key);
    if (known !== undefined) return known;
    if (waiting.size >= options.maxPending) {
      dropped.inc({reason: 'queue-full'});
      return undefined;
    }
    const pending: Pending = {subject, results: new Map(), covers: undefined, coveredAt: 0, since: clock.monotonic()};
    waiting.set(key, pending);
    return pending;
  }

  function add(subject: ReportSubject, results: readonly ReportResult[], mark: Omit<PendingResult, 'result'>): void {
    const key = subjectKey(subject);
    if (results.length === 0 || (!waiting.has(key) && isSaid(subject, results))) return;
    const pending = pendingOf(subject);
    if (pending === undefined) return;
    for (const result of results) put(pending, {result, ...mark});
    queue.addAfter(key, settleMs);
  }

  return {
    add: (subject, results, at = clock.now()) => add(subject, results, {at}),
    addReviewed: (subject, results, review) => add(subject, results, {at: review.time, review}),
    replace(subject, results, covers, at = clock.now()) {
      const key = subjectKey(subject);
      const pending = waiting.get(key) === undefined && isSaid(subject, results, covers) ? undefined : pendingOf(subject);
      if (pending === undefined) return false;
      cover(pending, covers, at);
      for (const result of results) put(pending, {result, at});
      queue.addAfter(key, settleMs);
      return true;
    },
    refuse: refused.note,
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

/** Both changes as one; what was found later has the last word. */
function joined(older: Pending, newer: Pending): Pending {
  const both: Pending = {...older, subject: newer.subject, results: new Map(older.results)};
  if (newer.covers !== undefined) cover(both, newer.covers, newer.coveredAt);
  for (const found of newer.results.values()) put(both, found);
  return both;
}

/** What is covered and was found before goes. */
function cover(pending: Pending, covers: Covers, at: number): void {
  const before = pending.covers;
  for (const [key, known] of pending.results) if (known.at <= at && covers(whoOf(known.result))) pending.results.delete(key);
  pending.covers = before === undefined ? covers : stored => covers(stored) || before(stored);
  pending.coveredAt = Math.max(pending.coveredAt, at);
}

/** Unless something later is known. */
function put(pending: Pending, found: PendingResult): void {
  const key = resultKey(found.result);
  const known = pending.results.get(key);
  if (known !== undefined ? known.at > found.at : found.at < pending.coveredAt && pending.covers?.(whoOf(found.result)) === true) return;
  pending.results.set(key, found);
}

function versionOf(object: unknown): string {
  return textOf(ownPath(object as JsonObject, 'metadata', 'resourceVersion'));
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
