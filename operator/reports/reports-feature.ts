import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {textOf} from '../../engine/json/text.js';
import type {PolicyRef, PolicyResult} from '../../engine/types.js';
import type {BackgroundCore, Feature} from '../feature.js';
import {createNativeJudge} from '../native-policies/native-judge.js';
import {createScanFeature} from '../scan/scan-feature.js';
import {adoptEphemeralReports} from './adopt-ephemeral.js';
import type {AdmissionFinding} from './admission-results.js';
import {createPacer} from '../scan/pacer.js';
import {compactOf, compactReport} from './fingerprint.js';
import {ephemeralReportApi, openReportApi, policyReportApi, type ReportApi, reportSelector} from './report-kinds.js';
import {reportResults} from './report-result.js';
import {reportSettings} from './report-settings.js';
import {createReportMetrics} from './report-metrics.js';
import {createReportWriter, type ReportWriter} from './report-writer.js';
import type {Refusal} from './refused-requests.js';
import {createUnbornResults} from './unborn-results.js';
import {createStanding, type Standing} from './standing.js';

const maxPending = 50_000;
const pruneDelayMs = 3_000;
const adoptAgainMs = 30_000;
export interface ReportFeatures {
  readonly features: readonly Feature[];
  /** Those of them that find out more, not those that write. */
  readonly workers: readonly Feature[];
  /** Results of an admission of this replica: they join the object's report. */
  take(finding: AdmissionFinding): void;
  /** What was found in this request is not so. */
  refuse(refusal: Refusal): void;
}

/** Reports: of admissions, by the replica that judged; of existing objects, and of what is gone, by the leader. */
export function createReportFeatures(core: BackgroundCore): ReportFeatures {
  const {clock, log, manager, flags} = core;
  const settings = reportSettings(core);
  const metrics = createReportMetrics(core.metrics.registry);
  const joint: ReportApi = flags.openreportsEnabled ? openReportApi : policyReportApi;
  const admission = outlet(flags.aggregateReports ? joint : ephemeralReportApi('admission'), flags.maxAdmissionReports);
  const background = flags.aggregateReports ? admission : outlet(ephemeralReportApi('background-scan'), flags.maxBackgroundReports);
  const outlets = [...new Set([admission, background])];

  /** A writer with the mirrors that it goes by. */
  function outlet(api: ReportApi, most: number) {
    const keyOf = (namespaced: boolean) => `${(namespaced ? api.namespaced : api.cluster).resource}.${api.group}${api.side === undefined ? '' : ` ${api.side}`}`;
    const mirror = (namespaced: boolean) => manager.lister(keyOf(namespaced));
    const {client} = core;
    const limit = api.side === undefined ? {} : {most};
    return {api, keyOf, mirror, writer: createReportWriter({client, clock, log, api, metrics, mirror, maxPending, concurrency: () => core.congestion.width(flags.aggregationWorkers), pause: () => core.share.pause(), isExpected: uid => core.findings.expected.has(uid), ...limit})};
  }

  const unborn = createUnbornResults({client: core.client, clock, log, metrics, most: maxPending, onBorn: (subject, results, time) => admission.writer.addReviewed(subject, results, {time})});
  const pacer = createPacer(clock, core.share);
  let leading = false;
  let cancelPrune: (() => void) | undefined;
  let cancelAdopt: (() => void) | undefined;

  const unfollow = core.findings.expected.subscribe(uid => {
    for (const {writer} of outlets) writer.hurry(uid);
  });
  const unsubscribe = core.findings.subscribe(({policy, subject, rule, type, status, message, properties}) => {
    if (!flags.policyReports || !settings.reporting.has(type)) return;
    const known = policyOf(policy);
    const result: PolicyResult = {
      policy,
      failurePolicy: 'Ignore',
      emitWarning: false,
      annotations: known?.annotations ?? {},
      // What a request led to is its review's, by whomever it was done.
      background: !policy.kind.endsWith('GeneratingPolicy') && (known?.background ?? true),
      ...(known?.source !== undefined && {source: known.source}),
      rules: [{rule, type: type === 'generate' ? 'Generation' : 'Mutation', status, message, action: 'Audit', properties}],
    };
    if (!settings.isSilent(result)) admission.writer.add(subject, reportResults(result, settings.allowed));
  });

  function policyOf({kind, key}: PolicyRef) {
    const cel = core.cel.cache.policy(kind, key);
    if (cel?.status === 'served') return {annotations: cel.policy.source.annotations, background: true, source: `Kyverno${kind.replace(/^Namespaced/, '')}`};
    const state = core.cache.policy(key);
    if (state?.status !== 'served') return undefined;
    const {annotations, spec} = state.policy.source;
    return {annotations, background: spec.background, source: undefined};
  }

  const native = createNativeJudge(core);
  const standing = () => createStanding({classic: key => core.cache.policy(key), cel: (kind, key) => core.cel.cache.policy(kind, key), native: native.policies, resources: core.resources});

  /** Of a peer, or of an installation that kept admissions and scans apart before. */
  async function adopt(): Promise<void> {
    if (!flags.aggregateReports || !flags.policyReports) return;
    try {
      await adoptEphemeralReports({client: core.client, log, resources: core.resources(), writer: admission.writer, joint, standing: standing(), goesOn: () => leading});
    } catch (error) {
      log.warn('reports of admissions that were not joined yet could not be consumed; they are tried again', {error: String(error)});
      if (leading) cancelAdopt = clock.schedule(adoptAgainMs, () => void adopt());
    }
  }

  /** Takes out what nobody stands by any more, and reports on kinds that are no more. Reads what is mirrored, nothing else. */
  async function prune(): Promise<void> {
    cancelPrune = undefined;
    const now = standing();
    for (const {mirror, writer} of outlets) {
      for (const report of [...mirror(true).objects(), ...mirror(false).objects()]) {
        if (!leading) return;
        pruneReport(writer, report, now);
        const pause = pacer.turn();
        if (pause !== undefined) await pause;
        const room = writer.room();
        if (room !== undefined) await room;
      }
    }
  }

  function pruneReport(writer: ReportWriter, report: JsonObject, {isStale}: Standing): void {
    const {apiVersion, kind, name, uid, whos} = compactOf(report);
    const slash = apiVersion.indexOf('/');
    const type = {group: slash === -1 ? '' : apiVersion.slice(0, slash), kind};
    const subject = {apiVersion, kind, name, namespace: textOf(ownPath(report, 'metadata', 'namespace')), uid};
    if (!isKnown(type)) writer.replace(subject, [], () => true);
    else if (whos.some(who => isStale(who, type))) writer.replace(subject, [], who => isStale(who, type));
  }

  /** A group whose server cannot be read may well have the kind. */
  function isKnown({group, kind}: {readonly group: string; readonly kind: string}): boolean {
    const failures = core.discovery?.failures ?? [];
    return core.resources().find(kind).some(info => info.group === group) || failures.some(failure => failure === '/apis' || failure.startsWith(`${group}/`));
  }

  function touch(): void {
    if (!leading) return;
    cancelPrune ??= clock.schedule(pruneDelayMs, () => {
      prune().catch(error => {
        log.error('reports could not be looked through for results of policies that are gone', {error: String(error)});
        touch();
      });
    });
  }

  const reports: Feature = {
    name: 'reports',
    registrations: outlets.flatMap(({api, keyOf}) =>
      [true, false].map(namespaced => ({
        key: keyOf(namespaced),
        group: api.group,
        version: api.version,
        resource: (namespaced ? api.namespaced : api.cluster).resource,
        namespaced,
        optional: true,
        labelSelector: reportSelector(api),
        project: compactReport,
      })),
    ),
    setLeading(now) {
      leading = now;
      cancelAdopt?.();
      if (now) {
        touch();
        cancelAdopt = clock.schedule(pruneDelayMs, () => void adopt());
      } else {
        cancelPrune?.();
        cancelPrune = undefined;
      }
    },
    // Rules may have gone with an edit.
    onPolicy: (_kind, _key, _state, before) => {
      if (before !== undefined) touch();
    },
    onCelPolicy: touch,
    onDiscovery: touch,
    async stop() {
      leading = false;
      unsubscribe();
      unfollow();
      cancelPrune?.();
      cancelAdopt?.();
      await unborn.stop();
      await Promise.all(outlets.map(({writer}) => writer.stop()));
    },
  };
  // Objects are read with the rights of who scans; reports are the operator's own.
  const scan = createScanFeature({...core, client: core.worker}, {writer: background.writer, settings, standing, native});
  return {
    features: [reports, scan],
    workers: [scan],
    take(finding) {
      const {subject, results} = finding;
      if (subject.uid === '') unborn.keep(finding);
      else {
        unborn.born(subject);
        admission.writer.addReviewed(subject, results, finding);
      }
    },
    refuse: admission.writer.refuse,
  };
}
