import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {BackgroundPolicy, BackgroundRule, MadeTarget, RuleOutcome} from '../update-requests/background-policy.js';
import {kindOf, type NamedObject, namedObject, placeKey, shownObject} from '../update-requests/trigger.js';
import {deniedRight} from './denied-right.js';
import {desiredObject} from './desired-object.js';
import type {Downstream, DownstreamIndex} from './downstream-index.js';
import type {DownstreamWriter} from './downstream-writer.js';
import type {Obligations} from './obligations.js';
import {relationOf} from './relation.js';
import {RuleFailure} from './rule-failure.js';
import type {AppliedObject, RequestEvidence} from './sync-result.js';
import type {ReadObject} from './trigger-reader.js';
import {Gone, Refused, textOfError} from './work-errors.js';

export interface WorkTools {
  readonly resources: () => ResourceMap;
  readonly index: DownstreamIndex;
  readonly writer: DownstreamWriter;
  readonly obligations: Obligations;
  readonly read: ReadObject;
  /** Another trigger of the rule wants what this one no longer has: it is to be looked at again. */
  readonly onReleased: (policy: string, object: NamedObject) => void;
  readonly onClaimed: (policy: string, trigger: NamedObject, object: NamedObject) => void;
}

export interface WorkSubject {
  readonly policy: BackgroundPolicy;
  readonly named: NamedObject;
  /** The trigger as it is. */
  readonly live: JsonObject | undefined;
  /** What a request asks for; other rules are looked at for the cluster's state alone. */
  readonly evidence: Pick<RequestEvidence, 'rules'> | undefined;
}

/** Chains of generated triggers that are longer than this are taken for a loop. */
const deepest = 8;

/** What is made and taken away for one trigger, rule by rule; what fails keeps nothing else from being done. */
export class TriggerWork {
  readonly applied: AppliedObject[] = [];
  readonly removed: NamedObject[] = [];
  readonly errors: unknown[] = [];
  readonly #tools: WorkTools;
  readonly #subject: WorkSubject;

  constructor(tools: WorkTools, subject: WorkSubject) {
    this.#tools = tools;
    this.#subject = subject;
  }

  get downstreams(): Downstream[] {
    return this.#tools.index.ofTrigger(this.#subject.policy.id, this.#subject.named);
  }

  /** Has the cluster be as the outcomes of a rule say. */
  async act(rule: BackgroundRule, outcomes: readonly RuleOutcome[], trigger: NamedObject, ofDeletion: boolean): Promise<void> {
    const failed = outcomes.find(isFailure);
    if (failed !== undefined) {
      const right = deniedRight(failed.message);
      // A state does not say what the rule asks of a request: trying again would not either. The next request does.
      const isTold = this.#isAsked(rule) || !(rule.judgesByRequest || rule.readsOld);
      if (isTold || right !== undefined) this.errors.push(new RuleFailure(rule.name, failed.message, right));
      await this.#dropOrphanedCopies(rule);
      return;
    }
    const isPass = outcomes.some(({status}) => status === 'pass');
    const isOver = !isPass && this.#isCertain(rule, outcomes);
    if (rule.synchronize && !ofDeletion) this.#owe(rule, trigger, {isPass, isOver});
    const wanted = new Set<string>();
    for (const {targets} of outcomes) {
      for (const target of targets) {
        const place = await this.#make(rule, target, trigger, ofDeletion);
        if (place !== undefined) wanted.add(place);
      }
    }
    if (rule.synchronize && (isPass || isOver)) await this.#dropUnwanted(rule, wanted, isPass);
  }

  #isAsked({name}: BackgroundRule): boolean {
    return this.#subject.evidence?.rules.has(name) === true;
  }

  /** Whether a rule that comes to nothing does so whoever asked: without a request it is shown the trigger as nobody's. */
  #isCertain(rule: BackgroundRule, outcomes: readonly RuleOutcome[]): boolean {
    if (this.#isAsked(rule) || !rule.needsRequest) return true;
    return outcomes.length === 0 ? !rule.selectsByRequest : !rule.judgesByRequest;
  }

  #owe(rule: BackgroundRule, trigger: NamedObject, {isPass, isOver}: {readonly isPass: boolean; readonly isOver: boolean}): void {
    const {obligations} = this.#tools;
    const {policy} = this.#subject;
    if (isPass) obligations.add(policy.id, rule.name, trigger);
    else if (isOver) obligations.drop(policy.id, rule.name, trigger);
  }

  /** The place of the object, whether it could be made or not; `undefined`: the cluster has none for it. */
  async #make(rule: BackgroundRule, target: MadeTarget, trigger: NamedObject, ofDeletion: boolean): Promise<string | undefined> {
    const {resources, writer, onClaimed} = this.#tools;
    const {policy, live} = this.#subject;
    const kind = kindOf(namedObject(target.object), resources());
    if (kind === undefined) {
      this.errors.push(new RuleFailure(rule.name, `the cluster has no kind ${textOf(ownPath(target.object, 'kind'))}`, undefined));
      return undefined;
    }
    const depth = (relationOf(live)?.depth ?? 0) + 1;
    const desired = desiredObject({policy, rule, trigger, target, kind, depth, ofDeletion});
    const object = namedObject(desired.object);
    try {
      if (depth > deepest) throw new Refused('ChainTooLong', `${shownObject(object)} would be number ${depth} in a chain of generated objects`);
      const outcome = await writer.apply(desired, {policy, rule, asked: this.#isAsked(rule)});
      if (outcome === 'claimed') onClaimed(policy.id, trigger, object);
      this.applied.push({object, rule: rule.name, outcome});
    } catch (error) {
      if (!(error instanceof Gone)) this.errors.push(new RuleFailure(rule.name, `${shownObject(object)}: ${textOfError(error)}`, error));
    }
    return placeKey(object);
  }

  async #dropUnwanted(rule: BackgroundRule, wanted: ReadonlySet<string>, isPass: boolean): Promise<void> {
    for (const downstream of this.downstreams) {
      const {relation, object} = downstream;
      if (relation.rule !== rule.name || wanted.has(placeKey(object)) || relation.ofDeletion) continue;
      // The rule names other targets than it did: what it made before is left to the users.
      if (isPass && relation.pattern !== rule.pattern) await this.guarded(rule, () => this.#tools.writer.release(downstream));
      else await this.remove(downstream);
    }
  }

  /** Copies of what is no more, where the rule cannot be evaluated because of just that. */
  async #dropOrphanedCopies(rule: BackgroundRule): Promise<void> {
    if (!rule.synchronize) return;
    const {read, resources} = this.#tools;
    for (const downstream of this.downstreams) {
      const {source, rule: name} = downstream.relation;
      if (name !== rule.name || source === undefined) continue;
      const kind = kindOf(source, resources());
      await this.guarded(rule, async () => {
        if (kind === undefined || (await read({...source, uid: ''}, kind)) !== undefined) return;
        await this.remove(downstream);
      });
    }
  }

  remove(downstream: Downstream): Promise<void> {
    return this.guarded({name: downstream.relation.rule}, async () => {
      if (await this.#tools.writer.remove(downstream)) this.removed.push(downstream.object);
      this.#tools.onReleased(this.#subject.policy.id, downstream.object);
    });
  }

  async guarded({name}: {readonly name: string}, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Gone)) this.errors.push(new RuleFailure(name, textOfError(error), error));
    }
  }
}

/** Whether a rule did not come to say what is to be there. */
export function isFailure({status}: RuleOutcome): boolean {
  return status === 'error' || status === 'fail';
}
