import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {Core} from '../feature.js';
import type {Troubles} from '../generate/troubles.js';
import {MissingRight, writeFailure} from '../generate/work-errors.js';
import type {BackgroundFamily, BackgroundPolicy} from '../update-requests/background-policy.js';
import type {NamedObject} from '../update-requests/trigger.js';
import {listTriggers, placesOf, type TriggerPlace, workOf} from './trigger-places.js';

/**
 * Has rules that change existing objects look at all their triggers: when their policy comes or changes, and at an interval.
 * Kinds that could not be listed are tried again, with longer and longer pauses.
 */
export interface ExistingPass {
  touch(): void;
  start(): void;
  stop(): void;
}

export interface ExistingPassOptions {
  readonly core: Pick<Core, 'client' | 'log' | 'flags'> & {readonly clock: Clock};
  readonly families: readonly BackgroundFamily[];
  readonly enqueue: (policyId: string, trigger: NamedObject) => void;
  /** Told of kinds that may not be listed. */
  readonly troubles: Pick<Troubles, 'report' | 'mended'>;
}

const settleMs = 500;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

interface Pass {
  readonly policy: BackgroundPolicy;
  /** What the policy says; empty: all is to be listed again. */
  version: string;
  /** What could not be listed, and is tried again. */
  readonly failed: Set<TriggerPlace>;
  cancel: () => void;
}

export function createExistingPass({core, families, enqueue, troubles}: ExistingPassOptions): ExistingPass {
  const {client, clock, log, flags} = core;
  const passes = new Map<string, Pass>();
  let timer: (() => void) | undefined;
  let interval: (() => void) | undefined;
  let running = false;
  let working: Promise<void> = Promise.resolve();

  function look(): void {
    timer = undefined;
    if (!running) return;
    const served = new Set<string>();
    for (const family of families) {
      for (const policy of family.policies()) {
        const places = placesOf(policy);
        if (places.length === 0) continue;
        served.add(policy.id);
        const before = passes.get(policy.id);
        const version = `${policy.uid} ${policy.version}`;
        if (before?.version === version) continue;
        if (before !== undefined) leave(before, places);
        const pass: Pass = {policy, version, failed: new Set(), cancel: () => undefined};
        passes.set(policy.id, pass);
        listNext(pass, places, firstRetryMs);
      }
    }
    for (const [id, pass] of passes) {
      if (served.has(id)) continue;
      leave(pass, []);
      passes.delete(id);
    }
  }

  /** Another pass follows, or none: kinds that it does not list stand in the way of nothing any more. */
  function leave({policy, failed, cancel}: Pass, places: readonly TriggerPlace[]): void {
    cancel();
    for (const place of failed) if (!places.some(next => isSame(next, place))) troubles.mended(policy, place.rule.name, workOf(place));
  }

  function listNext(pass: Pass, places: readonly TriggerPlace[], retryMs: number): void {
    working = working.then(() => listAll(pass, places, retryMs));
  }

  async function listAll(pass: Pass, places: readonly TriggerPlace[], retryMs: number): Promise<void> {
    const {policy, failed} = pass;
    const isOver = () => !running || passes.get(policy.id) !== pass;
    for (const place of places) {
      if (isOver()) return;
      try {
        await listTriggers(client, policy, place, trigger => enqueue(policy.id, trigger));
      } catch (error) {
        if (isOver()) return;
        tell(policy, place, error, !failed.has(place));
        failed.add(place);
        // The cluster has no such kind, or no list of it: waiting is in vain.
        if (!hasStatus(error, 404) && !hasStatus(error, 405)) continue;
      }
      failed.delete(place);
      troubles.mended(policy, place.rule.name, workOf(place));
    }
    if (failed.size === 0 || isOver()) return;
    const delayMs = retryMs / 2 + (retryMs / 2) * Math.random();
    pass.cancel = clock.schedule(delayMs, () => listNext(pass, [...failed], Math.min(longestRetryMs, retryMs * 2)));
  }

  function tell(policy: BackgroundPolicy, place: TriggerPlace, error: unknown, isFirst: boolean): void {
    const {rule, kind} = place;
    const text = `background: triggers of policy ${policy.ref.key} rule ${rule.name} could not be listed`;
    const fields = {kind: kind.kind, error: String(error)};
    if (isFirst) log.error(text, fields);
    else log.v(2, text, fields);
    const failure = writeFailure(error, {verb: 'list', kind, namespace: policy.ref.namespace});
    if (failure instanceof MissingRight) troubles.report(policy, {rule: rule.name, work: workOf(place), error: failure, message: failure.message});
  }

  function everyInterval(): void {
    interval = clock.schedule(flags.backgroundScanInterval, () => {
      for (const pass of passes.values()) pass.version = '';
      touch();
      everyInterval();
    });
  }

  function touch(): void {
    if (running) timer ??= clock.schedule(settleMs, look);
  }

  return {
    touch,
    start() {
      running = true;
      touch();
      everyInterval();
    },
    stop() {
      running = false;
      timer?.();
      interval?.();
      for (const {cancel} of passes.values()) cancel();
      passes.clear();
    },
  };
}

function isSame(a: TriggerPlace, b: TriggerPlace): boolean {
  return a.rule.name === b.rule.name && workOf(a) === workOf(b);
}
