import {type Clock, sleep} from '../../adapters/clock.js';
import type {Discovery} from '../../adapters/kube/discovery.js';
import {type Json, type JsonObject, ownPath} from '../../engine/json/types.js';
import {createWorkQueue} from '../manager/work-queue.js';

export interface FollowDefinitionsOptions {
  readonly clock: Clock;
  readonly discovery: Pick<Discovery, 'refresh' | 'resourceMap'>;
  /** Every CustomResourceDefinition that the operator knows of, as `definitionOnly` cuts it. */
  readonly definitions: () => Iterable<JsonObject>;
  readonly onError: (error: unknown) => void;
}

/** Keeps the resource map in step with the definitions. */
export interface DefinitionFollower {
  /** A definition came, changed or went. */
  touch(): void;
  /** Reads the kinds now, for somebody who asks for one that is not there; resolves when none is on its way, or after three seconds. Never rejects. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Waits between readings, in milliseconds; what is not there after the last one is left to the regular reading. */
const waits = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

const catchUpWaits = [250, 250, 500, 500, 500, 1_000];

/**
 * The API server's discovery document follows its definitions with a delay (its aggregator learns of them by itself), so
 * one reading at the last event of a definition may come too early. It is read again until it has every kind that is
 * established, and once more a little later for what went.
 */
export function followDefinitions(options: FollowDefinitionsOptions): DefinitionFollower {
  const {clock, discovery, definitions, onError} = options;
  let round = 0;
  const queue = createWorkQueue({
    clock,
    concurrency: 1,
    async run(key) {
      await discovery.refresh();
      const settled = ![...definitions()].some(definition => isEstablished(definition) && isMissing(definition, discovery));
      // The second reading sees what was deleted.
      const enough = settled && round >= 3;
      const wait = waits[round];
      if (enough || wait === undefined) return;
      round += 1;
      queue.addAfter(key, wait);
    },
    onError: (_key, error) => onError(error),
    firstRetryMs: 500,
    maxRetryMs: 30_000,
  });

  /** At least two readings: the news of a definition that was made a moment ago may come after the first. */
  async function catchUp(): Promise<void> {
    await discovery.refresh();
    for (const [at, wait] of catchUpWaits.entries()) {
      const pending = [...definitions()].some(definition => !isRefused(definition) && isMissing(definition, discovery));
      if (at > 0 && !pending) return;
      await sleep(clock, wait);
      await discovery.refresh();
    }
  }

  return {
    catchUp: () => catchUp().catch(onError),
    touch() {
      round = 0;
      queue.add('discovery');
    },
    stop: () => queue.stop(),
  };
}

function isEstablished(definition: JsonObject): boolean {
  return conditionOf(definition, 'Established') === 'True';
}

/** Its names are another's: it will not be served. */
function isRefused(definition: JsonObject): boolean {
  return conditionOf(definition, 'NamesAccepted') === 'False';
}

function conditionOf(definition: JsonObject, type: string): Json | undefined {
  const conditions = ownPath(definition, 'status', 'conditions');
  const found = (Array.isArray(conditions) ? conditions : []).find(condition => ownPath(condition, 'type') === type);
  return ownPath(found, 'status');
}

/** Whether a kind that is not going is not in the map. */
function isMissing(definition: JsonObject, {resourceMap}: Pick<Discovery, 'resourceMap'>): boolean {
  if (ownPath(definition, 'metadata', 'deletionTimestamp') !== undefined) return false;
  const group = ownPath(definition, 'spec', 'group');
  const resource = ownPath(definition, 'spec', 'names', 'plural');
  const versions = ownPath(definition, 'spec', 'versions');
  if (typeof group !== 'string' || typeof resource !== 'string' || !Array.isArray(versions)) return false;
  return versions.some(version => {
    const name = ownPath(version, 'name');
    if (typeof name !== 'string' || ownPath(version, 'served') !== true) return false;
    return resourceMap.kindOf({group, version: name, resource}) === undefined;
  });
}
