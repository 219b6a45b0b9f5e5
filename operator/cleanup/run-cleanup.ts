import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {EvalError} from '../../engine/diagnostic.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {FilteredResource} from '../../webhook/types.js';
import {createPacer, type Pacer} from '../scan/pacer.js';
import type {CleanupJob, CleanupProblem, CleanupReport, CleanupTarget} from './cleanup-job.js';

export interface RunOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Of the ConfigMap: objects that no policy sees. */
  readonly excluded: (resource: FilteredResource) => boolean;
  /** Objects that we made are not removed by clean-ups. */
  readonly protectManaged: boolean;
  /** False ends the run, for ever: this replica no longer leads, or the policy changed. */
  readonly goesOn: () => boolean;
  readonly onDeleted: (target: CleanupTarget, object: JsonObject) => void;
  /** No target: it is one of the whole run. */
  readonly onProblem: (message: string, target: CleanupTarget | undefined, object: JsonObject | undefined) => void;
}

const pageSize = 250;
/** A list that the server forgot is begun anew so often; what is gone stays gone. */
const listsPerKind = 3;
const problemsTold = 10;
/** Deletions under way at one time. */
const parallel = 5;

/**
 * Looks through all targets page by page and deletes what is to go. One forbidden kind, one object that cannot be judged
 * or deleted never ends the run. With a share limit, nothing is deleted before everything was looked at.
 */
export async function runCleanup(job: CleanupJob, options: RunOptions): Promise<CleanupReport> {
  const run = new Run(job, options);
  const {found, unresolved} = job.targets();
  if (job.guardProblem !== undefined) run.problem(job.guardProblem);
  for (const kind of unresolved) run.problem(`the cluster has no kind ${kind}`);
  for (const target of found) await run.look(target);
  await run.deleteHeld();
  return run.report();
}

/** What a problem concerns; nothing of it: the whole run. */
interface ProblemOf {
  readonly target?: CleanupTarget;
  readonly object?: JsonObject;
  readonly isForbidden?: boolean;
}

class Run {
  #looked = 0;
  #deleted = 0;
  #spared = 0;
  readonly #problemsOfRun: CleanupProblem[] = [];
  readonly #problems: CleanupProblem[] = [];
  readonly #forbidden = new Set<string>();
  readonly #held: Array<{readonly target: CleanupTarget; readonly object: JsonObject}> = [];
  readonly #judge: ReturnType<CleanupJob['judge']>;
  readonly #pacer: Pacer;

  constructor(
    readonly job: CleanupJob,
    readonly options: RunOptions,
  ) {
    this.#judge = job.judge();
    this.#pacer = createPacer(options.clock);
  }

  report(): CleanupReport {
    return {
      looked: this.#looked,
      deleted: this.#deleted,
      spared: this.#spared,
      problems: [...this.#problemsOfRun, ...this.#problems],
      forbidden: [...this.#forbidden].sort(),
    };
  }

  problem(message: string, {target, object, isForbidden = false}: ProblemOf = {}): void {
    if (target === undefined) this.#problemsOfRun.push({message, isForbidden});
    else if (this.#problems.length < problemsTold) this.#problems.push({message, isForbidden});
    this.options.onProblem(message, target, object);
  }

  async look(target: CleanupTarget): Promise<void> {
    if (this.job.namespace !== '' && !target.namespaced) {
      this.problem(`${target.resource} are cluster-scoped: a policy of a namespace does not reach them`, {target});
      return;
    }
    for (let tries = 1; await this.#list(target, tries === listsPerKind); tries += 1);
  }

  /** True: the list has to be begun anew. */
  async #list(target: CleanupTarget, isLast: boolean): Promise<boolean> {
    const {job, options} = this;
    const path = listPath(target, job.namespace);
    const [looked, held, spared] = [this.#looked, this.#held.length, this.#spared];
    let next: string | undefined;
    try {
      do {
        if (!options.goesOn()) return false;
        const query: Array<readonly [string, string]> = [['limit', String(pageSize)]];
        if (next !== undefined) query.push(['continue', next]);
        if (job.labelSelector !== undefined) query.push(['labelSelector', job.labelSelector]);
        const {body} = await options.client.request({method: 'GET', path, query});
        const items = ownPath(body, 'items');
        const objects = (Array.isArray(items) ? items : []) as JsonObject[];
        const apiVersion = target.group === '' ? target.version : `${target.group}/${target.version}`;
        await this.#page(target, objects.map(object => ({apiVersion, kind: target.kind, ...object})));
        next = textOf(ownPath(body, 'metadata', 'continue')) || undefined;
      } while (next !== undefined);
    } catch (error) {
      if (hasStatus(error, 410) && !isLast) {
        this.#looked = looked;
        this.#held.length = held;
        this.#spared = spared;
        return true;
      }
      const isForbidden = hasStatus(error, 403);
      if (isForbidden) this.#forbidden.add(`list ${nameOf(target)}`);
      this.problem(`failed to list ${nameOf(target)}: ${textOfError(error)}`, {target, isForbidden});
    }
    return false;
  }

  /** Judged one after another, so that what they look up is looked up once; deleted a few at a time. */
  async #page(target: CleanupTarget, objects: readonly JsonObject[]): Promise<void> {
    const selected: JsonObject[] = [];
    for (const object of objects) {
      if (!this.options.goesOn()) return;
      if (await this.#isToGo(target, object)) selected.push(namesOf(object));
      const pause = this.#pacer.turn();
      if (pause !== undefined) await pause;
    }
    if (this.job.dryRun) this.#spared += selected.length;
    else if (this.job.maxShare !== undefined) this.#held.push(...selected.map(object => ({target, object})));
    else await this.#deleteAll(selected.map(object => ({target, object})));
  }

  async #isToGo(target: CleanupTarget, object: JsonObject): Promise<boolean> {
    if (this.#isLeftAlone(target, object)) return false;
    this.#looked += 1;
    try {
      return await this.#judge(object);
    } catch (error) {
      const why = error instanceof EvalError ? error.message : `internal error: ${textOfError(error)}`;
      this.problem(`${shown(target, object)} cannot be judged: ${why}`, {target, object});
      return false;
    }
  }

  #isLeftAlone(target: CleanupTarget, object: JsonObject): boolean {
    if (ownPath(object, 'metadata', 'deletionTimestamp') !== undefined) return true;
    if (this.options.protectManaged && ownPath(object, 'metadata', 'labels', 'app.kubernetes.io/managed-by') === 'kyverno') return true;
    return this.options.excluded({
      group: target.group,
      version: target.version,
      kind: target.kind,
      subResource: '',
      namespace: textOf(ownPath(object, 'metadata', 'namespace')),
      name: textOf(ownPath(object, 'metadata', 'name')),
    });
  }

  async deleteHeld(): Promise<void> {
    const {maxShare} = this.job;
    // The share of what a run that was cut short looked at tells nothing.
    if (maxShare === undefined || this.#held.length === 0 || !this.options.goesOn()) return;
    const share = this.#held.length / this.#looked;
    if (share > maxShare) {
      this.#spared = this.#held.length;
      this.problem(`${this.#held.length} of ${this.#looked} objects would go, more than ${Math.round(maxShare * 100)} %: nothing was deleted`);
      return;
    }
    await this.#deleteAll(this.#held);
  }

  async #deleteAll(items: ReadonlyArray<{readonly target: CleanupTarget; readonly object: JsonObject}>): Promise<void> {
    for (let at = 0; at < items.length && this.options.goesOn(); at += parallel) {
      await Promise.all(items.slice(at, at + parallel).map(({target, object}) => this.#delete(target, object)));
    }
  }

  /** Of exactly the object that was judged: one that changed meanwhile is looked at in the next run. */
  async #delete(target: CleanupTarget, object: JsonObject): Promise<void> {
    const {group, version, resource} = target;
    const namespace = textOf(ownPath(object, 'metadata', 'namespace'));
    const name = textOf(ownPath(object, 'metadata', 'name'));
    try {
      await this.options.client.delete(
        {group, version, resource, namespace, name},
        {
          uid: textOf(ownPath(object, 'metadata', 'uid')) || undefined,
          resourceVersion: textOf(ownPath(object, 'metadata', 'resourceVersion')) || undefined,
          propagationPolicy: this.job.propagation,
        },
      );
      this.#deleted += 1;
      this.options.onDeleted(target, object);
    } catch (error) {
      if (hasStatus(error, 404) || hasStatus(error, 409)) return;
      const isForbidden = hasStatus(error, 403);
      if (isForbidden) this.#forbidden.add(`delete ${nameOf(target)}`);
      this.problem(`failed to delete ${shown(target, object)}: ${textOfError(error)}`, {target, object, isForbidden});
    }
  }
}

/** Enough to delete it and to tell of it: thousands may be held until everything was looked at. */
function namesOf(object: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
    const value = ownPath(object, 'metadata', field);
    if (value !== undefined) kept[field] = value;
  }
  return {metadata: kept};
}

function listPath({group, version, resource, namespaced}: CleanupTarget, namespace: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== '' ? `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}` : `${root}/${resource}`;
}

/** `pods`, `deployments.apps`. */
function nameOf({group, resource}: CleanupTarget): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function shown({kind}: CleanupTarget, object: JsonObject): string {
  const namespace = textOf(ownPath(object, 'metadata', 'namespace'));
  return [kind, ...(namespace === '' ? [] : [namespace]), textOf(ownPath(object, 'metadata', 'name'))].join('/');
}

function textOfError(error: unknown): string {
  return error instanceof KubeError ? error.message : String(error);
}
