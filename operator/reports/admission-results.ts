import {createHash} from 'node:crypto';
import {stringifyJson} from '../../engine/json/stringify.js';
import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import {apiVersionOf} from '../../engine/resource-map.js';
import type {EngineRequest, GroupVersionResource, PolicyResult, RuleResult, RuleStatus, RuleType} from '../../engine/types.js';
import type {AuditRecord} from '../../webhook/types.js';
import type {ReportSubject} from './merge-report.js';
import {type ReportResult, reportResults} from './report-result.js';

export interface ReportSettings {
  /** Of `--enableReporting`. */
  readonly reporting: ReadonlySet<string>;
  readonly allowed: ReadonlySet<RuleStatus>;
  /** Labelled `reports.kyverno.io/disabled`: Events only. */
  readonly isSilent: (result: PolicyResult) => boolean;
}

/** What an admission has to say in a report. */
export interface AdmissionFinding {
  /** Of the subject. */
  readonly resource: GroupVersionResource;
  readonly subject: ReportSubject;
  readonly results: readonly ReportResult[];
  /** When the request came in, in milliseconds since the epoch. */
  readonly time: number;
  /** Of the object that was reviewed; absent where webhooks after it may see another one. */
  readonly digest?: string;
}

const reportingOf: Readonly<Record<RuleType, string>> = {
  Validation: 'validate',
  Mutation: 'mutate',
  Generation: 'generate',
  ImageVerify: 'imageVerify',
};

/** The object of a request, as reports name it; `undefined` when there is none that a report could belong to. */
export function subjectOf(request: EngineRequest): ReportSubject | undefined {
  const subject = unbornSubjectOf(request);
  return subject?.uid === '' ? undefined : subject;
}

/** As subjectOf, also of what is being created: its uid is empty then. */
function unbornSubjectOf({object, kind, subResource, namespace}: EngineRequest): ReportSubject | undefined {
  const uid = textOf(ownPath(object, 'metadata', 'uid'));
  if (object === undefined || subResource !== '' || kind.kind === 'Event') return undefined;
  const own = textOf(ownPath(object, 'metadata', 'namespace'));
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    namespace: kind.group === '' && kind.kind === 'Namespace' ? '' : own || namespace,
    name: textOf(ownPath(object, 'metadata', 'name')),
    uid,
  };
}

/**
 * What an admission has to say in a report: nothing of what was refused, deleted or only tried. The subject has an empty uid where the
 * object is not stored yet; not of one that has no name either.
 */
export function admissionResults(record: AuditRecord, settings: ReportSettings): AdmissionFinding | undefined {
  const {request, allowed} = record;
  if (!allowed || request.dryRun || request.operation === 'DELETE' || request.operation === 'CONNECT') return undefined;
  const subject = unbornSubjectOf(request);
  if (subject === undefined || (subject.uid === '' && subject.name === '')) return undefined;
  const told = record.results.filter(result => !isPinning(record, result));
  const results = resultsFor(told.map(result => ({...result, rules: result.rules.filter(rule => !isConditionSkip(result, rule) && !isForeseen(record, rule))})), settings);
  return results.length === 0 ? undefined : {resource: request.resource, subject, results, time: record.time, ...(record.webhook === 'validate' && request.operation === 'UPDATE' && {digest: objectDigest(request)})};
}

/** What a rule is going to generate, or make of existing objects, is told by the work itself, object by object, once it is done. */
function isForeseen({webhook}: AuditRecord, {type, status}: RuleResult): boolean {
  return webhook === 'validate' && (type === 'Mutation' || type === 'Generation') && status === 'pass';
}

/** Whether a digest could be filled in is no verdict on the image: that comes with validation. */
function isPinning({webhook}: AuditRecord, {source}: PolicyResult): boolean {
  return webhook === 'mutate' && source === 'KyvernoImageValidatingPolicy';
}

export function resultsFor(results: readonly PolicyResult[], {reporting, allowed, isSilent}: ReportSettings): ReportResult[] {
  return results
    .filter(result => !isSilent(result))
    .map(result => ({...result, rules: result.rules.filter(rule => reporting.has(reportingOf[rule.type]))}))
    .flatMap(result => reportResults(result, allowed));
}

/** All webhooks that validate one request see the same object. */
export function objectDigest({object}: EngineRequest): string {
  return createHash('sha1').update(stringifyJson(object ?? null)).digest('base64');
}

/** A policy written in CEL whose conditions do not hold has nothing to say of an object. */
function isConditionSkip({source = 'kyverno'}: PolicyResult, {status, exceptions = []}: RuleResult): boolean {
  return source !== 'kyverno' && status === 'skip' && exceptions.length === 0;
}
