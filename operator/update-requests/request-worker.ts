import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {BackgroundCore} from '../feature.js';
import {causeOf, errorsIn, isWebhookAway, MissingRight, Refused, textOfError} from '../generate/work-errors.js';
import {nameOfKey, namespaceOfKey} from '../policies/policy-key.js';
import type {BackgroundFamily} from './background-policy.js';
import type {NamedObject} from './trigger.js';
import {readUpdateRequest, type RequestedWork, type RuleContext, updateRequests} from './update-request.js';

export interface RequestWorker {
  /** Policy that a request is about, for fair turns; empty when it names none. */
  laneOf(key: string): string;
  /** Works one request off. Rejects when it is to be tried again. `undefined` = done; else when to look again, milliseconds. */
  run(key: string): Promise<number | undefined>;
  forget(key: string): void;
}

export interface RequestWorkerOptions {
  readonly core: Pick<BackgroundCore, 'client' | 'log' | 'manager' | 'webhooksServed'> & {readonly clock: Clock};
  readonly families: readonly BackgroundFamily[];
  readonly mirror: () => ObjectReader;
  /** Does the work of rules on one trigger. Rejects with whatever went wrong, MissingRight and Refused among it. */
  readonly work: (policyId: string, work: RequestedWork, trigger: NamedObject, contexts: readonly RuleContext[]) => Promise<void>;
  readonly park: (right: MissingRight, key: string) => void;
  readonly isGone: (policyId: string) => Promise<boolean>;
}

/** Failures that may pass by themselves are tried so long before they are told. */
const graceMs = 10_000;
/** A request that has had no effect by then changed nothing, or was refused by somebody else. */
const effectMs = 5_000;
const keptMs = 5 * 60_000;
const lookAgainMs = 20_000;
const unservedMs = 1_000;

/** Update requests as work: success is the deletion, failure one status write; what failed is tried again until it goes. */
export function createRequestWorker({core, families, mirror, work, park, isGone}: RequestWorkerOptions): RequestWorker {
  const {client, clock, log} = core;
  const firstTried = new Map<string, number>();
  const failedAt = new Map<string, number>();

  function policyIdOf(request: RequestedWork): string {
    for (const family of families) {
      const id = family.idOf(request.type, request.policy);
      if (id !== undefined) return id;
    }
    return '';
  }

  const refOf = (key: string) => ({...updateRequests, namespace: namespaceOfKey(key), name: nameOfKey(key)});

  async function remove(key: string, object: JsonObject): Promise<void> {
    try {
      // A repeat that came in meanwhile has moved the version: it makes one more run.
      await client.delete(refOf(key), {resourceVersion: textOf(ownPath(object, 'metadata', 'resourceVersion'))});
      firstTried.delete(key);
      failedAt.delete(key);
    } catch (error) {
      if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
    }
  }

  async function fail(key: string, object: JsonObject, state: 'Failed' | 'Skip', message: string): Promise<number> {
    const now = clock.now();
    if (!failedAt.has(key)) failedAt.set(key, now);
    const status = ownPath(object, 'status');
    if (textOf(ownPath(status, 'state')) === state && textOf(ownPath(status, 'message')) === message.slice(0, 1_024)) return lookAgainMs;
    // Other words for what failed already are not worth a write.
    if (textOf(ownPath(status, 'state')) === state) return lookAgainMs;
    log.error(`background: update request ${key} ${state === 'Skip' ? 'is skipped' : 'failed'}: ${message}`);
    try {
      await client.patch(refOf(key), {status: {state, message: message.slice(0, 1_024)}}, {type: 'merge', subresource: 'status'});
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
    return lookAgainMs;
  }

  async function namespaceIsGone({namespace}: NamedObject): Promise<boolean> {
    if (namespace === '') return false;
    try {
      await client.get({group: '', version: 'v1', resource: 'namespaces', name: namespace});
      return false;
    } catch (error) {
      if (hasStatus(error, 404)) return true;
      throw error;
    }
  }

  async function run(key: string): Promise<number | undefined> {
    const object = mirror().get(key);
    if (object === undefined) {
      firstTried.delete(key);
      failedAt.delete(key);
      return undefined;
    }
    const state = textOf(ownPath(object, 'status', 'state'));
    if (state === 'Completed') return void (await remove(key, object));
    // Writes would be refused by webhooks that nobody serves: no request uses up its tries on that.
    if (!(await core.webhooksServed())) {
      firstTried.delete(key);
      failedAt.delete(key);
      return unservedMs;
    }
    const isSkipped = state === 'Skip';
    const isFailed = state === 'Failed';
    if ((isFailed || isSkipped) && !failedAt.has(key)) failedAt.set(key, clock.now());
    if ((isFailed || isSkipped) && clock.now() - (failedAt.get(key) ?? 0) >= keptMs) return void (await remove(key, object));
    const request = readUpdateRequest(object);
    if (typeof request === 'string') return fail(key, object, 'Failed', request);
    const policyId = policyIdOf(request);
    const family = families.find(item => item.policy(policyId) !== undefined);
    if (family === undefined) {
      // This replica may not have heard of the policy yet.
      if (await isGone(policyId)) {
        await Promise.all(groups(request).map(({trigger, contexts}) => work(policyId, request, trigger, contexts)));
        return void (await remove(key, object));
      }
      return fail(key, object, 'Skip', `policy ${request.policy} is not served`);
    }
    // Not written before the work is done: the version would move, and the request be taken for repeated.
    if (isSkipped) failedAt.delete(key);
    const started = firstTried.get(key) ?? clock.now();
    firstTried.set(key, started);
    const errors: unknown[] = [];
    const asked = {...request, awaitsEffect: clock.now() - started < effectMs};
    for (const {trigger, contexts} of groups(request)) {
      try {
        await work(policyId, asked, trigger, contexts);
      } catch (error) {
        errors.push(...errorsIn(error));
      }
    }
    if (errors.length === 0) return void (await remove(key, object));
    const rights = errors.map(rightOf).filter(right => right !== undefined);
    for (const right of rights) park(right, key);
    // Told by the policy's condition; it goes on by itself.
    if (rights.length === errors.length) return isSkipped ? void (await resetState(key)) : undefined;
    if (isFailed && (await anyAsync(groups(request), ({trigger}) => namespaceIsGone(trigger)))) return void (await remove(key, object));
    if (errors.some(error => isWebhookAway(causeOf(error)))) {
      firstTried.delete(key);
      throw errors[0];
    }
    const message = errors.map(textOfError).join('; ');
    if (isFailed || errors.some(error => causeOf(error) instanceof Refused) || clock.now() - started >= graceMs) return fail(key, object, 'Failed', message);
    if (isSkipped) await resetState(key);
    throw errors[0];
  }

  /** What it was skipped for is over; why it waits now is told elsewhere. */
  async function resetState(key: string): Promise<void> {
    try {
      await client.patch(refOf(key), {status: {state: 'Pending', message: ''}}, {type: 'merge', subresource: 'status'});
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
  }

  return {
    laneOf(key) {
      const object = mirror().get(key);
      return textOf(ownPath(object, 'spec', 'policy'));
    },
    run,
    forget(key) {
      firstTried.delete(key);
      failedAt.delete(key);
    },
  };
}

/** The contexts of a request by trigger: each trigger is looked at once. */
function groups({contexts}: RequestedWork): Array<{trigger: NamedObject; contexts: RuleContext[]}> {
  const byTrigger = new Map<string, {trigger: NamedObject; contexts: RuleContext[]}>();
  for (const context of contexts) {
    const key = JSON.stringify(context.trigger);
    const group = byTrigger.get(key);
    if (group === undefined) byTrigger.set(key, {trigger: context.trigger, contexts: [context]});
    else group.contexts.push(context);
  }
  return [...byTrigger.values()];
}

function rightOf(error: unknown): MissingRight | undefined {
  const cause = causeOf(error);
  return cause instanceof MissingRight ? cause : undefined;
}

async function anyAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await test(item)) return true;
  return false;
}
