import {Gauge} from 'prom-client';
import type {Reflector} from '../../adapters/kube/reflector.js';
import {deepEqual} from '../../engine/json/equal.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {EngineRequest, PolicyResult} from '../../engine/types.js';
import {policyEvents} from '../events/policy-events.js';
import type {BackgroundCore, Core, Feature} from '../feature.js';
import type {NativeJudge} from '../native-policies/native-judge.js';
import {type ReportSettings, resultsFor, subjectOf} from '../reports/admission-results.js';
import type {ReportWriter} from '../reports/report-writer.js';
import type {Standing} from '../reports/standing.js';
import type {Who} from '../reports/who.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import {createOwnRights} from '../permissions/own-rights.js';
import {createKindScanner, type KindScanner} from './kind-scanner.js';
import {createPacer} from './pacer.js';
import {judgesEverything, scannedByCel, scannedByClassic, scannedByNative} from './scan-kinds.js';
import {createTurns} from './turns.js';

const judgeMs = 30_000;
const settleMs = 500;
/** Rights that kinds wait for are asked after so often, and less and less. */
const firstAskMs = 5_000;
const longestAskMs = 60_000;

export interface ScanTools {
  readonly writer: ReportWriter;
  readonly settings: ReportSettings;
  readonly standing: () => Standing;
  readonly native: NativeJudge;
}

/** What one policy has looked through. */
interface Bearing {
  readonly kinds: ReadonlyMap<string, KindInfo>;
  /** It judges whatever is looked through for others, too. */
  readonly everything: boolean;
}

/** Judges objects that are there by policies of the background, on the leader: at an interval, and whatever changes. */
export function createScanFeature(core: BackgroundCore, {writer, settings, standing, native}: ScanTools): Feature {
  const {client, clock, log, flags, metrics} = core;
  const scanners = new Map<string, {readonly scanner: KindScanner; readonly kind: KindInfo}>();
  const problems = new Map<string, string>();
  /** When each kind was last looked through, or when that was first wanted. */
  const looked = new Map<string, number>();
  /** Kinds of each policy as of the last plan, by `kind/key`. */
  let planned: ReadonlyMap<string, Bearing> = new Map();
  /** Policies that changed since; `all`: something that every result may hang on. */
  let touched: Set<string> | 'all' = 'all';
  const pacer = createPacer(clock, core.share);
  const turns = createTurns(flags.backgroundScanWorkers);
  // Of whom the scan acts as, which need not be the admission's account.
  const rights = createOwnRights({client, clock, log, pauseMs: firstAskMs / 2});
  let askMs = firstAskMs;
  let cancelAsk: (() => void) | undefined;
  let leading = false;
  let cancelPlan: (() => void) | undefined;
  let cancelInterval: (() => void) | undefined;
  let unsubscribe: (() => void) | undefined;
  /** Whose results a scan finds, by the policies of now. */
  let isScanned: ((who: Who) => boolean) | undefined;
  const objectsGauge = new Gauge({
    name: 'kyverno_background_scan_objects',
    help: 'Objects of the last whole scan of a kind',
    labelNames: ['resource'],
    registers: [metrics.registry],
  });
  const failedGauge = new Gauge({
    name: 'kyverno_background_scan_failed',
    help: 'Whether the last whole scan of a kind failed',
    labelNames: ['resource'],
    registers: [metrics.registry],
  });
  new Gauge({
    name: 'kyverno_background_scan_age_seconds',
    help: 'Time since each kind was last looked through whole',
    labelNames: ['resource'],
    registers: [metrics.registry],
    collect() {
      this.reset();
      for (const [resource, at] of looked) this.set({resource}, (clock.now() - at) / 1000);
    },
  });

  /** Starts and ends scanners as policies and kinds come and go, and has looked at again what changes bear on. */
  async function plan(): Promise<void> {
    await rights.refresh();
    cancelPlan = undefined;
    if (!leading) return;
    let waiting = false;
    const before = planned;
    const next = kindsOfPolicies();
    const wanted = new Map<string, KindInfo>();
    for (const {kinds} of next.values()) for (const [key, kind] of kinds) if (!wanted.has(key)) wanted.set(key, kind);
    const changed = touched === 'all' ? undefined : [...touched].flatMap(id => [before.get(id), next.get(id)]);
    const again =
      changed === undefined || changed.some(bearing => bearing?.everything === true)
        ? new Set(wanted.keys())
        : new Set(changed.flatMap(bearing => [...(bearing?.kinds.keys() ?? [])]));
    planned = next;
    touched = new Set();
    for (const [key, {scanner}] of scanners) {
      if (wanted.has(key)) continue;
      drop(key);
      void scanner.stop();
    }
    for (const [key, kind] of wanted) {
      const entry = scanners.get(key);
      if (entry?.kind.version === kind.version) {
        if (again.has(key)) entry.scanner.pass();
        continue;
      }
      void entry?.scanner.stop();
      if (rights.can('list', kind.group, kind.resource) === false) {
        if (entry !== undefined) drop(key);
        waiting = true;
        passed(key, {objects: 0, problem: `the right to list ${kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`} is missing`});
        continue;
      }
      looked.set(key, clock.now());
      const scanner = createKindScanner({
        client,
        clock,
        log,
        kind,
        pacer,
        turns,
        judge: (object, readAt) => judge(object, kind, readAt),
        onPass: outcome => passed(key, outcome),
      });
      scanners.set(key, {kind, scanner});
    }
    if (waiting) askAgain();
  }

  /** Kinds that nobody may list are not asked for: what is granted later is found by asking for the rights. */
  function askAgain(): void {
    cancelAsk ??= clock.schedule(askMs, () => {
      cancelAsk = undefined;
      askMs = Math.min(2 * askMs, longestAskMs);
      void rights.refresh().then(changed => {
        if (!leading) return;
        if (changed) schedulePlan();
        else askAgain();
      });
    });
  }

  function schedulePlan(): void {
    cancelPlan ??= clock.schedule(settleMs, () => void plan());
  }

  function kindsOfPolicies(): Map<string, Bearing> {
    const found = new Map<string, Bearing>();
    for (const policy of core.cache.current.policies.values()) {
      found.set(idOf(policy.ref.kind, policy.ref.key), {
        kinds: scannedByClassic(policy, core.resources()),
        everything: judgesEverything(policy),
      });
    }
    for (const state of core.cel.cache.policies()) {
      if (state.status === 'served')
        found.set(idOf(state.policy.ref.kind, state.policy.ref.key), {
          kinds: scannedByCel(state.policy, core.resources()),
          everything: false,
        });
    }
    for (const [id, policy] of native.policies())
      found.set(id, {kinds: scannedByNative(policy, core.resources()), everything: false});
    return found;
  }

  /** Nothing is left of a kind that is not scanned any more. */
  function drop(key: string): void {
    scanners.delete(key);
    problems.delete(key);
    looked.delete(key);
    objectsGauge.remove({resource: key});
    failedGauge.remove({resource: key});
  }

  function passed(
    key: string,
    {objects, problem}: {readonly objects: number; readonly problem: string | undefined},
  ): void {
    failedGauge.set({resource: key}, problem === undefined ? 0 : 1);
    if (problem === undefined) {
      objectsGauge.set({resource: key}, objects);
      looked.set(key, clock.now());
      problems.delete(key);
      log.v(1, `background scan of ${key} done`, {objects});
    } else if (problems.get(key) !== problem) {
      problems.set(key, problem);
      log.error(`background scan of ${key} failed: ${problem}`);
    }
  }

  async function judge(object: JsonObject, kind: KindInfo, readAt: number): Promise<void> {
    const request = existingObjectRequest(object, kind);
    const subject = subjectOf(request);
    if (subject === undefined) return;
    const {group, version} = kind;
    const where = {group, version, kind: kind.kind, subResource: '', namespace: request.namespace, name: request.name};
    const room = writer.room();
    if (room !== undefined) await room;
    if (!flags.skipResourceFilters && core.filters().excludesResource(where)) {
      writer.replace(subject, [], covers, readAt);
      return;
    }
    const started = clock.monotonic();
    const deadline = clock.now() + judgeMs;
    const fetchImages = flags.backgroundScanImages;
    const [classic, cel, mutated, natives] = await Promise.all([
      core.engine.applyBackgroundChecks(request, {bucket: 'all', deadline, fetchImages}),
      core.cel.engine.validate(request, {phase: 'background', deadline, fetchImages}),
      core.cel.engine.mutate(request, {phase: 'background', deadline}),
      native.judge(request, deadline),
    ]);
    const checks = await Promise.all(
      mutated.results.map(async result =>
        asMutationCheck(result, mutated.patch.length > 0 && (await changes(request, result, deadline))),
      ),
    );
    const results: PolicyResult[] = [
      ...classic.results,
      ...cel.results.map(withoutConditionSkips),
      ...checks,
      ...natives.map(withoutConditionSkips),
    ];
    const seconds = (clock.monotonic() - started) / 1000;
    metrics.policyResults(request, results, {cause: 'background_scan', evaluated: seconds, applied: seconds});
    const isNews = flags.policyReports ? writer.replace(subject, resultsFor(results, settings), covers, readAt) : true;
    if (isNews) tell(request, results);
  }

  /** Whether this policy alone would change the object. */
  async function changes(request: EngineRequest, {policy}: PolicyResult, deadline: number): Promise<boolean> {
    const {patch} = await core.cel.engine.mutate(request, {
      phase: 'background',
      kind: policy.kind,
      names: [policy.name],
      deadline,
    });
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
      uidOf: policy =>
        native.uidOf(policy.kind, policy.name) ??
        (core.cel.cache.policy(policy.kind, policy.key) ?? core.cache.policy(policy.key))?.uid,
    });
    for (const event of events) core.events.emit(event);
  }

  function covers(who: Who): boolean {
    isScanned ??= memoized(standing().isScanned);
    return isScanned(who);
  }

  function touch(policy?: string): void {
    isScanned = undefined;
    if (policy === undefined) touched = 'all';
    else if (touched !== 'all') touched.add(policy);
    if (!leading) return;
    askMs = firstAskMs;
    schedulePlan();
  }

  function everyInterval(): void {
    cancelInterval = clock.schedule(flags.backgroundScanInterval, () => {
      touch();
      everyInterval();
    });
  }

  /** What selectors see of a namespace bears on everything in it. */
  function watchCircumstances(): void {
    const namespaces = namespacesOf(core)?.subscribe((name, now, before) => {
      if (now === undefined || before === undefined) return;
      if (deepEqual(ownPath(now, 'metadata', 'labels') ?? null, ownPath(before, 'metadata', 'labels') ?? null)) return;
      for (const {scanner} of scanners.values()) scanner.passIn(name);
    });
    // What a policy said while it was kept away was none of its own.
    const freed = core.quarantined.subscribe((policy, state) => {
      if (state === undefined) touch(idOf(policy.kind, policy.key));
    });
    const natives = native.subscribe(id => touch(id));
    const judges = core.native.subscribe((kind, key) => touch(idOf(kind, key)));
    unsubscribe = () => {
      natives();
      judges();
      namespaces?.();
      freed();
    };
  }

  async function end(): Promise<void> {
    cancelPlan?.();
    cancelPlan = undefined;
    cancelAsk?.();
    cancelAsk = undefined;
    cancelInterval?.();
    cancelInterval = undefined;
    unsubscribe?.();
    unsubscribe = undefined;
    touched = 'all';
    planned = new Map();
    const running = [...scanners];
    for (const [key] of running) drop(key);
    await Promise.all(running.map(([, {scanner}]) => scanner.stop()));
  }

  return {
    name: 'background scan',
    setLeading(now) {
      const before = leading;
      leading = now && flags.backgroundScan;
      if (leading === before) return;
      if (leading) {
        watchCircumstances();
        touch();
        everyInterval();
      } else void end();
    },
    onPolicy: (kind, key) => touch(idOf(kind, key)),
    onCelPolicy: (kind, key) => touch(idOf(kind, key)),
    onException: () => touch(),
    onDiscovery: () => touch(),
    onConfig: () => touch(),
    async stop() {
      leading = false;
      await end();
    },
  };
}

function idOf(kind: string, key: string): string {
  return `${kind}/${key}`;
}

/** Set-ups without the whole process mirror no namespaces. */
function namespacesOf(core: Core): Reflector | undefined {
  try {
    return core.manager.reflector('namespaces');
  } catch {
    return undefined;
  }
}

/** Equal askers are one object. */
function memoized(ask: (who: Who) => boolean): (who: Who) => boolean {
  const answers = new Map<Who, boolean>();
  return who => {
    const known = answers.get(who);
    if (known !== undefined) return known;
    const answer = ask(who);
    answers.set(who, answer);
    return answer;
  };
}

/** A policy whose conditions do not hold has nothing to say of an object. */
function withoutConditionSkips(result: PolicyResult): PolicyResult {
  return {...result, rules: result.rules.filter(rule => rule.status !== 'skip' || (rule.exceptions ?? []).length > 0)};
}

/** An object that the policy would still change is one that it was never applied to; what it leaves out is told, too. */
function asMutationCheck(result: PolicyResult, differs: boolean): PolicyResult {
  const rules = result.rules.map(rule => {
    if (rule.status === 'pass' && differs)
      return {...rule, rule: '', status: 'fail' as const, message: 'mutation is not applied'};
    return rule.status === 'skip' && (rule.exceptions ?? []).length === 0 ? {...rule, rule: '', message: 'skip'} : rule;
  });
  return {...result, rules};
}
