import {defaultLimits} from '../../engine/budget.js';
import {type CompiledCleanup, compileCleanupPolicy} from '../../engine/cleanup/compile-cleanup-policy.js';
import {loadCleanupPolicy} from '../../engine/cleanup/load-cleanup-policy.js';
import {parseSchedule, type Schedule} from '../../engine/cleanup/schedule.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import {scopeLoader} from '../../engine/context/scoped-loader.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import {CompileError, type Diagnostic, EvalError} from '../../engine/diagnostic.js';
import {textMapOf, textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {compileGlob} from '../../engine/values/glob.js';
import {createdAt} from '../created-at.js';
import type {Core} from '../feature.js';
import type {CleanupJob, CleanupTarget} from './cleanup-job.js';
import {readGuards} from './policy-annotations.js';

type JobTools = Pick<Core, 'loader' | 'regex' | 'resources' | 'environment' | 'flags' | 'clock'>;

export interface LoadedCleanup {
  readonly job: CleanupJob | undefined;
  readonly problems: readonly Diagnostic[];
}

/** A CleanupPolicy or ClusterCleanupPolicy as a job, or everything that is wrong with it. */
export function jobOfPolicy(raw: JsonObject, tools: JobTools): LoadedCleanup {
  const {policy, errors} = loadCleanupPolicy(raw, {resources: tools.resources()});
  if (policy === undefined) return {job: undefined, problems: errors};
  try {
    const cleanup = compileCleanupPolicy(policy);
    const {kind, namespace, name, key} = policy.ref;
    return {
      problems: [],
      job: jobOf(cleanup, {
        tools,
        id: `${kind}/${key}`,
        schedule: policy.schedule,
        raw,
        subject: {apiVersion: 'kyverno.io/v2', kind, namespace, name, uid: policy.uid},
      }),
    };
  } catch (error) {
    if (error instanceof CompileError) return {job: undefined, problems: [error.diagnostic]};
    throw error;
  }
}

/** The clean-ups in the rules of a ClusterPolicy or Policy. One without a schedule has the installation's. */
export function jobsOfRules(policy: CompiledPolicy, raw: JsonObject, tools: JobTools & {readonly defaultSchedule: Schedule}): CleanupJob[] {
  const {kind, namespace, name, key} = policy.ref;
  return policy.cleanups.map(cleanup =>
    jobOf(cleanup, {
      tools,
      id: `${kind}/${key}#${cleanup.rule}`,
      schedule: cleanup.schedule ?? tools.defaultSchedule,
      raw,
      subject: {apiVersion: 'kyverno.io/v1', kind, namespace, name, uid: textOf(ownPath(raw, 'metadata', 'uid'))},
    }),
  );
}

/** The default of rules without a schedule; a text that is none is told by `error`. */
export function defaultSchedule(text: string): Schedule {
  const parsed = parseSchedule(text);
  if ('schedule' in parsed) return parsed.schedule;
  throw new Error(`cleanupDefaultSchedule: ${JSON.stringify(text)} is no schedule: ${parsed.error}`);
}

interface JobParts {
  readonly tools: JobTools;
  readonly id: string;
  readonly schedule: Schedule;
  readonly raw: JsonObject;
  readonly subject: CleanupJob['policy'];
}

function jobOf(cleanup: CompiledCleanup, {tools, id, schedule, raw, subject}: JobParts): CleanupJob {
  const created = createdAt(raw);
  const {dryRun, maxShare, problem} = readGuards(textMapOf(ownPath(raw, 'metadata', 'annotations')));
  return {
    id,
    policy: subject,
    rule: cleanup.rule,
    schedule,
    created: Number.isNaN(created) ? tools.clock.now() : created,
    namespace: cleanup.namespace,
    propagation: cleanup.propagation,
    labelSelector: undefined,
    dryRun,
    maxShare,
    guardProblem: problem,
    targets: () => targetsOf(cleanup, tools),
    judge: () => judgeOf(cleanup, tools),
  };
}

/** What is looked up is looked up once for so many objects, and half the time that one has; then it is asked for anew. */
const objectsPerRun = 200;
const judgeMs = 30_000;

function judgeOf(cleanup: CompiledCleanup, {loader, regex, resources, environment, flags, clock}: JobTools) {
  const {namespace} = cleanup;
  const scoped = scopeLoader(loader, namespace === '' ? {kind: 'cluster'} : {kind: 'namespace', namespace}, {
    allowServiceCalls: flags.allowHTTPInNamespacedPolicies,
  });
  let run: RuleRun | undefined;
  let begun = 0;
  let judged = 0;

  function judge(object: JsonObject): MaybePromise<boolean> {
    const now = clock.now();
    // Lists, deletions and earlier objects take of the time, too: each object has at least half of it.
    if (run === undefined || judged >= objectsPerRun || now - begun >= judgeMs / 2) {
      const limits = {...defaultLimits, deadline: now + judgeMs};
      run = new RuleRun({loader: scoped, regex, limits, resources: resources(), operatorNamespace: environment.namespace});
      begun = now;
      judged = 0;
    }
    judged += 1;
    const current = run;
    current.startRule();
    return current.complete(() => cleanup.matches(object, current));
  }

  return async (object: JsonObject) => {
    try {
      return await judge(object);
    } catch (error) {
      // What was loaded for the objects before it may have left no room for this one.
      if (judged === 1 || !(error instanceof EvalError) || error.code !== 'budget') throw error;
      run = undefined;
      return await judge(object);
    }
  };
}

/** Each resource once, in the version that the cluster prefers where the policy names none. */
function targetsOf(cleanup: CompiledCleanup, {resources}: JobTools) {
  const found = new Map<string, CleanupTarget>();
  const unresolved: string[] = [];
  for (const selector of cleanup.kinds) {
    const [group, version, kind] = [compileGlob(selector.group), compileGlob(selector.version), compileGlob(selector.kind)];
    const infos = resources().all().filter(info => group(info.group) && version(info.version) && kind(info.kind));
    if (infos.length === 0) unresolved.push(selector.kind);
    for (const info of infos) {
      const key = `${info.group}/${info.resource}`;
      if (!found.has(key)) found.set(key, {group: info.group, version: info.version, resource: info.resource, kind: info.kind, namespaced: info.namespaced});
    }
  }
  return {found: [...found.values()], unresolved};
}
