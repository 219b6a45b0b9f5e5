import type {Logger} from '../../adapters/log/logger.js';
import type {Clock} from '../../adapters/clock.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import type {EngineRequest} from '../../engine/types.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import type {BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import type {FoundPolicy} from '../update-requests/find-policy.js';
import type {IsJudged} from '../update-requests/judged-objects.js';
import {requestOnGone, requestOnLive} from '../update-requests/rebuilt-request.js';
import {toldRequest} from '../update-requests/told-request.js';
import {type NamedObject, namedObject, shownObject} from '../update-requests/trigger.js';
import {isDerived, operationFor} from './derived-rules.js';
import type {RequestEvidence, SyncResult} from './sync-result.js';
import {isFailure, TriggerWork, type WorkTools} from './trigger-work.js';
import {throwAll} from './work-errors.js';

export interface RunTools extends WorkTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly isJudged: IsJudged;
}

export interface RunSubject extends FoundPolicy {
  readonly named: NamedObject;
  /** The trigger as it is. */
  readonly live: JsonObject | undefined;
  /** Absent: the cluster's state alone is the reason. */
  readonly evidence: RequestEvidence | undefined;
  /** What went before, of rules that are no more. */
  readonly removed: readonly NamedObject[];
}

const evaluateMs = 30_000;

/** One look at one trigger of one policy: which rules are evaluated, and as what request. */
export class TriggerRun {
  readonly #tools: RunTools;
  readonly #subject: RunSubject;
  readonly #work: TriggerWork;

  constructor(tools: RunTools, subject: RunSubject) {
    this.#tools = tools;
    this.#subject = subject;
    this.#work = new TriggerWork(tools, subject);
    this.#work.removed.push(...subject.removed);
  }

  /** Rules that keep in step no longer: what they made stands as it is from now on. */
  async stopFollowing(): Promise<void> {
    const {obligations, writer} = this.#tools;
    const {policy, named} = this.#subject;
    for (const rule of policy.rules) {
      if (rule.type !== 'generate' || rule.synchronize) continue;
      obligations.drop(policy.id, rule.name, named);
      for (const downstream of this.#work.downstreams) {
        if (downstream.relation.rule === rule.name && downstream.relation.synchronize) await this.#work.guarded(rule, () => writer.unfollow(downstream));
      }
    }
  }

  /** Work of which nothing but the request tells. */
  async told(): Promise<SyncResult> {
    const {evidence, named} = this.#subject;
    if (evidence !== undefined) await this.#evaluate(this.#asked(evidence), toldRequest(evidence, this.#tools.resources()), named, true);
    return this.#done(false);
  }

  async withoutTrigger(kind: KindInfo): Promise<SyncResult> {
    const {evidence, policy, live, named} = this.#subject;
    if (evidence?.operation === 'DELETE' && !evidence.deleteDownstream) await this.#evaluate(this.#asked(evidence), requestOnGone(kind, evidence), named, true);
    // The object is still there when its deletion waits for a finalizer.
    if (live === undefined) this.#tools.obligations.dropTrigger(policy.id, named);
    if (live === undefined || evidence?.deleteDownstream === true) {
      for (const rule of policy.rules) {
        if (rule.type !== 'generate' || !rule.synchronize) continue;
        // A rule that lists operations without DELETE never hears of it; one with DELETE makes something of it.
        if (rule.operations !== undefined && evidence?.deleteDownstream !== true && isClassic(policy)) continue;
        for (const downstream of this.#work.downstreams) {
          if (downstream.relation.rule === rule.name && !downstream.relation.ofDeletion) await this.#work.remove(downstream);
        }
      }
    }
    return this.#done(true);
  }

  async withTrigger(live: JsonObject, kind: KindInfo): Promise<SyncResult> {
    const {evidence, policy, named} = this.#subject;
    const trigger = {...namedObject(live), apiVersion: apiVersionOf(kind)};
    if (evidence?.deleteDownstream === true) {
      for (const downstream of this.#work.downstreams) if (evidence.rules.has(downstream.relation.rule) || evidence.rules.has('')) await this.#work.remove(downstream);
      return this.#done(false);
    }
    const asked = this.#asked(evidence);
    if (evidence !== undefined) await this.#evaluate(asked, requestOnLive(live, kind, evidence), trigger, false);
    const from = {...this.#tools, policy, named, live, kind, downstreams: this.#work.downstreams};
    const derived = policy.rules.filter(rule => rule.type === 'generate' && !asked.includes(rule) && isDerived(rule, from));
    for (const operation of ['CREATE', 'UPDATE'] as const) {
      const rules = derived.filter(rule => operationFor(rule) === operation);
      await this.#evaluate(rules, existingObjectRequest(live, kind, operation), trigger, false);
    }
    return this.#done(false);
  }

  #asked(evidence: RequestEvidence | undefined): readonly BackgroundRule[] {
    return this.#subject.policy.rules.filter(rule => rule.type === 'generate' && evidence?.rules.has(rule.name) === true);
  }

  async #evaluate(rules: readonly BackgroundRule[], request: EngineRequest, trigger: NamedObject, ofDeletion: boolean): Promise<void> {
    if (rules.length === 0) return;
    const {family, policy} = this.#subject;
    const outcomes = await family.evaluate(policy, rules, request, this.#tools.clock.now() + evaluateMs);
    let isOpen = false;
    for (const rule of rules) {
      const own = outcomes.filter(outcome => outcome.rule === rule.name);
      // Behind an error nothing was evaluated: that says nothing of what is there.
      if (isOpen && own.length === 0) continue;
      isOpen ||= policy.appliesOne && own.some(isFailure);
      await this.#work.act(rule, own, trigger, ofDeletion);
    }
  }

  #done(missing: boolean): SyncResult {
    const {applied, removed, errors} = this.#work;
    const {policy, named, live} = this.#subject;
    throwAll(errors);
    if (removed.length > 0) this.#tools.log.v(2, `background: policy ${policy.ref.key} removed ${removed.length} objects for ${shownObject(named)}`);
    return {applied, removed, version: textOf(ownPath(live, 'metadata', 'resourceVersion')), missing};
  }
}

function isClassic({ref}: BackgroundPolicy): boolean {
  return ref.kind === 'ClusterPolicy' || ref.kind === 'Policy';
}
