import {Counter, Gauge, type Registry} from 'prom-client';
import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {resultFingerprint} from './fingerprint.js';
import {mergeReport, type ReportChange, type ReportSubject} from './merge-report.js';
import {managedByLabel, type ReportApi} from './report-kinds.js';
import {type ReportResult, resultKey} from './report-result.js';

export interface ReportWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly api: ReportApi;
  readonly registry: Registry;
  /** Reports as mirrored, in compact form, by `namespace/uid` or `uid`. */
  readonly mirror: (namespaced: boolean) => ObjectReader;
  /** Changes that wait at most; beyond, the newest is dropped and counted: a scan finds it again. */
  readonly maxPending: number;
}

export interface ReportWriter {
  /** Results found at admission: they join what is there. */
  add(subject: ReportSubject, results: readonly ReportResult[]): void;
  /** Everything that is to be said from one side: `covers` tells whose results these are. False: the report says so already. */
  replace(subject: ReportSubject, results: readonly ReportResult[], covers: (stored: ReportResult) => boolean): boolean;
  readonly pending: number;
  stop(): Promise<void>;
}

interface Pending {
  readonly subject: ReportSubject;
  readonly results: Map<string, ReportResult>;
  covers: ((stored: ReportResult) => boolean) | undefined;
}

/** Time in which further results of one object are joined. */
const settleMs = 1_000;
const concurrency = 8;
const attempts = 6;

/**
 * Writes reports: one read and one write per object whose results differ from what its report says, none where they do
 * not. Several replicas may write the same report: each write holds for one version of it, and a lost one is tried anew on
 * what is there then.
 */
export function createReportWriter(options: ReportWriterOptions): ReportWriter {
  const {client, clock, log, api} = options;
  const waiting = new Map<string, Pending>();
  const registers = [options.registry];
  const dropped = new Counter({name: 'kyverno_report_changes_dropped_total', help: 'Report changes given up: too many waited, or the API server refused them', labelNames: ['reason'], registers});
  const writes = new Counter({name: 'kyverno_report_writes_total', help: 'Reports created, updated and deleted', labelNames: ['operation'], registers});
  new Gauge({
    name: 'kyverno_report_changes_pending',
    help: 'Objects whose report is to be written',
    registers,
    collect() {
      this.set(waiting.size);
    },
  });
  const queue = createWorkQueue({
    clock,
    concurrency,
    firstRetryMs: 500,
    maxRetryMs: 60_000,
    run: write,
    onError(key, error, retryInMs) {
      if (retryInMs === undefined) waiting.delete(key);
      log.error('a report could not be written', {key, error: error instanceof KubeError ? error.message : String(error)});
    },
  });

  async function write(key: string): Promise<void> {
    const pending = waiting.get(key);
    if (pending === undefined) return;
    waiting.delete(key);
    try {
      await apply({
        subject: pending.subject,
        results: [...pending.results.values()],
        replaces: pending.covers ?? (stored => pending.results.has(resultKey(stored))),
      });
    } catch (error) {
      // Refused for good: trying again would only cost.
      if (hasStatus(error, 422) || hasStatus(error, 413) || hasStatus(error, 403)) {
        dropped.inc({reason: hasStatus(error, 403) ? 'forbidden' : 'refused'});
        log.error('a report was refused', {key, error: (error as KubeError).message});
        return;
      }
      if (!waiting.has(key)) waiting.set(key, pending);
      throw error;
    }
  }

  async function apply(change: ReportChange): Promise<void> {
    const {namespace, uid} = change.subject;
    const kind = namespace === '' ? api.cluster : api.namespaced;
    const collection = {group: api.group, version: api.version, resource: kind.resource, namespace};
    for (let attempt = 1; ; attempt += 1) {
      const existing = await read({...collection, name: uid});
      // Somebody else's report under this name is left as it is.
      if (existing !== undefined && ownPath(existing, 'metadata', 'labels', managedByLabel) !== 'kyverno') return;
      const report = mergeReport(existing, change, api, Math.floor(clock.now() / 1000));
      if (report === existing) return;
      try {
        if (report === undefined) {
          await client.delete({...collection, name: uid}, {resourceVersion: String(ownPath(existing, 'metadata', 'resourceVersion') ?? '')});
          writes.inc({operation: 'delete'});
        } else if (existing === undefined) {
          await client.create(collection, report, {fieldManager: 'kyverno'});
          writes.inc({operation: 'create'});
        } else {
          await client.update({...collection, name: uid}, report, {fieldManager: 'kyverno'});
          writes.inc({operation: 'update'});
        }
        return;
      } catch (error) {
        // The namespace is going, and the object with it.
        if (hasStatus(error, 404)) return;
        if (hasStatus(error, 403) && /being terminated/.test((error as KubeError).message)) return;
        if (!hasStatus(error, 409) || attempt >= attempts) throw error;
      }
    }
  }

  async function read(ref: Parameters<KubeClient['get']>[0]): Promise<JsonObject | undefined> {
    try {
      return await client.get(ref);
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Whether the report, as far as this replica has heard, says all of this already. */
  function isSaid({namespace, uid}: ReportSubject, results: readonly ReportResult[], exactly: boolean): boolean {
    const mirrored = options.mirror(namespace !== '').get(namespace === '' ? uid : `${namespace}/${uid}`);
    if (mirrored === undefined) return results.length === 0;
    const marks = own(mirrored, 'marks') as unknown as readonly number[];
    if (exactly && marks.length !== results.length) return false;
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
    const pending: Pending = {subject, results: new Map(), covers: undefined};
    waiting.set(key, pending);
    return pending;
  }

  return {
    add(subject, results) {
      if (results.length === 0 || (!waiting.has(keyOf(subject)) && isSaid(subject, results, false))) return;
      const pending = pendingOf(subject);
      if (pending === undefined) return;
      for (const result of results) pending.results.set(resultKey(result), result);
      queue.addAfter(keyOf(subject), settleMs);
    },
    replace(subject, results, covers) {
      const pending = waiting.get(keyOf(subject)) === undefined && isSaid(subject, results, true) ? undefined : pendingOf(subject);
      if (pending === undefined) return false;
      const before = pending.covers;
      for (const [key, result] of pending.results) if (covers(result)) pending.results.delete(key);
      for (const result of results) pending.results.set(resultKey(result), result);
      const added = new Set([...pending.results.keys()]);
      pending.covers = stored => covers(stored) || before?.(stored) === true || added.has(resultKey(stored));
      queue.addAfter(keyOf(subject), settleMs);
      return true;
    },
    get pending() {
      return waiting.size;
    },
    stop: () => queue.stop(),
  };
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
