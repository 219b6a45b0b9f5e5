import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  /** One line for people. */
  readonly message: string;
}

/**
 * `wanted` as the API has conditions, in its order; `lastTransitionTime` moves only when a condition's status does.
 * `now` is RFC 3339 text.
 */
export function mergeConditions(
  existing: Json | undefined,
  {wanted, generation, now}: {readonly wanted: readonly Condition[]; readonly generation: number; readonly now: string},
): JsonObject[] {
  const known = Array.isArray(existing) ? existing.filter(isObject) : [];
  return wanted.map(({type, status, reason, message}) => {
    const old = known.find(condition => own(condition, 'type') === type);
    const since = old && own(old, 'status') === status ? own(old, 'lastTransitionTime') : undefined;
    return {
      type,
      status,
      reason,
      message,
      observedGeneration: generation,
      lastTransitionTime: typeof since === 'string' ? since : now,
    };
  });
}

/** RFC 3339 in whole seconds, as the API stores times. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
