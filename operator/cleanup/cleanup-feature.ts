import {Counter} from 'prom-client';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {textMapOf, textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {celResourceKey} from '../cel-policies/cel-kinds.js';
import type {EventSubject, PolicyEvent} from '../events/event.js';
import type {Core, Feature} from '../feature.js';
import {policyResources} from '../policies/policy-handlers.js';
import {type Condition, mergeConditions, timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';
import {defaultSchedule, jobOfPolicy, jobsOfRules} from './classic-jobs.js';
import {conditionsBeside, guardConditions, guardType, isOfRule, ruleConditions, runConditions, runTypes} from './cleanup-conditions.js';
import type {CleanupJob, CleanupReport, CleanupTarget} from './cleanup-job.js';
import {createCleanupScheduler} from './cleanup-scheduler.js';
import {jobOfDeletingPolicy} from './deleting-jobs.js';
import {readGuards} from './policy-annotations.js';
import {runCleanup} from './run-cleanup.js';

const kinds = [
  {key: 'cleanuppolicies', kind: 'CleanupPolicy', namespaced: true},
  {key: 'clustercleanuppolicies', kind: 'ClusterCleanupPolicy', namespaced: false},
] as const;

/** Removes what clean-up policies, and clean-ups in rules, say: on the leader, by schedule. */
export function createCleanupFeature(core: Core): Feature {
  const {client, clock, log, manager, cache, flags} = core;
  const fallback = defaultSchedule(flags.cleanupDefaultSchedule);
  const metrics = cleanupMetrics(core);
  /** Last runs that this process knows of; the status has those of others. */
  const ran = new Map<string, number>();
  const reports = new Map<string, CleanupReport>();
  let isStopping = false;

  const scheduler = createCleanupScheduler({
    clock,
    run,
    lastRun: job => latest(ran.get(job.id), storedRun(job)),
    onError: (id, error) => log.error(`clean-up ${id} failed`, {error: String(error)}),
  });

  async function run(job: CleanupJob): Promise<void> {
    const started = clock.now();
    let isWhole = true;
    log.v(1, `clean-up ${job.id} runs`, {schedule: job.schedule.text, dryRun: job.dryRun});
    const report = await runCleanup(job, {
      client: core.worker,
      clock,
      excluded: resource => core.filters().excludesResource(resource),
      protectManaged: flags.protectManagedResources,
      goesOn: () => (isWhole &&= !isStopping && core.isLeading() && scheduler.job(job.id) === job),
      onDeleted(target, object) {
        metrics.deleted(job, target, object);
        const note = `successfully cleaned up the target resource ${shown(target, object)}`;
        emit(job, {reason: 'PolicyApplied', action: 'Resource Cleaned Up', note, related: subjectOf(target, object)});
      },
      onProblem(message, target, object) {
        if (target !== undefined) metrics.failed(job, target, object);
        tellProblem(job, message, target !== undefined && object !== undefined ? subjectOf(target, object) : undefined);
      },
    });
    if (!isWhole) {
      // Not told as a run: what is left goes as soon as somebody leads, not when the schedule next says so.
      log.info(`clean-up ${job.id} was cut short`, {looked: report.looked, deleted: report.deleted});
      return;
    }
    ran.set(job.id, started);
    reports.set(job.id, report);
    log.info(`clean-up ${job.id} ran`, {looked: report.looked, deleted: report.deleted, spared: report.spared, problems: report.problems.length});
    await writeRun(job, started, report);
  }

  function emit(job: CleanupJob, event: Pick<PolicyEvent, 'reason' | 'action' | 'note' | 'related'>): void {
    core.events.emit({regarding: job.policy, source: 'kyverno-cleanup', ...event});
  }

  function tellProblem(job: CleanupJob, message: string, related?: EventSubject): void {
    const note = `policy ${keyOf(job)} error: ${message}`;
    log.error(`clean-up ${job.id}: ${note}`);
    emit(job, {reason: 'PolicyError', action: 'None', note, ...(related !== undefined && {related})});
  }

  function storedRun(job: CleanupJob): number | undefined {
    const object = storedPolicy(job);
    const text =
      job.rule === ''
        ? ownPath(object, 'status', 'lastExecutionTime')
        : runsOfRules(ownPath(object, 'status', 'cleanup')).find(item => item.rule === job.rule)?.lastExecutionTime;
    const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  }

  function storedPolicy(job: CleanupJob): JsonObject | undefined {
    return manager.lister(resourceOf(job)).get(keyOf(job));
  }

  async function writeRun(job: CleanupJob, at: number, report: CleanupReport): Promise<void> {
    const cached = storedPolicy(job);
    if (cached === undefined) return;
    const time = timestamp(at);
    await writeStatus(
      client,
      manager.ref(resourceOf(job), keyOf(job)),
      object => {
        const status = statusObject(object);
        // Of the kinds written in CEL, the rest of the status is another's.
        if (isDeletingPolicy(job)) return {...status, lastExecutionTime: time, conditions: deletingConditions(object, job, report)};
        if (job.rule === '') return {...policyStatus(object, [], report), lastExecutionTime: time};
        const others = runsOfRules(own(status, 'cleanup')).filter(item => item.rule !== job.rule);
        const wanted = ruleConditions(job.rule, report);
        const conditions = conditionsBeside(object, {isMine: type => isOfRule(job.rule, type), wanted, now: timestamp(clock.now())});
        const runs = [...others, {rule: job.rule, lastExecutionTime: time}].sort((a, b) => (a.rule < b.rule ? -1 : 1));
        return {...status, cleanup: runs, conditions};
      },
      {cached},
    );
  }

  function deletingConditions(object: JsonObject, job: CleanupJob, report: CleanupReport): JsonObject[] {
    const wanted = [...guardConditions(job.guardProblem), ...runConditions(report)];
    return conditionsBeside(object, {isMine: type => type === guardType || runTypes.has(type), wanted, now: timestamp(clock.now())});
  }

  /** Of a clean-up policy. */
  function policyStatus(object: JsonObject, problems: readonly string[], report: CleanupReport | undefined): JsonObject {
    const status = statusObject(object);
    const generation = ownPath(object, 'metadata', 'generation');
    const observed = typeof generation === 'number' ? generation : 0;
    const guards = readGuards(textMapOf(ownPath(object, 'metadata', 'annotations')));
    const wanted: Condition[] = [readyCondition(problems), ...guardConditions(guards.problem)];
    if (report !== undefined) wanted.push(...runConditions(report));
    else wanted.push(...keptConditions(own(status, 'conditions')));
    return {...status, observedGeneration: observed, conditions: mergeConditions(own(status, 'conditions'), {wanted, generation: observed, now: timestamp(clock.now())})};
  }

  async function reconcile(kind: (typeof kinds)[number], key: string): Promise<void> {
    const raw = manager.lister(kind.key).get(key);
    const id = `${kind.kind}/${key}`;
    if (raw === undefined) {
      if (scheduler.job(id) !== undefined) log.info(`clean-up policy ${key} deleted`, {kind: kind.kind});
      scheduler.drop(id);
      ran.delete(id);
      return;
    }
    const {job, problems} = jobOfPolicy(raw, core);
    const texts = problems.map(formatDiagnostic);
    if (job === undefined) {
      scheduler.drop(id);
      log.error(`clean-up policy ${key} failed to load and is not served: ${texts.join('; ')}`, {kind: kind.kind});
    } else if (!isKnown(job)) {
      scheduler.put(job);
      log.info(`clean-up policy ${key} accepted`, {kind: kind.kind, schedule: job.schedule.text});
    }
    await writeStatus(client, manager.ref(kind.key, key), object => policyStatus(object, texts, reports.get(id)), {cached: raw});
  }

  const versions = new Map<string, string>();
  /** A status write is no new job. */
  function isKnown(job: CleanupJob): boolean {
    const object = storedPolicy(job);
    const version = JSON.stringify([ownPath(object, 'metadata', 'uid'), ownPath(object, 'metadata', 'generation'), ownPath(object, 'metadata', 'annotations')] as Json[]);
    const known = versions.get(job.id) === version && scheduler.job(job.id) !== undefined;
    versions.set(job.id, version);
    return known;
  }

  /** Guards that cannot be read are told at once: the first run may be a month away. */
  function put(job: CleanupJob): void {
    scheduler.put(job);
    if (job.guardProblem !== undefined && core.isLeading()) tellProblem(job, job.guardProblem);
  }

  function putRules(kind: 'ClusterPolicy' | 'Policy', key: string): void {
    const prefix = `${kind}/${key}#`;
    const wanted = new Map<string, CleanupJob>();
    const state = cache.policy(key);
    const raw = manager.lister(policyResources[kind]).get(key);
    if (state?.status === 'served' && raw !== undefined) {
      for (const job of jobsOfRules(state.policy, raw, {...core, defaultSchedule: fallback})) wanted.set(job.id, job);
    }
    for (const {id} of [...scheduler.jobs()]) if (id.startsWith(prefix) && !wanted.has(id)) scheduler.drop(id);
    for (const job of wanted.values()) put(job);
  }

  return {
    name: 'clean-up',
    registrations: kinds.map(kind => ({
      key: kind.key,
      group: 'kyverno.io',
      version: 'v2',
      resource: kind.key,
      namespaced: kind.namespaced,
      optional: true,
      leaderOnly: true,
      reconcile: (key: string) => reconcile(kind, key),
    })),
    onPolicy: (kind, key) => putRules(kind, key),
    onCelPolicy(kind, key, state) {
      if (!kind.endsWith('DeletingPolicy')) return;
      const policy = state?.status === 'served' ? state.policy.source : undefined;
      const job = policy?.type === 'deleting' ? jobOfDeletingPolicy(policy, {...core, engine: core.cel.engine}) : undefined;
      if (job === undefined) scheduler.drop(`${kind}/${key}`);
      else put(job);
    },
    setLeading: leading => scheduler.setLeading(leading),
    stop() {
      isStopping = true;
      return scheduler.stop();
    },
  };
}

/** Policies written in CEL have series of their own, with the plural `resource` in place of the kind. */
function cleanupMetrics(core: Core) {
  const registers = [core.metrics.registry];
  const policyLabels = ['policy_type', 'policy_namespace', 'policy_name'];
  const series = (controller: 'cleanup' | 'deleting', what: 'resource_kind' | 'resource') => {
    const labelNames = [...policyLabels, what, 'resource_namespace'];
    return {
      what,
      deleted: new Counter({
        name: `kyverno_${controller}_controller_deletedobjects_total`,
        help: 'Objects that clean-ups deleted',
        labelNames: [...labelNames, 'deletion_propagation'],
        registers,
      }),
      errors: new Counter({
        name: `kyverno_${controller}_controller_errors_total`,
        help: 'What clean-ups could not judge, list or delete',
        labelNames,
        registers,
      }),
    };
  };
  const cleanup = series('cleanup', 'resource_kind');
  const deleting = series('deleting', 'resource');
  const seriesOf = (job: CleanupJob) => (job.policy.kind.endsWith('DeletingPolicy') ? deleting : cleanup);
  const labels = (job: CleanupJob, target: CleanupTarget, object: JsonObject | undefined) => ({
    policy_type: job.policy.namespace === '' ? 'cluster' : 'namespaced',
    policy_namespace: job.policy.namespace === '' ? '-' : job.policy.namespace,
    policy_name: job.policy.name,
    [seriesOf(job).what]: seriesOf(job) === deleting ? target.resource : target.kind,
    resource_namespace: textOf(ownPath(object, 'metadata', 'namespace')),
  });
  return {
    deleted: (job: CleanupJob, target: CleanupTarget, object: JsonObject) =>
      seriesOf(job).deleted.inc({...labels(job, target, object), deletion_propagation: job.propagation ?? ''}),
    failed: (job: CleanupJob, target: CleanupTarget, object: JsonObject | undefined) => seriesOf(job).errors.inc(labels(job, target, object)),
  };
}

function readyCondition(problems: readonly string[]): Condition {
  return problems.length === 0
    ? {type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Ready'}
    : {type: 'Ready', status: 'False', reason: 'Failed', message: `Not Ready: ${problems.join('; ')}`};
}

/** Those of runs stay until the next run. */
function keptConditions(conditions: Json | undefined): Condition[] {
  return (Array.isArray(conditions) ? conditions : [])
    .filter(condition => runTypes.has(textOf(ownPath(condition, 'type'))))
    .map(condition => condition as unknown as Condition);
}

interface RuleTime {
  readonly rule: string;
  readonly lastExecutionTime: string;
}

function runsOfRules(value: Json | undefined): Array<RuleTime & JsonObject> {
  return (Array.isArray(value) ? value : []).filter(isObject).map(item => ({rule: textOf(own(item, 'rule')), lastExecutionTime: textOf(own(item, 'lastExecutionTime'))}));
}

function statusObject(object: JsonObject): JsonObject {
  const status = own(object, 'status');
  return isObject(status) ? status : {};
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

/** `name` or `namespace/name` of a job's policy. */
function keyOf({policy}: CleanupJob): string {
  return policy.namespace === '' ? policy.name : `${policy.namespace}/${policy.name}`;
}

function isDeletingPolicy({policy}: CleanupJob): boolean {
  return policy.kind.endsWith('DeletingPolicy');
}

function resourceOf(job: CleanupJob): string {
  const {policy} = job;
  if (isDeletingPolicy(job)) return celResourceKey(policy.kind);
  const own = kinds.find(({kind}) => kind === policy.kind)?.key;
  return own ?? (policy.kind === 'Policy' ? policyResources.Policy : policyResources.ClusterPolicy);
}

function subjectOf(target: CleanupTarget, object: JsonObject) {
  return {
    apiVersion: target.group === '' ? target.version : `${target.group}/${target.version}`,
    kind: target.kind,
    namespace: textOf(ownPath(object, 'metadata', 'namespace')),
    name: textOf(ownPath(object, 'metadata', 'name')),
    uid: textOf(ownPath(object, 'metadata', 'uid')),
  };
}

function shown(target: CleanupTarget, object: JsonObject): string {
  const namespace = textOf(ownPath(object, 'metadata', 'namespace'));
  return [target.kind, ...(namespace === '' ? [] : [namespace]), textOf(ownPath(object, 'metadata', 'name'))].join('/');
}
