import type {Budget} from '../budget.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import {ConditionMiss, hasAnchors, resolveAnchors} from './anchors.js';
import {mergeMap} from './merge.js';
import type {MergeSchema} from './merge-schema.js';

export interface StrategicMergeOptions {
  /** Merge keys of the object's kind; without it every list is replaced. */
  readonly schema: MergeSchema | undefined;
  readonly budget: Budget;
}

/** `skipped` says which condition of the patch did not hold. */
export type StrategicMergeResult = {readonly object: JsonObject} | {readonly skipped: string};

/**
 * Applies `patchStrategicMerge`: resolves the anchors against the object, then merges. Neither input is changed;
 * unchanged parts are shared, and the very object comes back when nothing changed. Throws `EvalError`.
 */
export function strategicMerge(object: JsonObject, patch: Json, options: StrategicMergeOptions): StrategicMergeResult {
  if (!isObject(patch)) throw new EvalError('patchStrategicMerge must be a map');
  const {schema, budget} = options;
  let plain: JsonObject | undefined = patch;
  if (hasAnchors(patch)) {
    try {
      plain = resolveAnchors(patch, object, schema, {budget, compiled: new Map()});
    } catch (error) {
      if (error instanceof ConditionMiss) return {skipped: error.message};
      throw error;
    }
  }
  if (!plain) return {object};
  const merged = mergeMap(object, plain, schema, budget);
  if (!merged) throw new EvalError('patchStrategicMerge must not delete the whole object');
  return {object: merged};
}
