import type {Clock} from '../../adapters/clock.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {PolicyRef} from '../../engine/types.js';
import {celResourceKey} from '../cel-policies/cel-kinds.js';
import type {Core} from '../feature.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {policyResources} from '../policies/policy-handlers.js';
import {type BackgroundConditions, backgroundPrefix} from '../status/background-conditions.js';
import {mergeConditions, timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';

/** Writes what the background has to tell into the status of policies, beside what others write there. */
export interface ConditionWriter {
  touch(kind: string, key: string): void;
  /** What the one before us told may be true no more. */
  start(policies: readonly PolicyRef[]): void;
  pause(): void;
  stop(): Promise<void>;
}

export interface ConditionWriterOptions {
  readonly core: Pick<Core, 'client' | 'log' | 'manager'> & {readonly clock: Clock};
  readonly conditions: BackgroundConditions;
}

/** Conditions come and go together: they are written once. */
const settleMs = 500;

export function createConditionWriter({core, conditions}: ConditionWriterOptions): ConditionWriter {
  const {client, clock, log, manager} = core;
  const queue = createWorkQueue({
    clock,
    concurrency: 2,
    firstRetryMs: 500,
    maxRetryMs: 30_000,
    run: write,
    onError: (key, error) => log.warn('background: a condition could not be written', {policy: key, error: String(error)}),
  });
  queue.pause();

  async function write(id: string): Promise<void> {
    const slash = id.indexOf('/');
    const kind = id.slice(0, slash);
    const key = id.slice(slash + 1);
    const resource = kind === 'ClusterPolicy' || kind === 'Policy' ? policyResources[kind] : celResourceKey(kind);
    const cached = manager.lister(resource).get(key);
    if (cached === undefined) return;
    await writeStatus(client, manager.ref(resource, key), object => withConditions(object, kind, key), {cached});
  }

  function withConditions(object: JsonObject, kind: string, key: string): JsonObject | undefined {
    const status = own(object, 'status');
    const before: JsonObject = isObject(status) ? status : {};
    const stored = own(before, 'conditions');
    const list = Array.isArray(stored) ? stored.filter(isObject) : [];
    const others = list.filter(condition => !String(own(condition, 'type')).startsWith(backgroundPrefix));
    const generation = ownPath(object, 'metadata', 'generation');
    const wanted = conditions.of(kind, key);
    if (wanted.length === 0 && others.length === list.length) return undefined;
    const mine = mergeConditions(list, {wanted, generation: typeof generation === 'number' ? generation : 0, now: timestamp(clock.now())});
    return {...before, conditions: [...others, ...mine]};
  }

  function touch(kind: string, key: string): void {
    queue.addAfter(`${kind}/${key}`, settleMs);
  }

  conditions.subscribe(touch);
  return {
    touch,
    start(policies) {
      for (const {kind, key} of policies) touch(kind, key);
      queue.resume();
    },
    pause: () => queue.pause(),
    stop: () => queue.stop(),
  };
}
