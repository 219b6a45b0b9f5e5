import type {Core} from '../feature.js';
import type {BackgroundFindings} from '../update-requests/background-findings.js';
import type {BackgroundFamily, BackgroundPolicy} from '../update-requests/background-policy.js';
import {findPolicy} from '../update-requests/find-policy.js';
import {type NamedObject, objectKey} from '../update-requests/trigger.js';
import {createGenerateEvents} from './generate-events.js';
import type {LookedVersions} from './looked-versions.js';
import {RuleFailure} from './rule-failure.js';
import type {RunsUnderWay} from './runs-under-way.js';
import type {RequestEvidence, SyncResult} from './sync-result.js';
import type {TriggerSync} from './sync-trigger.js';
import {tellFailure} from './tell-failure.js';
import type {Troubles} from './troubles.js';
import {errorsIn} from './work-errors.js';

export interface SynchronizeOptions {
  readonly core: Pick<Core, 'clock' | 'config' | 'events' | 'log'>;
  readonly families: readonly BackgroundFamily[];
  readonly sync: TriggerSync;
  readonly lock: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  readonly runs: RunsUnderWay;
  readonly looked: LookedVersions;
  readonly troubles: Troubles;
  readonly findings: BackgroundFindings;
}

/** Has what a policy generates for a trigger be in step; `work` tells apart who asks. */
export type Synchronize = (policyId: string, trigger: NamedObject, work: string, evidence?: RequestEvidence) => Promise<SyncResult>;

/** Runs on one trigger, one at a time; what came of them is told, troubles by the policy's conditions, whoever found them. */
export function createSynchronize({core, families, sync, lock, runs, looked, troubles, findings}: SynchronizeOptions): Synchronize {
  const {clock} = core;
  const tellWritten = createGenerateEvents(core);

  return (policyId, trigger, work, evidence) =>
    runs.during({policyId, trigger}, work, async () => {
      const started = clock.monotonic();
      const policy = findPolicy(families, policyId)?.policy;
      try {
        const result = await lock(`${policyId}|${objectKey(trigger)}`, () => sync.sync(policyId, trigger, evidence));
        if (policy !== undefined) {
          for (const rule of policy.rules) troubles.mended(policy, rule.name, objectKey(trigger));
          findings.made(policy, trigger, result.applied);
        }
        looked.note(policyId, trigger, result.version, findPolicy(families, policyId)?.policy);
        tellWritten(policy, trigger, result, started);
        return result;
      } catch (error) {
        const failures = errorsIn(error);
        const served = findPolicy(families, policyId)?.policy;
        if (served !== undefined) for (const failure of failures) tellFailure(troubles, served, trigger, failure);
        if (policy !== undefined) tellRules(policy, trigger, failures);
        throw error;
      }
    });

  /** Which rules failed, and which ones worked all the same. */
  function tellRules(policy: BackgroundPolicy, trigger: NamedObject, failures: readonly unknown[]): void {
    findings.notMade(policy, trigger, failures);
    const failed = new Set(failures.map(failure => (failure instanceof RuleFailure ? failure.rule : undefined)));
    if (failed.has(undefined)) return;
    for (const rule of policy.rules) if (!failed.has(rule.name)) troubles.mended(policy, rule.name, objectKey(trigger));
  }
}
