import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {textOf} from '../../engine/json/text.js';
import type {PolicyResult, RuleStatus} from '../../engine/types.js';
import type {Core, Feature} from '../feature.js';
import {createScanFeature} from '../scan/scan-feature.js';
import {admissionResults, type ReportSettings} from './admission-results.js';
import {compactReport, storedResult} from './fingerprint.js';
import {managedByLabel, openReportApi, policyReportApi, type ReportApi} from './report-kinds.js';
import type {ReportResult} from './report-result.js';
import {createReportWriter} from './report-writer.js';

const maxPending = 50_000;
const pruneDelayMs = 3_000;
const pageSize = 250;
const disabledLabel = 'reports.kyverno.io/disabled';

/** Reports: of admissions, by the replica that judged; of existing objects, and of what is gone, by the leader. */
export function createReportFeatures(core: Core): readonly Feature[] {
  const {client, clock, log, manager, flags} = core;
  const api: ReportApi = flags.openreportsEnabled ? openReportApi : policyReportApi;
  const settings: ReportSettings = {
    reporting: new Set(flags.enableReporting),
    allowed: new Set<RuleStatus>(flags.allowedResults as readonly RuleStatus[]),
    isSilent,
  };
  const keyOf = (namespaced: boolean) => (namespaced ? api.namespaced : api.cluster).resource;
  const writer = createReportWriter({
    client,
    clock,
    log,
    api,
    registry: core.metrics.registry,
    mirror: namespaced => manager.lister(`${keyOf(namespaced)}.${api.group}`),
    maxPending,
  });
  let leading = false;
  let cancelPrune: (() => void) | undefined;

  function isSilent({policy}: PolicyResult): boolean {
    const cel = core.cel.cache.policy(policy.kind, policy.key);
    const labels =
      cel?.status === 'served' ? cel.policy.source.labels : ownPath(classicRaw(policy.key), 'metadata', 'labels');
    return typeof labels === 'object' && labels !== null && Object.hasOwn(labels, disabledLabel);
  }

  function classicRaw(key: string): JsonObject | undefined {
    const state = core.cache.policy(key);
    return state?.status === 'served' ? state.policy.source.raw : undefined;
  }

  /** Whether whoever found a result is still there to stand by it. */
  function isStale(result: ReportResult): boolean {
    if (result.source === 'kyverno') {
      const state = core.cache.policy(result.policy);
      if (state === undefined) return true;
      return state.status === 'served' && !state.policy.rules.some(rule => rule.name === result.rule) && !state.policy.source.spec.rules.some(rule => rule.name === result.rule);
    }
    const kind = /^Kyverno(\w+Policy)$/.exec(result.source)?.[1];
    if (kind === undefined) return false;
    return core.cel.cache.policy(result.policy.includes('/') ? `Namespaced${kind}` : kind, result.policy) === undefined;
  }

  /** Takes out what policies said that are no more, and reports on kinds that are no more; page by page. */
  async function prune(): Promise<void> {
    cancelPrune = undefined;
    if (!leading) return;
    for (const {resource} of [api.namespaced, api.cluster]) {
      let next: string | undefined;
      do {
        const query: Array<readonly [string, string]> = [['limit', String(pageSize)], ['labelSelector', `${managedByLabel}=kyverno`]];
        if (next !== undefined) query.push(['continue', next]);
        const {body} = await client.request({method: 'GET', path: `/apis/${api.group}/${api.version}/${resource}`, query});
        const items = ownPath(body, 'items');
        for (const report of (Array.isArray(items) ? items : []) as JsonObject[]) await pruneReport(report);
        next = textOf(ownPath(body, 'metadata', 'continue')) || undefined;
      } while (next !== undefined && leading);
    }
  }

  async function pruneReport(report: JsonObject): Promise<void> {
    const scope = own(report, 'scope');
    if (!isObject(scope)) return;
    const subject = {
      apiVersion: textOf(own(scope, 'apiVersion')),
      kind: textOf(own(scope, 'kind')),
      namespace: textOf(ownPath(report, 'metadata', 'namespace')),
      name: textOf(own(scope, 'name')),
      uid: textOf(ownPath(report, 'metadata', 'name')),
    };
    const isKnownKind = core.resources().find(subject.kind).some(info => subject.apiVersion === (info.group === '' ? info.version : `${info.group}/${info.version}`));
    const results = own(report, 'results');
    const stored = (Array.isArray(results) ? results.filter(isObject) : []).map(storedResult);
    if (!isKnownKind || stored.some(isStale)) writer.replace(subject, [], result => !isKnownKind || isStale(result));
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
    registrations: [true, false].map(namespaced => ({
      key: `${keyOf(namespaced)}.${api.group}`,
      group: api.group,
      version: api.version,
      resource: keyOf(namespaced),
      namespaced,
      optional: true,
      labelSelector: `${managedByLabel}=kyverno`,
      project: compactReport,
    })),
    sink: {
      takes: () => flags.admissionReports && flags.policyReports,
      submit(record) {
        const found = admissionResults(record, settings);
        if (found !== undefined) writer.add(found.subject, found.results);
      },
    },
    setLeading(now) {
      leading = now;
      if (now) touch();
      else cancelPrune?.();
    },
    // Rules may have gone with an edit.
    onPolicy: (_kind, _key, _state, before) => {
      if (before !== undefined) touch();
    },
    onCelPolicy: (_kind, _key, state) => {
      if (state === undefined) touch();
    },
    onDiscovery: touch,
    async stop() {
      leading = false;
      cancelPrune?.();
      await writer.stop();
    },
  };
  return [reports, createScanFeature(core, {writer, settings})];
}
