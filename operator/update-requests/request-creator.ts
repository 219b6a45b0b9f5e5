import {Counter} from 'prom-client';
import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {Core} from '../feature.js';
import {repeatedRequest, standsForBoth} from './repeated-request.js';
import {shownObject} from './trigger.js';
import {type NewUpdateRequest, updateRequestName, updateRequestObject, updateRequests} from './update-request.js';

export interface RequestCreator {
  /** Stores the work, if that can be done in the time that is left; tells whether. A repeat of work that waits is joined to it. */
  create(work: NewUpdateRequest, options: StoreOptions): Promise<boolean>;
}

export interface StoreOptions {
  readonly deadline: number;
  /** Told before each try under what name the work is stored; the last one counts. */
  readonly onName?: (name: string) => void;
}

type CreatorCore = Pick<Core, 'client' | 'log' | 'metrics' | 'events' | 'config' | 'environment'> & {readonly clock: Clock};

const reportPauseMs = 60_000;

/** Update requests as the API server has them; `mirror` is what this replica has heard of them. */
export function createRequestCreator(core: CreatorCore, mirror: () => ObjectReader): RequestCreator {
  const {client, clock, log, events, environment} = core;
  const registers = [core.metrics.registry];
  const made = new Counter({name: 'kyverno_update_requests_created_total', help: 'Update requests made at admission: new ones, and repeats of one that waits', labelNames: ['type', 'outcome'], registers});
  const over = new Counter({name: 'kyverno_update_requests_over_threshold_total', help: 'Update requests made while more than updateRequestThreshold waited', registers});
  let reportedAt = Number.NEGATIVE_INFINITY;

  async function create(work: NewUpdateRequest, options: StoreOptions): Promise<boolean> {
    const started = clock.now();
    try {
      watchThreshold(work);
      made.inc({type: work.type, outcome: await store(work, options)});
      log.v(2, `background: update request for policy ${work.policy} on ${shownObject(work.trigger)}`, {type: work.type, rules: work.rules, ms: clock.now() - started});
      return true;
    } catch (error) {
      made.inc({type: work.type, outcome: 'failed'});
      log.error(`background: no update request could be made for policy ${work.policy} on ${shownObject(work.trigger)}`, {rules: work.rules, error: String(error)});
      const {apiVersion, kind, namespace, name, uid} = work.trigger;
      events.emit({
        regarding: {apiVersion, kind, namespace, name, ...(uid !== '' && {uid})},
        reason: 'PolicyError',
        action: 'None',
        note: `policy ${work.policy}: the work that this request leads to could not be stored: ${error instanceof Error ? error.message : String(error)}`,
        source: 'kyverno-admission',
      });
      return false;
    }
  }

  async function store(work: NewUpdateRequest, {deadline, onName}: StoreOptions): Promise<'created' | 'repeated'> {
    const options = () => ({fieldManager: 'kyverno', timeoutMs: Math.max(1, deadline - clock.now())});
    const name = updateRequestName(work);
    onName?.(name);
    const ref = {...updateRequests, namespace: work.namespace, name};
    let known = mirror().get(`${work.namespace}/${name}`);
    for (;;) {
      try {
        await client.create({...updateRequests, namespace: work.namespace}, updateRequestObject(work), options());
        return 'created';
      } catch (error) {
        if (!hasStatus(error, 409) || clock.now() >= deadline) throw error;
      }
      try {
        const stored = known ?? (await client.get(ref, options()));
        known = undefined;
        if (work.apart !== true && !standsForBoth(work, stored)) return await store({...work, apart: true}, {deadline, ...(onName !== undefined && {onName})});
        await client.update(ref, repeatedRequest(work, stored), options());
        return 'repeated';
      } catch (error) {
        // Done and gone in between, or changed by who repeats it, or works it off, at this moment.
        if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
      }
    }
  }

  /** Nothing is dropped; it is told. */
  function watchThreshold(work: NewUpdateRequest): void {
    const limit = core.config().updateRequestThreshold;
    const count = mirror().size;
    if (count < limit) return;
    over.inc();
    const now = clock.monotonic();
    if (now - reportedAt < reportPauseMs) return;
    reportedAt = now;
    const note = `background limit reached: ${count} update requests wait (updateRequestThreshold ${limit}); they are kept and worked off, the latest is of policy ${work.policy}`;
    log.warn(note);
    events.emit({
      regarding: {apiVersion: 'v1', kind: 'Namespace', namespace: '', name: environment.namespace},
      reason: 'PolicyError',
      action: 'None',
      note,
      source: 'kyverno-generate',
    });
  }

  return {create};
}
