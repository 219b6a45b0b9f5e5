import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import type {EngineRequest} from '../../engine/types.js';
import {createdAt} from '../created-at.js';
import type {Core} from '../feature.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule, RuleOutcome} from '../update-requests/background-policy.js';
import {type KeptRequest, requestOnGone, requestOnLive} from '../update-requests/rebuilt-request.js';
import {isToldOnly, toldRequest} from '../update-requests/told-request.js';
import {kindOf, type NamedObject, namedObject, placeKey, refOf, shownObject} from '../update-requests/trigger.js';
import type {IsJudged} from '../update-requests/judged-objects.js';
import {desiredObject} from './desired-object.js';
import type {Downstream, DownstreamIndex} from './downstream-index.js';
import type {ApplyOutcome, DownstreamWriter} from './downstream-writer.js';
import type {Obligations} from './obligations.js';
import {relationOf} from './relation.js';
import {errorsIn, Gone, MissingRight, Refused, throwAll} from './work-errors.js';

/** What an admission request tells beyond the trigger's state. */
export interface RequestEvidence extends KeptRequest {
  /** These rules were triggered. */
  readonly rules: ReadonlySet<string>;
  readonly deleteDownstream: boolean;
}

export interface SyncResult {
  readonly applied: ReadonlyArray<{readonly object: NamedObject; readonly rule: string; readonly outcome: ApplyOutcome}>;
  readonly removed: readonly NamedObject[];
  /** Version of the trigger that was looked at; empty when it is not there. */
  readonly version: string;
  /** The trigger is not there (any more). */
  readonly missing: boolean;
}

/** One rule's failure on one trigger. */
export class RuleFailure extends Error {
  override readonly name = 'RuleFailure';
  constructor(
    readonly rule: string,
    message: string,
    /** The work was done as far as it could be; the rest is for the rule's author. */
    override readonly cause: unknown,
  ) {
    super(message);
  }
}

/** A deletion was asked for and has not come about (yet). */
export class StillThere extends Error {
  override readonly name = 'StillThere';
  constructor(trigger: NamedObject) {
    super(`the trigger ${shownObject(trigger)} is still there: its deletion was refused, or is still to come`);
  }
}

/** Whether the very object that a request was to delete lives on; one that waits for finalizers is taken for gone. */
export function isStill(live: JsonObject | undefined, {uid}: NamedObject): boolean {
  return live !== undefined && uid !== '' && textOf(ownPath(live, 'metadata', 'uid')) === uid && textOf(ownPath(live, 'metadata', 'deletionTimestamp')) === '';
}

interface RunOptions {
  readonly policy: BackgroundPolicy;
  readonly family: BackgroundFamily;
  readonly named: NamedObject;
  readonly live: JsonObject | undefined;
  readonly evidence: RequestEvidence | undefined;
}

export interface TriggerSync {
  /**
   * Makes what a policy's rules come to for one trigger, and takes away what they no longer come to. Rejects with
   * RuleFailures (single, or SeveralErrors) after everything else was done.
   */
  sync(policyId: string, trigger: NamedObject, evidence?: RequestEvidence): Promise<SyncResult>;
}

type SyncCore = Pick<Core, 'client' | 'log' | 'resources'> & {readonly clock: Clock};

const evaluateMs = 30_000;
/** Chains of generated triggers that are longer than this are taken for a loop. */
const deepest = 8;

export interface TriggerSyncOptions {
  readonly core: SyncCore;
  readonly families: readonly BackgroundFamily[];
  readonly index: DownstreamIndex;
  readonly writer: DownstreamWriter;
  readonly obligations: Obligations;
  readonly isJudged: IsJudged;
  /** Whether a policy that is not served is no more at all. */
  readonly isGone: (policy: string) => Promise<boolean>;
  /** Another trigger of the rule wants what this one no longer has: it is to be looked at again. */
  readonly onReleased: (policy: string, object: NamedObject) => void;
  readonly onClaimed: (policy: string, trigger: NamedObject, object: NamedObject) => void;
}

export function createTriggerSync({core, families, index, writer, obligations, isJudged, isGone, onReleased, onClaimed}: TriggerSyncOptions): TriggerSync {
  const {client, clock, log, resources} = core;

  function find(policyId: string): {family: BackgroundFamily; policy: BackgroundPolicy} | undefined {
    for (const family of families) {
      const policy = family.policy(policyId);
      if (policy !== undefined) return {family, policy};
    }
    return undefined;
  }

  async function read(named: NamedObject, kind: KindInfo): Promise<JsonObject | undefined> {
    try {
      const live = await client.get(refOf(named, kind));
      const uid = textOf(ownPath(live, 'metadata', 'uid'));
      if (named.uid !== '' && uid !== named.uid) return undefined;
      return {apiVersion: apiVersionOf(kind), kind: kind.kind, ...live};
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      if (hasStatus(error, 403)) throw new MissingRight('get', kind.group, kind.resource, '');
      throw error;
    }
  }

  async function sync(policyId: string, named: NamedObject, evidence?: RequestEvidence): Promise<SyncResult> {
    const found = find(policyId);
    const known = index.ofTrigger(policyId, named);
    // One that is refused after a change, or not read yet, keeps what it made.
    if (found === undefined) return {applied: [], removed: (await isGone(policyId)) ? await dropAll(known) : [], version: '', missing: false};
    const {policy, family} = found;
    const gone = known.filter(({relation}) => !policy.rules.some(rule => rule.type === 'generate' && rule.name === relation.rule));
    const removed = await dropAll(gone);
    // An eviction, a shell in a container: no object can be read that says what was asked.
    if (evidence !== undefined && !evidence.deleteDownstream && isToldOnly(evidence)) return new Run({policy, family, named, live: undefined, evidence}).told(removed);
    const kind = kindOf(named, resources());
    if (kind === undefined) return {applied: [], removed, version: '', missing: true};
    const live = await read(named, kind);
    if (evidence?.operation === 'DELETE' && !evidence.deleteDownstream && isStill(live, named)) throw new StillThere(named);
    const run = new Run({policy, family, named, live, evidence});
    await run.stopFollowing();
    if (live === undefined || evidence?.operation === 'DELETE') return run.withoutTrigger(kind, removed);
    return run.withTrigger(live, kind, removed);
  }

  /** What a rule or policy leaves behind that is no more. */
  async function dropAll(downstreams: readonly Downstream[]): Promise<NamedObject[]> {
    const removed: NamedObject[] = [];
    const errors: unknown[] = [];
    for (const downstream of downstreams) {
      try {
        if (downstream.relation.orphan || !downstream.relation.synchronize) await writer.release(downstream);
        else if (await writer.remove(downstream)) removed.push(downstream.object);
      } catch (error) {
        if (!(error instanceof Gone)) errors.push(new RuleFailure(downstream.relation.rule, textOfError(error), error));
      }
    }
    throwAll(errors);
    return removed;
  }

  class Run {
    readonly applied: Array<{object: NamedObject; rule: string; outcome: ApplyOutcome}> = [];
    readonly removed: NamedObject[] = [];
    readonly errors: unknown[] = [];

    readonly policy: BackgroundPolicy;
    readonly family: BackgroundFamily;
    readonly named: NamedObject;
    readonly live: JsonObject | undefined;
    readonly evidence: RequestEvidence | undefined;

    constructor({policy, family, named, live, evidence}: RunOptions) {
      this.policy = policy;
      this.family = family;
      this.named = named;
      this.live = live;
      this.evidence = evidence;
    }

    get downstreams(): Downstream[] {
      return index.ofTrigger(this.policy.id, this.named);
    }

    /** Rules that keep in step no longer: what they made stands as it is from now on. */
    async stopFollowing(): Promise<void> {
      for (const rule of this.policy.rules) {
        if (rule.type !== 'generate' || rule.synchronize) continue;
        obligations.drop(this.policy.id, rule.name, this.named);
        for (const downstream of this.downstreams) {
          if (downstream.relation.rule === rule.name && downstream.relation.synchronize) await this.#guarded(rule, () => writer.unfollow(downstream));
        }
      }
    }

    /** Work of which nothing but the request tells. */
    async told(removed: readonly NamedObject[]): Promise<SyncResult> {
      this.removed.push(...removed);
      const {evidence, policy} = this;
      if (evidence !== undefined) {
        const rules = policy.rules.filter(rule => rule.type === 'generate' && evidence.rules.has(rule.name));
        await this.#evaluate(rules, toldRequest(evidence, resources()), this.named, true);
      }
      return this.#done(false);
    }

    async withoutTrigger(kind: KindInfo, removed: readonly NamedObject[]): Promise<SyncResult> {
      this.removed.push(...removed);
      const {evidence, policy} = this;
      if (evidence?.operation === 'DELETE' && !evidence.deleteDownstream) {
        const rules = policy.rules.filter(rule => rule.type === 'generate' && evidence.rules.has(rule.name));
        const request = requestOnGone(kind, evidence);
        await this.#evaluate(rules, request, this.named, true);
      }
      // The object is still there when its deletion waits for a finalizer.
      if (this.live === undefined) obligations.dropTrigger(this.policy.id, this.named);
      if (this.live === undefined || evidence?.deleteDownstream === true) {
        for (const rule of policy.rules) {
          if (rule.type !== 'generate' || !rule.synchronize) continue;
          // A rule that lists operations without DELETE never hears of it; one with DELETE makes something of it.
          if (rule.operations !== undefined && evidence?.deleteDownstream !== true && isClassic(policy)) continue;
          for (const downstream of this.downstreams) {
            if (downstream.relation.rule === rule.name && !downstream.relation.ofDeletion) await this.#remove(downstream);
          }
        }
      }
      return this.#done(true);
    }

    async withTrigger(live: JsonObject, kind: KindInfo, removed: readonly NamedObject[]): Promise<SyncResult> {
      this.removed.push(...removed);
      const {evidence} = this;
      const trigger = {...namedObject(live), apiVersion: apiVersionOf(kind)};
      if (evidence?.deleteDownstream === true) {
        for (const downstream of this.downstreams) if (evidence.rules.has(downstream.relation.rule) || evidence.rules.has('')) await this.#remove(downstream);
        return this.#done(false);
      }
      const asked = this.policy.rules.filter(rule => rule.type === 'generate' && evidence?.rules.has(rule.name) === true);
      if (evidence !== undefined) await this.#evaluate(asked, requestOnLive(live, kind, evidence), trigger, false);
      const derived = this.policy.rules.filter(rule => rule.type === 'generate' && !asked.includes(rule) && this.#isDerived(rule, live, kind));
      for (const operation of ['CREATE', 'UPDATE'] as const) {
        const rules = derived.filter(rule => operationFor(rule) === operation);
        await this.#evaluate(rules, existingObjectRequest(live, kind, operation), trigger, false);
      }
      return this.#done(false);
    }

    /** Whether the cluster's state alone says that the rule is to be applied to the trigger. */
    #isDerived(rule: BackgroundRule, live: JsonObject, kind: KindInfo): boolean {
      if (operationFor(rule) === undefined) return false;
      if (rule.synchronize && this.downstreams.some(({relation}) => relation.rule === rule.name && !relation.ofDeletion)) return true;
      if (obligations.has(this.policy.id, rule.name, this.named)) return true;
      if (rule.needsRequest || rule.readsOld) return false;
      if (rule.skipBackgroundRequests && relationOf(live) !== undefined) return false;
      if (!isJudged(kind, this.named, !rule.existing)) return false;
      if (rule.existing) return true;
      const created = createdAt(live);
      return rule.synchronize && created > this.policy.created && (rule.operations === undefined || rule.operations.has('CREATE'));
    }

    async #evaluate(rules: readonly BackgroundRule[], request: EngineRequest, trigger: NamedObject, ofDeletion: boolean): Promise<void> {
      if (rules.length === 0) return;
      const outcomes = await this.family.evaluate(this.policy, rules, request, clock.now() + evaluateMs);
      for (const rule of rules) {
        const own = outcomes.filter(outcome => outcome.rule === rule.name);
        await this.#act(rule, own, trigger, ofDeletion);
      }
    }

    async #act(rule: BackgroundRule, outcomes: readonly RuleOutcome[], trigger: NamedObject, ofDeletion: boolean): Promise<void> {
      const failed = outcomes.find(({status}) => status === 'error' || status === 'fail');
      if (failed !== undefined) {
        this.errors.push(new RuleFailure(rule.name, failed.message, rightOf(failed.message)));
        await this.#dropOrphanedCopies(rule);
        return;
      }
      const wanted = new Set<string>();
      if (rule.synchronize && !ofDeletion) {
        if (outcomes.some(({status}) => status === 'pass')) obligations.add(this.policy.id, rule.name, trigger);
        else if (!rule.needsRequest) obligations.drop(this.policy.id, rule.name, trigger);
      }
      const isPass = outcomes.some(({status}) => status === 'pass');
      for (const {targets} of outcomes) {
        for (const target of targets) {
          const kind = kindOf(namedObject(target.object), resources());
          if (kind === undefined) {
            this.errors.push(new RuleFailure(rule.name, `the cluster has no kind ${textOf(ownPath(target.object, 'kind'))}`, undefined));
            continue;
          }
          const depth = (relationOf(this.live)?.depth ?? 0) + 1;
          const desired = desiredObject({policy: this.policy, rule, trigger, target, kind, depth, ofDeletion});
          const object = namedObject(desired.object);
          wanted.add(placeKey(object));
          try {
            if (depth > deepest) throw new Refused('ChainTooLong', `${shownObject(object)} would be number ${depth} in a chain of generated objects`);
            const outcome = await writer.apply(desired, {policy: this.policy, rule, asked: this.evidence !== undefined});
            if (outcome === 'claimed') onClaimed(this.policy.id, trigger, object);
            this.applied.push({object, rule: rule.name, outcome});
          } catch (error) {
            if (error instanceof Gone) continue;
            this.errors.push(new RuleFailure(rule.name, `${shownObject(object)}: ${textOfError(error)}`, error));
          }
        }
      }
      if (!rule.synchronize) return;
      // Who asks is not known later: that nothing matches then means nothing.
      if (!isPass && rule.needsRequest && this.evidence === undefined) return;
      for (const downstream of this.downstreams) {
        const {relation, object} = downstream;
        if (relation.rule !== rule.name || wanted.has(placeKey(object)) || relation.ofDeletion) continue;
        // The rule names other targets than it did: what it made before is left to the users.
        if (isPass && relation.pattern !== rule.pattern) await this.#guarded(rule, () => writer.release(downstream));
        else await this.#remove(downstream);
      }
    }

    /** Copies of what is no more, where the rule cannot be evaluated because of just that. */
    async #dropOrphanedCopies(rule: BackgroundRule): Promise<void> {
      if (!rule.synchronize) return;
      for (const downstream of this.downstreams) {
        const {source, rule: name} = downstream.relation;
        if (name !== rule.name || source === undefined) continue;
        const kind = kindOf(source, resources());
        await this.#guarded(rule, async () => {
          if (kind === undefined || (await read({...source, uid: ''}, kind)) !== undefined) return;
          await this.#remove(downstream);
        });
      }
    }

    #remove(downstream: Downstream): Promise<void> {
      return this.#guarded({name: downstream.relation.rule}, async () => {
        if (await writer.remove(downstream)) this.removed.push(downstream.object);
        onReleased(this.policy.id, downstream.object);
      });
    }

    async #guarded({name}: {readonly name: string}, work: () => Promise<void>): Promise<void> {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Gone)) this.errors.push(new RuleFailure(name, textOfError(error), error));
      }
    }

    #done(missing: boolean): SyncResult {
      throwAll(this.errors);
      if (this.removed.length > 0) log.v(2, `background: policy ${this.policy.ref.key} removed ${this.removed.length} objects for ${shownObject(this.named)}`);
      return {applied: this.applied, removed: this.removed, version: textOf(ownPath(this.live, 'metadata', 'resourceVersion')), missing};
    }
  }

  return {sync};
}

/** As what request an object that is there is shown to a rule; `undefined`: the rule is not about such objects. */
function operationFor({operations}: BackgroundRule): 'CREATE' | 'UPDATE' | undefined {
  if (operations === undefined || operations.has('CREATE')) return 'CREATE';
  return operations.has('UPDATE') ? 'UPDATE' : undefined;
}

function isClassic({ref}: BackgroundPolicy): boolean {
  return ref.kind === 'ClusterPolicy' || ref.kind === 'Policy';
}

/** What may not be read is told by the engine as text. */
function rightOf(message: string): unknown {
  const [, verb = '', path = ''] = /failed to (GET|POST) resource with raw url: (\S+): permission denied/.exec(message) ?? [];
  if (path === '') {
    const [, resource] = /permission denied: ([a-z0-9]+)/.exec(message) ?? [];
    return resource === undefined ? undefined : new MissingRight('get', '*', resource, '');
  }
  const parts = path.split('/').filter(part => part !== '');
  const core = parts[0] === 'api';
  const rest = parts.slice(core ? 2 : 3);
  const inner = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [resource = '', name] = inner;
  return new MissingRight(verb === 'POST' ? 'create' : name === undefined ? 'list' : 'get', core ? '' : (parts[1] ?? ''), resource, '');
}

export function textOfError(error: unknown): string {
  return errorsIn(error)
    .map(item => (item instanceof Error ? item.message : String(item)))
    .join('; ');
}

