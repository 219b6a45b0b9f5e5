import {type CompiledCleanup, compileCleanupPolicy} from '../../engine/cleanup/compile-cleanup-policy.js';
import {loadCleanupPolicy} from '../../engine/cleanup/load-cleanup-policy.js';
import type {RuleRun} from '../../engine/context/rule-run.js';
import {isPromise} from '../../engine/context/suspend.js';
import {CompileError, type Diagnostic, EvalError} from '../../engine/diagnostic.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {RuleStatus} from '../../engine/types.js';

export interface PreparedCleanup {
  readonly cleanups: readonly CompiledCleanup[];
  readonly invalid: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/** A CleanupPolicy or ClusterCleanupPolicy, or what is wrong with it. */
export function prepareCleanup(raw: JsonObject, resources: ResourceMap): PreparedCleanup {
  const {policy, errors, warnings} = loadCleanupPolicy(raw, {resources});
  if (policy === undefined) return {cleanups: [], invalid: errors, warnings};
  try {
    return {cleanups: [compileCleanupPolicy(policy)], invalid: [], warnings};
  } catch (error) {
    if (error instanceof CompileError) return {cleanups: [], invalid: [error.diagnostic], warnings};
    throw error;
  }
}

export interface CleanupVerdict {
  readonly rule: string;
  readonly status: RuleStatus;
  readonly message: string;
}

/**
 * Whether a clean-up would remove an object. A policy always has something to say; a rule of a classic policy only
 * when the object would go.
 */
export async function judgeCleanup(
  cleanup: CompiledCleanup,
  object: JsonObject,
  run: RuleRun,
): Promise<CleanupVerdict | undefined> {
  const {rule} = cleanup;
  try {
    const answer = run.complete(() => cleanup.matches(object, run));
    if (isPromise(answer) ? await answer : answer) return {rule, status: 'pass', message: 'resource matched'};
    return rule === '' ? {rule, status: 'fail', message: 'resource did not match'} : undefined;
  } catch (error) {
    if (error instanceof EvalError) return {rule, status: 'error', message: error.message};
    throw error;
  }
}
