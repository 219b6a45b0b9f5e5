import type {KubeClient} from '../../adapters/kube/types.js';
import type {BackgroundCore} from '../feature.js';
import {createMissingRights, type MissingRights} from '../generate/missing-rights.js';
import {createStateSync, type StateSync, type StateSyncOptions} from '../generate/state-sync.js';
import type {Troubles} from '../generate/troubles.js';
import {causeOf, errorsIn, MissingRight, Refused, textOfError} from '../generate/work-errors.js';
import {createWorkQueue, type WorkQueue} from '../manager/work-queue.js';
import {createExistingPass, type ExistingPass} from '../mutate-existing/existing-pass.js';
import {nameOfKey} from '../policies/policy-key.js';
import type {RequestWorker} from './request-worker.js';
import {type StateWork, type StateWorkKind, StateWorks} from './state-works.js';
import {isTooEarly} from './too-early.js';
import type {NamedObject} from './trigger.js';

const workers = 10;
const lookAgainMs = 60_000;
/** Work whose objects found no memory asks so often whether there is some. */
const roomAgainMs = 1_000;
const requestPrefix = 'ur|';

/** What this replica does while it is the one that works in the background: one queue, and what fills it. */
export interface BackgroundSession {
  readonly queue: WorkQueue;
  readonly state: StateSync;
  readonly rights: MissingRights;
  readonly existing: ExistingPass;
  /** An update request came or changed, or may go on. */
  request(key: string): void;
  /** The rules that generate look at a trigger; with a version: unless that has been looked at. */
  look(policyId: string, trigger: NamedObject, version?: string): void;
  end(): Promise<void>;
}

export interface SessionOptions {
  /** The process's own, which reads what rules look up; `core.client` is who changes objects. */
  readonly own: KubeClient;
  readonly core: Pick<BackgroundCore, 'client' | 'clock' | 'congestion' | 'share' | 'flags' | 'log' | 'resources' | 'findings' | 'searchRoom'>;
  readonly state: Omit<StateSyncOptions, 'core' | 'enqueue'>;
  readonly worker: RequestWorker;
  /** Does one work that the cluster's state asks for. */
  readonly run: (kind: StateWorkKind, work: StateWork, key: string) => Promise<unknown>;
  readonly isLooked: (work: StateWork, version: string) => boolean;
  /** Told of triggers that may not be listed. */
  readonly troubles: Pick<Troubles, 'report' | 'mended'>;
}

/** Others wait for what is made: of a storm of a thousand triggers, none waits ten seconds for this. */
const longestPauseMs = 20;

export function beginSession({core, own, state: stateOptions, worker, run, isLooked, troubles}: SessionOptions): BackgroundSession {
  const {client, clock, log, searchRoom} = core;
  const {families} = stateOptions;
  const works = new StateWorks();
  const queue = createWorkQueue({
    clock,
    concurrency: () => core.congestion.width(workers),
    firstRetryMs: 100,
    maxRetryMs: 60_000,
    laneOf,
    async run(key) {
      const pause = core.share.pause(longestPauseMs);
      if (pause !== undefined) await pause;
      if (!searchRoom.mayRun(key)) return queue.addAfter(key, roomAgainMs);
      await searchRoom.within(key, () => (key.startsWith(requestPrefix) ? runRequest(key) : runState(key)));
    },
    onError(key, error, retryInMs) {
      const fields = {work: key, error: textOfError(error), ...(retryInMs !== undefined && {retryInMs: Math.round(retryInMs)})};
      if (isTooEarly(error)) log.v(2, 'background: work comes too early and is tried again', fields);
      else log.warn('background: work failed and is tried again', fields);
    },
  });
  const look = (policyId: string, trigger: NamedObject, version?: string) => queue.add(works.ask('state', policyId, trigger, version));
  const state = createStateSync({...stateOptions, core, enqueue: look});
  const rights = createMissingRights({clients: {worker: client, process: own}, clock, log, onGranted: (_right, keys) => {
    for (const key of keys) queue.add(key);
  }});
  const existing = createExistingPass({core, families, troubles, enqueue: (policyId, trigger) => queue.add(works.ask('existing', policyId, trigger))});

  function laneOf(key: string): string {
    if (key.startsWith(requestPrefix)) return worker.laneOf(key.slice(requestPrefix.length));
    const policyId = works.get(key)?.policyId ?? '';
    return policyId.slice(policyId.indexOf('/') + 1);
  }

  async function runRequest(key: string): Promise<void> {
    const request = key.slice(requestPrefix.length);
    const again = await worker.run(request);
    core.findings.expected.over(nameOfKey(request));
    if (again !== undefined) queue.addAfter(key, again);
  }

  async function runState(key: string): Promise<void> {
    const work = works.get(key);
    if (work === undefined) return;
    if (work.unless !== undefined && isLooked(work, work.unless)) return works.drop(key);
    works.begin(key, work);
    try {
      await run(works.kindOf(key), work, key);
      works.end(key);
    } catch (error) {
      works.failed(key, work);
      if (!isParked(key, error)) throw error;
    }
  }

  /** Whether trying again soon would be in vain: a right is waited for, or a change of what the work is about. */
  function isParked(key: string, error: unknown): boolean {
    const causes = errorsIn(error).map(causeOf);
    const missing = causes.filter(cause => cause instanceof MissingRight);
    for (const right of missing) rights.park(right, key);
    if (missing.length === causes.length) return true;
    if (!causes.every(cause => cause instanceof Refused || cause instanceof MissingRight)) return false;
    // The change is heard of. Looked at again all the same, seldom.
    queue.addAfter(key, lookAgainMs);
    return true;
  }

  return {
    queue,
    state,
    rights,
    existing,
    request: key => queue.add(`${requestPrefix}${key}`),
    look,
    async end() {
      rights.stop();
      existing.stop();
      await Promise.all([queue.stop(), state.stop()]);
      works.clear();
      searchRoom.forget();
      core.findings.expected.clear();
    },
  };
}

/** Key of an update request in the queue. */
export function requestWork(key: string): string {
  return `${requestPrefix}${key}`;
}
