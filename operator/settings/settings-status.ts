import type {JsonObject} from '../../engine/json/types.js';
import type {LiveReplica} from '../leases/live-replicas.js';
import {type Condition, mergeConditions} from '../status/conditions.js';
import {own} from '../../engine/json/types.js';
import type {EffectiveSetting, RejectedSetting} from './settings.js';

export interface SettingsStatus {
  readonly generation: number;
  /** RFC 3339. */
  readonly now: string;
  readonly effective: readonly EffectiveSetting[];
  readonly rejected: readonly RejectedSetting[];
  readonly restart: RestartNeed;
}

/** Keys that replicas took another value for at their start, or none. */
export interface RestartNeed {
  readonly keys: readonly string[];
  readonly stale: number;
  readonly replicas: number;
}

type Digests = Readonly<Record<string, string>>;

/** `own` stands in for the replica that asks as long as its Lease has not come round. */
export function restartNeed(replicas: readonly LiveReplica[], {own: mine, wanted}: {readonly own: Digests; readonly wanted: Digests}): RestartNeed {
  const started = replicas.length === 0 ? [mine] : replicas.map(({state}) => state?.started ?? {});
  const differing = started.map(each => differences(each, wanted));
  return {
    keys: [...new Set(differing.flat())].sort(),
    stale: differing.filter(keys => keys.length > 0).length,
    replicas: started.length,
  };
}

function differences(one: Digests, other: Digests): string[] {
  const valueOf = (digests: Digests, key: string) => (Object.hasOwn(digests, key) ? digests[key] : undefined);
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(key => valueOf(one, key) !== valueOf(other, key));
}

/** The status of a KyvernoConfiguration. */
export function settingsStatus(object: JsonObject, {generation, now, effective, rejected, restart}: SettingsStatus): JsonObject {
  const conditions = mergeConditions(ownConditions(object), {wanted: [readyCondition(rejected), restartCondition(restart)], generation, now});
  return {
    observedGeneration: generation,
    conditions,
    effective: effective.map(each => ({...each})),
    ...(rejected.length > 0 && {rejectedKeys: rejected.map(each => ({...each}))}),
  };
}

function ownConditions(object: JsonObject) {
  const status = own(object, 'status');
  return typeof status === 'object' && status !== null ? own(status as JsonObject, 'conditions') : undefined;
}

function readyCondition(rejected: readonly RejectedSetting[]): Condition {
  const mine = rejected.filter(({source}) => source === 'resource').map(({key}) => key);
  if (mine.length === 0) return {type: 'Ready', status: 'True', reason: 'Accepted', message: 'all keys are accepted'};
  return {type: 'Ready', status: 'False', reason: 'KeysRejected', message: `not in force: ${mine.join(', ')}; see rejectedKeys`};
}

function restartCondition({keys, stale, replicas}: RestartNeed): Condition {
  if (keys.length === 0) return {type: 'RestartNeeded', status: 'False', reason: 'InForce', message: 'every replica runs with these settings'};
  const message = `${stale} of ${replicas} replicas started with other values of ${keys.join(', ')}: restart them`;
  return {type: 'RestartNeeded', status: 'True', reason: 'ReadAtStart', message};
}
