import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {resultFingerprint, storedResult} from './fingerprint.js';
import {managedByLabel, type ReportApi, reportName, type ReportSide, sideLabel} from './report-kinds.js';
import {type ReportResult, resultJson, resultKey} from './report-result.js';

/** The object that a report is about. */
export interface ReportSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function subjectKey({namespace, uid}: ReportSubject): string {
  return `${namespace}/${uid}`;
}

export interface JudgedResult {
  readonly result: ReportResult;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What has been found out about one object, to be joined with what its report says. */
export interface ReportChange {
  readonly subject: ReportSubject;
  readonly results: readonly JudgedResult[];
  /**
   * Which results of a stored report have had their say: those that it selects and that are not among `results` go.
   */
  readonly replaces: (stored: ReportResult) => boolean;
  /** When that was found out, in milliseconds since the epoch. */
  readonly replacedAt: number;
}

const longestLabel = 63;
const statuses = ['pass', 'fail', 'warn', 'error', 'skip'] as const;

/**
 * The report after a change; `undefined` when none is needed any more, the same reference when nothing differs. Results
 * that say what they said before keep their time; what was found later than the change stands. `now`: milliseconds since the epoch.
 */
export function mergeReport(existing: JsonObject | undefined, change: ReportChange, api: ReportApi, now: number): JsonObject | undefined {
  const stored = existing === undefined ? [] : storedResults(existing);
  const before = new Map<string, {readonly json: JsonObject; readonly mark: number}>();
  const merged = new Map<string, JsonObject>();
  const found = new Map(change.results.map(judged => [resultKey(judged.result), judged]));
  let same = existing !== undefined;
  for (const json of stored) {
    const result = storedResult(json);
    const key = resultKey(result);
    before.set(key, {json, mark: resultFingerprint(result)});
    const time = secondsOf(json) * 1000;
    // A time yet to come is another clock's.
    if (time > (found.get(key)?.at ?? change.replacedAt) && time <= now) {
      found.delete(key);
      merged.set(key, json);
    } else if (change.replaces(result)) same = same && found.has(key);
    else merged.set(key, json);
  }
  for (const [key, {result, at}] of found) {
    const known = before.get(key);
    if (known !== undefined && known.mark === resultFingerprint(result)) merged.set(key, known.json);
    else {
      same = false;
      merged.set(key, resultJson(result, api.messageField, Math.floor(at / 1000)));
    }
  }
  if (merged.size === 0) return undefined;
  if (same && existing !== undefined && merged.size === before.size) return existing;
  const results = [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, json]) => json);
  return reportObject(existing, change.subject, results, api);
}

function reportObject(existing: JsonObject | undefined, subject: ReportSubject, results: readonly JsonObject[], api: ReportApi): JsonObject {
  const {apiVersion, kind, namespace, name, uid} = subject;
  const summary: Record<string, number> = Object.fromEntries(statuses.map(status => [status, 0]));
  for (const result of results) {
    const status = textOf(own(result, 'result'));
    if (Object.hasOwn(summary, status)) summary[status] = (summary[status] ?? 0) + 1;
  }
  const metadata = ownPath(existing, 'metadata');
  const owner = {apiVersion, kind, name, uid};
  const version = isObject(metadata) ? own(metadata, 'resourceVersion') : undefined;
  const common = {
    name: reportName(api, uid),
    ...(namespace !== '' && {namespace}),
    ownerReferences: [owner],
    ...(version !== undefined && {resourceVersion: version}),
  };
  if (api.side !== undefined) {
    return {
      apiVersion: `${api.group}/${api.version}`,
      kind: namespace === '' ? api.cluster.kind : api.namespaced.kind,
      metadata: {...common, labels: ephemeralLabels(subject, api.side), annotations: {'audit.kyverno.io/resource.name': name, ...(namespace !== '' && {'audit.kyverno.io/resource.namespace': namespace})}},
      spec: {owner, results: [...results], summary},
    };
  }
  return {
    apiVersion: `${api.group}/${api.version}`,
    kind: namespace === '' ? api.cluster.kind : api.namespaced.kind,
    metadata: {
      ...common,
      labels: {...(labelsOf(metadata) as JsonObject), [managedByLabel]: 'kyverno'},
    },
    scope: {apiVersion, kind, name, ...(namespace !== '' && {namespace}), uid},
    results: [...results],
    summary,
  };
}

/** Values are labels': what is longer is left to the annotations and the owner. */
function ephemeralLabels({apiVersion, kind, uid}: ReportSubject, side: ReportSide): JsonObject {
  const slash = apiVersion.indexOf('/');
  const parts: Readonly<Record<string, string>> = {uid, group: slash === -1 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind};
  const labels: JsonObject = {[managedByLabel]: 'kyverno', [sideLabel]: side};
  for (const [part, value] of Object.entries(parts)) if (value.length <= longestLabel) labels[`audit.kyverno.io/resource.${part}`] = value;
  return labels;
}

/** Of either kind of report. */
export function storedResults(report: JsonObject): JsonObject[] {
  const results = own(report, 'results') ?? ownPath(report, 'spec', 'results');
  return Array.isArray(results) ? results.filter(isObject) : [];
}

/** When a stored result was found; 0: it does not say. */
export function secondsOf(result: JsonObject): number {
  const seconds = ownPath(result, 'timestamp', 'seconds');
  return typeof seconds === 'number' ? seconds : 0;
}

function labelsOf(metadata: unknown): JsonObject {
  const labels = isObject(metadata as JsonObject) ? own(metadata as JsonObject, 'labels') : undefined;
  return isObject(labels) ? labels : {};
}
