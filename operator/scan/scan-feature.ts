import {Gauge} from 'prom-client';
import type {KindInfo} from '../../engine/resource-map.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {EngineRequest, PolicyResult} from '../../engine/types.js';
import {policyEvents} from '../events/policy-events.js';
import type {Core, Feature} from '../feature.js';
import {resultsFor, type ReportSettings, subjectOf} from '../reports/admission-results.js';
import type {ReportResult} from '../reports/report-result.js';
import type {ReportWriter} from '../reports/report-writer.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import {createKindScanner, type KindScanner} from './kind-scanner.js';
import {scannedKinds} from './scan-kinds.js';

const judgeMs = 30_000;
const settleMs = 500;

export interface ScanTools {
  readonly writer: ReportWriter;
  readonly settings: ReportSettings;
}

/** Judges objects that are there by policies of the background, on the leader: at an interval, and whatever changes. */
export function createScanFeature(core: Core, {writer, settings}: ScanTools): Feature {
  const {client, clock, log, flags, metrics} = core;
  const scanners = new Map<string, {readonly scanner: KindScanner; readonly kind: KindInfo}>();
  const problems = new Map<string, string>();
  let leading = false;
  let cancelPlan: (() => void) | undefined;
  let cancelInterval: (() => void) | undefined;
  const objectsGauge = new Gauge({name: 'kyverno_background_scan_objects', help: 'Objects of the last whole scan of a kind', labelNames: ['resource'], registers: [metrics.registry]});
  const failedGauge = new Gauge({name: 'kyverno_background_scan_failed', help: 'Whether the last whole scan of a kind failed', labelNames: ['resource'], registers: [metrics.registry]});

  /** Starts and ends scanners as policies and kinds come and go; `again` has every kind looked at. */
  function plan(): void {
    cancelPlan = undefined;
    if (!leading) return;
    const wanted = scannedKinds(core.cache.current.policies.values(), celPolicies(), core.resources());
    for (const [key, {scanner}] of scanners) {
      if (wanted.has(key)) continue;
      scanners.delete(key);
      void scanner.stop();
    }
    for (const [key, kind] of wanted) {
      let entry = scanners.get(key);
      if (entry === undefined || entry.kind.version !== kind.version) {
        if (entry !== undefined) void entry.scanner.stop();
        entry = {kind, scanner: createKindScanner({client, clock, log, kind, judge: object => judge(object, kind), onPass: outcome => passed(key, outcome)})};
        scanners.set(key, entry);
      }
      entry.scanner.pass();
    }
  }

  function* celPolicies() {
    for (const state of core.cel.cache.policies()) if (state.status === 'served') yield state.policy;
  }

  function passed(key: string, {objects, problem}: {readonly objects: number; readonly problem: string | undefined}): void {
    objectsGauge.set({resource: key}, objects);
    failedGauge.set({resource: key}, problem === undefined ? 0 : 1);
    if (problem === undefined) {
      problems.delete(key);
      log.v(1, `background scan of ${key} done`, {objects});
    } else if (problems.get(key) !== problem) {
      problems.set(key, problem);
      log.error(`background scan of ${key} failed: ${problem}`);
    }
  }

  async function judge(object: JsonObject, kind: KindInfo): Promise<void> {
    const request = existingObjectRequest(object, kind);
    const subject = subjectOf(request);
    if (subject === undefined) return;
    const {group, version} = kind;
    const where = {group, version, kind: kind.kind, subResource: '', namespace: request.namespace, name: request.name};
    if (flags.skipResourceFilters && core.filters().excludesResource(where)) {
      writer.replace(subject, [], isBackground);
      return;
    }
    const started = clock.monotonic();
    const deadline = clock.now() + judgeMs;
    const [classic, cel, mutated] = await Promise.all([
      core.engine.applyBackgroundChecks(request, {bucket: 'all', deadline}),
      core.cel.engine.validate(request, {phase: 'background', deadline}),
      core.cel.engine.mutate(request, {phase: 'background', deadline}),
    ]);
    const checks = await Promise.all(mutated.results.map(async result => asMutationCheck(result, mutated.patch.length > 0 && (await changes(request, result, deadline)))));
    const results: PolicyResult[] = [...classic.results, ...cel.results.map(withoutConditionSkips), ...checks];
    const seconds = (clock.monotonic() - started) / 1000;
    metrics.policyResults(request, results, {cause: 'background_scan', evaluated: seconds, applied: seconds});
    const isNews = flags.policyReports ? writer.replace(subject, resultsFor(results, settings), isBackground) : true;
    if (isNews) tell(request, results);
  }

  /** Whether this policy alone would change the object. */
  async function changes(request: EngineRequest, {policy}: PolicyResult, deadline: number): Promise<boolean> {
    const {patch} = await core.cel.engine.mutate(request, {phase: 'background', kind: policy.kind, names: [policy.name], deadline});
    return patch.length > 0;
  }

  function tell(request: Parameters<typeof policyEvents>[0]['request'], results: readonly PolicyResult[]): void {
    const {generateSuccessEvents, successEventActions} = core.config();
    const events = policyEvents({
      request,
      results,
      blocked: false,
      source: 'kyverno-scan',
      success: generateSuccessEvents,
      ...(successEventActions.length > 0 && {successActions: successEventActions}),
      uidOf: policy => (core.cel.cache.policy(policy.kind, policy.key) ?? core.cache.policy(policy.key))?.uid,
    });
    for (const event of events) core.events.emit(event);
  }

  /** Whose results a scan finds: those of policies that run in the background, and of policies that are no more. */
  function isBackground(stored: ReportResult): boolean {
    if (stored.source === 'kyverno') {
      const state = core.cache.policy(stored.policy);
      return state?.status !== 'served' || state.policy.source.spec.background;
    }
    const kind = kindOfSource.get(stored.source);
    if (kind === undefined) return false;
    const name = stored.policy.includes('/') ? `Namespaced${kind}` : kind;
    const state = core.cel.cache.policy(name, stored.policy);
    if (state?.status !== 'served') return true;
    const {source} = state.policy;
    return 'background' in source.spec && source.type !== 'generating' && source.spec.background;
  }

  function touch(): void {
    if (leading) cancelPlan ??= clock.schedule(settleMs, plan);
  }

  function everyInterval(): void {
    cancelInterval = clock.schedule(flags.backgroundScanInterval, () => {
      touch();
      everyInterval();
    });
  }

  async function end(): Promise<void> {
    cancelPlan?.();
    cancelPlan = undefined;
    cancelInterval?.();
    const running = [...scanners.values()];
    scanners.clear();
    await Promise.all(running.map(({scanner}) => scanner.stop()));
  }

  return {
    name: 'background scan',
    setLeading(now) {
      leading = now && flags.backgroundScan;
      if (leading) {
        touch();
        everyInterval();
      } else void end();
    },
    onPolicy: () => touch(),
    onCelPolicy: () => touch(),
    onException: () => touch(),
    onDiscovery: () => touch(),
    onConfig: () => touch(),
    async stop() {
      leading = false;
      await end();
    },
  };
}

const kindOfSource: ReadonlyMap<string, string> = new Map([
  ['KyvernoValidatingPolicy', 'ValidatingPolicy'],
  ['KyvernoMutatingPolicy', 'MutatingPolicy'],
  ['KyvernoImageValidatingPolicy', 'ImageValidatingPolicy'],
]);

/** A policy whose conditions do not hold has nothing to say of an object. */
function withoutConditionSkips(result: PolicyResult): PolicyResult {
  return {...result, rules: result.rules.filter(rule => rule.status !== 'skip' || (rule.exceptions ?? []).length > 0)};
}

/** An object that the policy would still change is one that it was never applied to. */
function asMutationCheck(result: PolicyResult, differs: boolean): PolicyResult {
  const rules = withoutConditionSkips(result).rules.map(rule =>
    rule.status === 'pass' && differs ? {...rule, rule: '', status: 'fail' as const, message: 'mutation is not applied'} : rule,
  );
  return {...result, rules};
}
