import type {Json, JsonObject} from '../../engine/json/types.js';
import {own, ownPath} from '../../engine/json/types.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {loadGlobalContextEntry} from '../../engine/global-context/load-entry.js';
import type {Core, Feature} from '../feature.js';
import {type Condition, mergeConditions, timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';
import {type RunningSource, startSource} from './entry-source.js';
import type {EntryStore} from './entry-store.js';

export const globalContextKey = 'globalcontextentries';

interface Running {
  readonly uid: string;
  readonly generation: number;
  readonly source: RunningSource | undefined;
  /** There was no room for it: tried again. */
  readonly waits: boolean;
  outcome: {readonly at: number; readonly error?: string} | undefined;
}

/** Keeps the values of GlobalContextEntries, on every replica; the leader writes their status. */
export function createGlobalContextFeature(core: Core, store: EntryStore): Feature {
  const {client, clock, log, manager, flags} = core;
  const running = new Map<string, Running>();

  async function reconcile(name: string): Promise<void> {
    const raw = manager.lister(globalContextKey).get(name);
    const before = running.get(name);
    if (raw === undefined) {
      running.delete(name);
      await before?.source?.stop();
      if (before !== undefined) log.info(`global context entry ${name} deleted`);
      return;
    }
    const {entry, errors} = loadGlobalContextEntry(raw);
    const generation = generationOf(raw);
    const uid = String(ownPath(raw, 'metadata', 'uid') ?? '');
    if (before === undefined || before.uid !== uid || before.generation !== generation || before.waits) {
      await before?.source?.stop();
      const full = isFull(name);
      const problem = errors.length > 0 ? errors.map(formatDiagnostic).join('; ') : full;
      const waits = errors.length === 0 && full !== undefined;
      const next: Running = {
        uid,
        generation,
        waits,
        outcome: problem === undefined ? undefined : {at: clock.now(), error: problem},
        source: entry === undefined || problem !== undefined ? undefined : startSource(entry, sourceOptions()),
      };
      running.set(name, next);
      if (problem !== undefined) {
        store.put(name, {error: problem});
        log.error(`global context entry ${name} failed to load: ${problem}`);
        if (waits) manager.enqueueAfter(globalContextKey, name, 60_000);
      } else log.info(`global context entry ${name} accepted`);
    }
    if (core.isLeading()) await tell(name, raw);
  }

  function isFull(name: string): string | undefined {
    const limit = flags.maxGlobalContextEntries;
    const others = [...running].filter(([other, {source}]) => other !== name && source !== undefined).length;
    return limit > 0 && others >= limit ? `no more than ${limit} global context entries are kept (maxGlobalContextEntries)` : undefined;
  }

  function sourceOptions() {
    return {
      client,
      clock,
      log,
      loader: core.loader,
      project: () => ({loader: core.loader, regex: core.regex, resources: core.resources()}),
      store,
      callTimeoutMs: flags.apiCallTimeout > 0 ? flags.apiCallTimeout : 30_000,
      onOutcome(name: string, outcome: {readonly at: number; readonly error?: string}) {
        const entry = running.get(name);
        if (entry === undefined) return;
        const changed = entry.outcome?.error !== outcome.error || entry.outcome === undefined;
        entry.outcome = outcome;
        if (outcome.error !== undefined && changed) warn(name, outcome.error);
        manager.enqueue(globalContextKey, name);
      },
    };
  }

  function warn(name: string, error: string): void {
    log.error(`global context entry ${name} failed: ${error}`);
    const raw = manager.lister(globalContextKey).get(name);
    core.events.emit({
      regarding: {apiVersion: 'kyverno.io/v2beta1', kind: 'GlobalContextEntry', namespace: '', name, uid: String(ownPath(raw, 'metadata', 'uid') ?? '')},
      reason: 'PolicyError',
      action: 'None',
      note: `global context entry ${name} failed: ${error}`,
      source: 'kyverno-admission',
    });
  }

  async function tell(name: string, cached: JsonObject): Promise<void> {
    const entry = running.get(name);
    if (entry?.outcome === undefined) return;
    await writeStatus(client, manager.ref(globalContextKey, name), object => statusOf(object, entry), {cached});
  }

  function statusOf(object: JsonObject, {uid, generation, outcome}: Running): JsonObject | undefined {
    if (outcome === undefined || generationOf(object) !== generation || ownPath(object, 'metadata', 'uid') !== uid) return undefined;
    const before = statusObject(own(object, 'status'));
    const ready: Condition =
      outcome.error === undefined
        ? {type: 'Ready', status: 'True', reason: 'Succeeded', message: 'the value is at hand'}
        : {type: 'Ready', status: 'False', reason: 'Failed', message: outcome.error};
    const conditions = mergeConditions(own(before, 'conditions'), {wanted: [ready], generation, now: timestamp(clock.now())});
    const {ready: _former, ...kept} = before;
    return {...kept, ...(outcome.error === undefined && {lastRefreshTime: timestamp(outcome.at)}), observedGeneration: generation, conditions};
  }

  return {
    name: 'global context',
    registrations: [
      {
        key: globalContextKey,
        group: 'kyverno.io',
        version: 'v2beta1',
        resource: 'globalcontextentries',
        namespaced: false,
        optional: true,
        reconcile,
      },
    ],
    setLeading(leading) {
      if (leading) manager.enqueueAll(globalContextKey);
    },
    async stop() {
      await Promise.all([...running.values()].map(({source}) => source?.stop()));
    },
  };
}

function statusObject(status: Json | undefined): JsonObject {
  return typeof status === 'object' && status !== null && !Array.isArray(status) ? (status as JsonObject) : {};
}

function generationOf(object: JsonObject): number {
  const generation = ownPath(object, 'metadata', 'generation');
  return typeof generation === 'number' ? generation : 0;
}
