import type {Clock} from '../../adapters/clock.js';
import type {Core} from '../feature.js';
import type {BackgroundFamily} from '../update-requests/background-policy.js';
import {findPolicy} from '../update-requests/find-policy.js';
import {isToldOnly} from '../update-requests/told-request.js';
import {isStill, StillThere} from '../update-requests/too-early.js';
import {kindOf, type NamedObject} from '../update-requests/trigger.js';
import type {IsJudged} from '../update-requests/judged-objects.js';
import type {Downstream} from './downstream-index.js';
import {RuleFailure} from './rule-failure.js';
import type {RequestEvidence, SyncResult} from './sync-result.js';
import {objectReader} from './trigger-reader.js';
import {TriggerRun} from './trigger-run.js';
import type {WorkTools} from './trigger-work.js';
import {Gone, textOfError, throwAll} from './work-errors.js';

export interface TriggerSync {
  /**
   * Makes what a policy's rules come to for one trigger, and takes away what they no longer come to. Rejects with
   * RuleFailures (single, or SeveralErrors) after everything else was done.
   */
  sync(policyId: string, trigger: NamedObject, evidence?: RequestEvidence): Promise<SyncResult>;
}

export interface TriggerSyncOptions extends Omit<WorkTools, 'resources' | 'read'> {
  readonly core: Pick<Core, 'client' | 'log' | 'resources'> & {readonly clock: Clock};
  readonly families: readonly BackgroundFamily[];
  readonly isJudged: IsJudged;
  /** Whether a policy that is not served is no more at all. */
  readonly isGone: (policy: string) => Promise<boolean>;
}

export function createTriggerSync({core, families, isGone, ...tools}: TriggerSyncOptions): TriggerSync {
  const {client, clock, log, resources} = core;
  const {index, writer} = tools;
  const read = objectReader(client);
  const runTools = {...tools, clock, log, resources, read};

  async function sync(policyId: string, named: NamedObject, evidence?: RequestEvidence): Promise<SyncResult> {
    const found = findPolicy(families, policyId);
    const known = index.ofTrigger(policyId, named);
    // One that is refused after a change, or not read yet, keeps what it made.
    if (found === undefined) return {applied: [], removed: (await isGone(policyId)) ? await dropAll(known) : [], version: '', missing: false};
    const {policy} = found;
    const gone = known.filter(({relation}) => !policy.rules.some(rule => rule.type === 'generate' && rule.name === relation.rule));
    const removed = await dropAll(gone);
    const subject = {...found, named, evidence, removed};
    // An eviction, a shell in a container: no object can be read that says what was asked.
    if (evidence !== undefined && !evidence.deleteDownstream && isToldOnly(evidence)) return new TriggerRun(runTools, {...subject, live: undefined}).told();
    const kind = kindOf(named, resources());
    if (kind === undefined) return {applied: [], removed, version: '', missing: true};
    const live = await read(named, kind);
    if (evidence?.operation === 'DELETE' && !evidence.deleteDownstream && isStill(live, named)) throw new StillThere(named);
    const run = new TriggerRun(runTools, {...subject, live});
    await run.stopFollowing();
    if (live === undefined || evidence?.operation === 'DELETE') return run.withoutTrigger(kind);
    return run.withTrigger(live, kind);
  }

  /** What a rule or policy leaves behind that is no more. */
  async function dropAll(downstreams: readonly Downstream[]): Promise<NamedObject[]> {
    const removed: NamedObject[] = [];
    const errors: unknown[] = [];
    for (const downstream of downstreams) {
      try {
        if (isLeft(downstream)) await writer.release(downstream);
        else if (await writer.remove(downstream)) removed.push(downstream.object);
      } catch (error) {
        if (!(error instanceof Gone)) errors.push(new RuleFailure(downstream.relation.rule, textOfError(error), error));
      }
    }
    throwAll(errors);
    return removed;
  }

  return {sync};
}

/** Copies that a policy written in CEL made stay when it goes, unlike those of a ClusterPolicy. */
function isLeft({relation: {orphan, synchronize, source, policy}}: Downstream): boolean {
  return orphan || !synchronize || (source !== undefined && /^(Namespaced)?GeneratingPolicy\//.test(policy));
}
