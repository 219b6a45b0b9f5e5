import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {JsonObject} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import type {Core} from '../feature.js';
import type {BackgroundFamily, BackgroundPolicy} from '../update-requests/background-policy.js';
import {type NamedObject, namedObject} from '../update-requests/trigger.js';
import {resourceId} from '../update-requests/trigger-kinds.js';
import {createOwnRights} from '../permissions/own-rights.js';
import type {IsJudged} from '../update-requests/judged-objects.js';
import type {DownstreamIndex} from './downstream-index.js';
import type {DownstreamWriter} from './downstream-writer.js';
import {createKindWatches, type WatchedObject} from './kind-watches.js';
import type {Obligations} from './obligations.js';
import {relationOf} from './relation.js';
import {planWatches, type WatchPlan} from './watch-plan.js';

export interface StateSync {
  /** Policies came, went or changed; kinds came or went. */
  touch(): void;
  /** Everything that the policy may have to do with is looked at. */
  pass(policyId: string): void;
  /** Finds what was made before, then watches. */
  start(): void;
  stop(): Promise<void>;
}

export interface StateSyncOptions {
  readonly core: Pick<Core, 'client' | 'log' | 'resources'> & {readonly clock: Clock};
  readonly families: readonly BackgroundFamily[];
  readonly index: DownstreamIndex;
  readonly writer: DownstreamWriter;
  readonly obligations: Obligations;
  readonly isJudged: IsJudged;
  /** The trigger is to be looked at, soon; with a version: unless that has been looked at. */
  readonly enqueue: (policyId: string, trigger: NamedObject, version?: string) => void;
  /** Something happened to an object: work under way on it may rest on what it was before. */
  readonly onTouched: (object: NamedObject) => void;
  /** A source came or changed: who waited for one may go on. */
  readonly onSource: (policyId: string) => void;
}

const settleMs = 200;
const passMs = 300;
const noPlan: WatchPlan = {watches: new Map(), triggered: new Map(), copied: new Map(), fansOut: new Set()};
const reportGroups = /^(wgpolicyk8s\.io|openreports\.io|reports\.kyverno\.io|kyverno\.io|policies\.kyverno\.io|events\.k8s\.io|metrics\.k8s\.io)$/;

/** Derives work from the cluster's state: triggers, sources and made objects as they come, change and go. */
export function createStateSync({core, families, index, writer, obligations, isJudged, enqueue, onTouched, onSource}: StateSyncOptions): StateSync {
  const {client, clock, log, resources} = core;
  let plan = noPlan;
  let running = false;
  let planTimer: (() => void) | undefined;
  const passes = new Map<string, () => void>();
  const passed = new Map<string, string>();
  const watches = createKindWatches({client, clock, log, onObject, onSynced});

  /** What went before the watch began is told by nobody. */
  function onSynced(kind: KindInfo): void {
    log.v(2, `background: watches ${resourceId(kind)}`);
    for (const rules of [plan.triggered, plan.copied]) for (const {policy} of rules.get(resourceId(kind)) ?? []) pass(policy.id);
    for (const policyId of index.policies()) pass(policyId);
  }

  function* policies(): Generator<BackgroundPolicy> {
    for (const family of families) yield* family.policies();
  }

  function replan(): void {
    planTimer = undefined;
    if (!running) return;
    plan = planWatches(policies(), index, resources());
    watches.want(plan.watches);
    const served = new Set<string>();
    for (const policy of policies()) {
      served.add(policy.id);
      const version = `${policy.uid} ${policy.version}`;
      if (passed.get(policy.id) === version) continue;
      passed.set(policy.id, version);
      pass(policy.id);
    }
    for (const id of [...passed.keys(), ...index.policies()]) {
      if (served.has(id)) continue;
      passed.delete(id);
      pass(id);
    }
  }

  function touch(): void {
    if (running) planTimer ??= clock.schedule(settleMs, replan);
  }

  function pass(policyId: string): void {
    if (!running || passes.has(policyId)) return;
    passes.set(
      policyId,
      clock.schedule(passMs, () => {
        passes.delete(policyId);
        if (running) passNow(policyId);
      }),
    );
  }

  function passNow(policyId: string): void {
    for (const {relation} of index.ofPolicy(policyId)) enqueue(policyId, relation.trigger);
    for (const trigger of obligations.ofPolicy(policyId)) enqueue(policyId, trigger);
    for (const [id, rules] of plan.triggered) {
      const own = rules.filter(({policy}) => policy.id === policyId);
      const wanted = plan.watches.get(id);
      if (own.length === 0 || wanted === undefined) continue;
      for (const object of watches.objects(wanted.kind)) if (own.some(item => isEligible(wanted.kind, item, object))) enqueue(policyId, object.object);
    }
  }

  function isEligible(kind: KindInfo, {policy, rule}: {readonly policy: BackgroundPolicy; readonly rule: BackgroundPolicy['rules'][number]}, {object, created, relation}: WatchedObject): boolean {
    const {namespace} = policy.ref;
    if (namespace !== '' && object.namespace !== namespace) return false;
    if (rule.skipBackgroundRequests && relation !== undefined) return false;
    if (rule.needsRequest || rule.readsOld) return false;
    return (rule.existing || created > policy.created) && isJudged(kind, object, !rule.existing);
  }

  function onObject(kind: KindInfo, {now, before}: {readonly now: WatchedObject | undefined; readonly before: NamedObject}): void {
    if (!running) return;
    asMade(now, before);
    onTouched(now?.object ?? before);
    asTrigger(kind, now, before);
    asSource(kind, now, before);
    if (kind.group === '' && kind.kind === 'Namespace' && now !== undefined) for (const id of plan.fansOut) pass(id);
  }

  function asMade(now: WatchedObject | undefined, before: NamedObject): void {
    const known = index.at(before);
    if (now?.relation !== undefined) {
      index.put({object: now.object, relation: now.relation});
      if (!writer.wrote(now.object, now.resourceVersion)) enqueue(now.relation.policy, now.relation.trigger);
      if (known === undefined) touch();
      return;
    }
    if (known === undefined) return;
    if (now === undefined || now.object.uid !== known.object.uid) index.remove(before);
    if (known.relation.synchronize) enqueue(known.relation.policy, known.relation.trigger);
  }

  function asTrigger(kind: KindInfo, now: WatchedObject | undefined, before: NamedObject): void {
    for (const {relation} of index.ofTriggerPlace(now?.object ?? before)) enqueue(relation.policy, relation.trigger, versionFor(relation.trigger, now));
    for (const {policyId, trigger} of obligations.ofPlace(now?.object ?? before)) enqueue(policyId, trigger, versionFor(trigger, now));
    if (now === undefined) return;
    const queued = new Set<string>();
    for (const item of plan.triggered.get(resourceId(kind)) ?? []) {
      if (queued.has(item.policy.id) || !isEligible(kind, item, now)) continue;
      queued.add(item.policy.id);
      enqueue(item.policy.id, now.object, now.resourceVersion);
    }
  }

  /** Of the trigger itself; another object of its name says nothing of it. */
  function versionFor(trigger: NamedObject, now: WatchedObject | undefined): string | undefined {
    return now !== undefined && now.object.uid === trigger.uid ? now.resourceVersion : undefined;
  }

  function asSource(kind: KindInfo, now: WatchedObject | undefined, before: NamedObject): void {
    const object = now?.object ?? before;
    const copies = index.ofSource(object).filter(({relation}) => relation.synchronize);
    for (const {relation} of copies) enqueue(relation.policy, relation.trigger);
    for (const {policy, rule} of plan.copied.get(resourceId(kind)) ?? []) {
      if (rule.sourceNamespaces?.has(object.namespace) === false) continue;
      // What is a source already concerns those who copied it; a new one may concern all.
      if (copies.some(({relation}) => relation.policy === policy.id)) continue;
      if (now !== undefined && now.relation?.policy === policy.id) continue;
      pass(policy.id);
      onSource(policy.id);
    }
  }

  /** Made objects of all kinds, also of policies that are no more: what they are of is in their annotation. */
  async function findMade(): Promise<void> {
    const kinds = new Map<string, KindInfo>();
    for (const info of resources().all()) {
      const id = resourceId(info);
      if (!kinds.has(id) && !reportGroups.test(info.group) && info.kind !== 'Event') kinds.set(id, info);
    }
    const rights = createOwnRights({client, clock, log});
    await rights.refresh();
    for (const kind of kinds.values()) {
      if (!running) return;
      // What may not be listed was not made by us under these rights.
      if (rights.can('list', kind.group, kind.resource) === false) continue;
      try {
        await client.list(
          {group: kind.group, version: kind.version, resource: kind.resource},
          {
            labelSelector: 'app.kubernetes.io/managed-by=kyverno',
            onPage(items) {
              for (const item of items) remember(item, kind);
            },
          },
        );
      } catch (error) {
        // The same where the API server could not say all that we may do; other kinds cannot be listed at all.
        if (!hasStatus(error, 403) && !hasStatus(error, 404) && !hasStatus(error, 405)) log.warn(`background: made objects of kind ${kind.kind} could not be listed`, {error: String(error)});
      }
    }
  }

  function remember(item: JsonObject, kind: KindInfo): void {
    const relation = relationOf(item);
    if (relation === undefined) return;
    const object = namedObject({...item, apiVersion: apiVersionOf(kind), kind: kind.kind});
    if (index.at(object) === undefined) index.put({object, relation});
  }

  return {
    touch,
    pass,
    start() {
      running = true;
      // Kinds of policies written in CEL are known by what they made only.
      index.onKind = touch;
      void findMade().then(() => {
        if (!running) return;
        log.v(1, 'background: made objects found', {count: index.size});
        touch();
      });
      touch();
    },
    async stop() {
      running = false;
      planTimer?.();
      planTimer = undefined;
      for (const cancel of passes.values()) cancel();
      passes.clear();
      passed.clear();
      await watches.stop();
    },
  };
}

