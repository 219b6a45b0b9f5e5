import type {Budget} from '../budget.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import type {CompiledPattern} from '../pattern/types.js';
import {ConditionMiss, hasAnchors, type ObserveAnchor, resolveAnchors} from './anchors.js';
import {mergeMap} from './merge.js';
import type {MergeSchema} from './merge-schema.js';

export interface StrategicMergeOptions {
  /** Merge keys of the object's kind; without it every list is replaced. */
  readonly schema: MergeSchema | undefined;
  readonly budget: Budget;
  /** Only where a patch is explained. */
  readonly observe?: ObserveAnchor;
}

/** `skipped` says which condition of the patch did not hold. */
export type StrategicMergeResult = {readonly object: JsonObject} | {readonly skipped: string};

interface Prepared {
  readonly anchored: boolean;
  readonly compiled: Map<Json, CompiledPattern>;
}

/** A patch without variables is the same object for every request: its conditions compile once. */
const preparedPatches = new WeakMap<JsonObject, Prepared>();

function prepare(patch: JsonObject): Prepared {
  let prepared = preparedPatches.get(patch);
  if (!prepared) {
    prepared = {anchored: hasAnchors(patch), compiled: new Map()};
    preparedPatches.set(patch, prepared);
  }
  return prepared;
}

/**
 * Applies `patchStrategicMerge`: resolves the anchors against the object, then merges. Neither input is changed;
 * unchanged parts are shared, and the very object comes back when nothing changed. Throws `EvalError`.
 */
export function strategicMerge(object: JsonObject, patch: Json, options: StrategicMergeOptions): StrategicMergeResult {
  if (!isObject(patch)) throw new EvalError('patchStrategicMerge must be a map');
  const {schema, budget} = options;
  let plain: JsonObject | undefined = patch;
  const {anchored, compiled} = prepare(patch);
  if (anchored) {
    try {
      plain = resolveAnchors(patch, object, schema, {budget, compiled, observe: options.observe});
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
