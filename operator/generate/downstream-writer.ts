import {Counter} from 'prom-client';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {ObjectRef} from '../../adapters/kube/types.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {Core} from '../feature.js';
import type {BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import {kindOf, type NamedObject, namedObject, placeKey, refOf, shownObject} from '../update-requests/trigger.js';
import {covers, fieldManager, foreignAdditions} from './compare.js';
import {type Desired, labelledBy, withRelation} from './desired-object.js';
import type {Downstream, DownstreamIndex} from './downstream-index.js';
import {type Relation, relationAnnotation, relationOf, relationText} from './relation.js';
import {createDownstreamClient} from './patchless-writes.js';
import {withoutUndeclared} from './undeclared-fields.js';
import {MissingRight, Refused, writeFailure} from './work-errors.js';

export type ApplyOutcome = 'created' | 'updated' | 'unchanged' | 'left' | 'claimed';

export interface DownstreamWriter {
  /**
   * Has the object be as wanted. `left`: it was there, and the rule does not keep it in step. `claimed`: another trigger of
   * the rule made it. Throws MissingRight, Refused, Gone, KubeError.
   */
  apply(desired: Desired, owner: Owner): Promise<ApplyOutcome>;
  /** Deletes it, if it still is what the relation says; what was there before us is only let go. */
  remove(downstream: Downstream): Promise<boolean>;
  /** It is no longer kept in step; whose it is stays on record. */
  unfollow(downstream: Downstream): Promise<void>;
  /** Takes our marks off: from now on it is the users'. */
  release(downstream: Downstream): Promise<void>;
  /** Whether this version of the object is the one that we wrote. */
  wrote(object: NamedObject, resourceVersion: string): boolean;
}

type WriterCore = Pick<Core, 'client' | 'clock' | 'log' | 'metrics' | 'resources'>;

interface Owner {
  readonly policy: BackgroundPolicy;
  readonly rule: BackgroundRule;
  /** A request led to it, and not a look at what is there. */
  readonly asked?: boolean;
}

export interface DownstreamWriterOptions {
  readonly index: DownstreamIndex;
  /** Whether the API server is known to refuse: it is not asked again by each work. */
  readonly isMissing: (right: MissingRight) => boolean;
}

const mostShapes = 1_000;

/** Server-side apply under our field manager; never delete and create anew unless the policy says so. */
export function createDownstreamWriter({client, clock, log, metrics, resources}: WriterCore, {index, isMissing}: DownstreamWriterOptions): DownstreamWriter {
  const downstreams = createDownstreamClient({client, clock, log});
  const written = new Map<string, string>();
  /** What the API server said of fields that its schema does not have, by rule and kind: they are not sent again. */
  const undeclared = new Map<string, string>();
  const writes = new Counter({name: 'kyverno_generate_writes_total', help: 'Generated objects created, updated, deleted and let go', labelNames: ['operation'], registers: [metrics.registry]});

  async function read(ref: ObjectRef, kind: Desired['kind']): Promise<JsonObject | undefined> {
    try {
      return await client.get(ref);
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw writeFailure(error, {verb: 'get', kind, namespace: ref.namespace ?? ''});
    }
  }

  async function apply(asRuled: Desired, owner: Owner): Promise<ApplyOutcome> {
    const {policy, rule} = owner;
    const shape = `${policy.id}|${policy.version}|${rule.name}|${asRuled.kind.group}/${asRuled.kind.kind}`;
    const known = undeclared.get(shape);
    const desired = known === undefined ? asRuled : {...asRuled, object: withoutUndeclared(asRuled.object, known) ?? asRuled.object};
    try {
      return await applyDeclared(desired, owner);
    } catch (error) {
      const object = error instanceof Error ? withoutUndeclared(desired.object, error.message) : undefined;
      if (object === undefined) throw error;
      if (undeclared.size > mostShapes) undeclared.clear();
      undeclared.set(shape, `${known ?? ''}\n${(error as Error).message}`);
      log.warn(`background: policy ${policy.ref.key} rule ${rule.name} names fields that ${asRuled.kind.kind} does not have; they are left out`, {error: (error as Error).message});
      return applyDeclared({...desired, object}, owner);
    }
  }

  async function applyDeclared(desired: Desired, {policy, rule, asked = false}: Owner): Promise<ApplyOutcome> {
    const {kind} = desired;
    const name = namedObject(desired.object);
    const ref = refOf(name, kind);
    const live = await read(ref, kind);
    if (live === undefined) {
      await send(ref, desired.object, {desired, verb: 'create', force: false, conflictsOf: name});
      writes.inc({operation: 'create'});
      return 'created';
    }
    const relation = relationOf(live);
    if (relation !== undefined && (relation.policy !== policy.id || relation.rule !== rule.name)) {
      throw new Refused('ForeignObject', `${shownObject(name)} is made by rule ${relation.rule} of ${relation.policy} already`);
    }
    if (relation !== undefined && (relation.trigger.uid !== desired.relation.trigger.uid || placeKey(relation.trigger) !== placeKey(desired.relation.trigger))) {
      if (await isThere(relation.trigger)) return 'claimed';
    }
    const known = index.at(name);
    const ours = relation ?? (known?.object.uid === uidOf(live) ? known.relation : undefined);
    if (!rule.synchronize && !(policy.appliesAgain && asked && relation !== undefined)) return 'left';
    const labelled = labelledBy(live, policy, rule);
    if (ours === undefined && !labelled && !wasApplied(live)) {
      const isCel = policy.ref.kind.endsWith('GeneratingPolicy');
      if (isCel) return 'left';
      return adopt({live, desired, ref, name});
    }
    const adopted = ours?.adopted === true;
    const wanted = adopted ? withRelation(desired.object, {...desired.relation, adopted}) : desired.object;
    // Another version of the rule may have named the same in other words; a write for that alone is none.
    // What the peer made and labelled is left as it is until there is something to change in it.
    const sameRelation = relation === undefined ? labelled && !wasApplied(live) : sameParts(relation, {...desired.relation, adopted});
    let outcome: ApplyOutcome = 'unchanged';
    if (!sameRelation || !covers(live, withoutRelation(wanted))) {
      await send(ref, wanted, {desired, verb: 'patch', force: !adopted, conflictsOf: name});
      outcome = 'updated';
    } else remember(name, live);
    const extra = adopted || policy.keepsAdditions ? undefined : foreignAdditions(live, wanted);
    if (extra !== undefined) {
      remember(name, await downstreams.merge(ref, extra).catch(error => Promise.reject(writeFailure(error, {verb: 'patch', kind, namespace: name.namespace}))));
      outcome = 'updated';
    }
    if (outcome === 'updated') writes.inc({operation: 'update'});
    if (outcome === 'unchanged') index.put({object: namedObject(live), relation: relation ?? desired.relation});
    return outcome;
  }

  /** An object that was there: what it has may stay, what the rule wants is added where nobody else set it. */
  async function adopt({live, desired, ref, name}: {live: JsonObject; desired: Desired; ref: ObjectRef; name: NamedObject}): Promise<ApplyOutcome> {
    await send(ref, withRelation(desired.object, {...desired.relation, adopted: true}), {desired, verb: 'patch', force: false, conflictsOf: name});
    log.info(`background: ${shownObject(name)} was there before rule ${desired.relation.rule} and is kept in step from now on`, {uid: uidOf(live)});
    writes.inc({operation: 'update'});
    return 'updated';
  }

  async function send(ref: ObjectRef, object: JsonObject, {desired, verb, force, conflictsOf}: {desired: Desired; verb: string; force: boolean; conflictsOf: NamedObject}): Promise<void> {
    const {kind} = desired;
    for (const needed of verb === 'patch' ? ['patch', 'update'] : [verb]) {
      const right = new MissingRight(needed, kind.group, kind.resource, ref.namespace ?? '');
      if (isMissing(right)) throw right;
    }
    try {
      keep(await downstreams.apply(ref, object, {force}));
    } catch (error) {
      if (hasStatus(error, 409) && !force) {
        throw new Refused('ForeignObject', `${shownObject(conflictsOf)} has fields of another manager, which are not taken over: ${error.message}`);
      }
      const failure = writeFailure(error, {verb, kind, namespace: ref.namespace ?? '', object});
      if (failure instanceof Refused && failure.reason === 'ImmutableField' && desired.recreate) {
        await client.delete(ref);
        writes.inc({operation: 'recreate'});
        keep(await downstreams.apply(ref, object, {force: false}));
        return;
      }
      throw failure;
    }
    function keep(stored: JsonObject): void {
      remember(conflictsOf, stored);
      const relation = relationOf(stored);
      if (relation !== undefined) index.put({object: namedObject({...stored, apiVersion: desired.object['apiVersion'] ?? '', kind: kind.kind}), relation});
    }
  }

  async function isThere(trigger: NamedObject): Promise<boolean> {
    const kind = kindOf(trigger, resources());
    if (kind === undefined) return false;
    try {
      const live = await client.get(refOf(trigger, kind));
      return trigger.uid === '' || uidOf(live) === trigger.uid;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  function remember(name: NamedObject, stored: JsonObject): void {
    written.set(placeKey(name), textOf(ownPath(stored, 'metadata', 'resourceVersion')));
  }

  async function current({object, relation}: Downstream): Promise<{ref: ObjectRef; kind: Desired['kind']; live: JsonObject} | undefined> {
    const kind = kindOf(object, resources());
    if (kind === undefined) return undefined;
    const ref = refOf(object, kind);
    const live = await read(ref, kind);
    if (live === undefined || (object.uid !== '' && uidOf(live) !== object.uid)) return undefined;
    const stored = relationOf(live);
    // Handed over to another rule or trigger in the meantime.
    if (stored !== undefined && (stored.policy !== relation.policy || stored.rule !== relation.rule || stored.trigger.uid !== relation.trigger.uid)) return undefined;
    return {ref, kind, live};
  }

  return {
    apply,
    async remove(downstream) {
      const found = await current(downstream);
      index.remove(downstream.object);
      written.delete(placeKey(downstream.object));
      if (found === undefined) return false;
      const {ref, kind, live} = found;
      const name = downstream.object;
      try {
        if (downstream.relation.adopted) {
          // Applying nothing gives back all that was ours, and only that.
          const nothing: JsonObject = {apiVersion: name.apiVersion, kind: name.kind, metadata: {name: name.name, ...(name.namespace !== '' && {namespace: name.namespace})}};
          await downstreams.apply(ref, nothing, {force: false});
          writes.inc({operation: 'release'});
        } else {
          await client.delete(ref, {uid: uidOf(live)});
          writes.inc({operation: 'delete'});
        }
      } catch (error) {
        if (hasStatus(error, 404)) return false;
        index.put(downstream);
        if (error instanceof KubeError && error.status === 409) throw error;
        throw writeFailure(error, {verb: 'delete', kind, namespace: name.namespace});
      }
      return true;
    },
    async unfollow(downstream) {
      const found = await current(downstream);
      if (found === undefined) {
        index.remove(downstream.object);
        return;
      }
      const {ref, kind, live} = found;
      const relation: Relation = {...(relationOf(live) ?? downstream.relation), synchronize: false};
      try {
        remember(downstream.object, await downstreams.merge(ref, {metadata: {annotations: {[relationAnnotation]: relationText(relation)}}}));
        writes.inc({operation: 'update'});
      } catch (error) {
        if (!hasStatus(error, 404)) throw writeFailure(error, {verb: 'patch', kind, namespace: downstream.object.namespace});
      }
      index.put({object: downstream.object, relation});
    },
    async release(downstream) {
      const found = await current(downstream);
      index.remove(downstream.object);
      written.delete(placeKey(downstream.object));
      if (found === undefined) return;
      const {ref, kind, live} = found;
      const labels = ownPath(live, 'metadata', 'labels');
      const marks = Object.keys((labels ?? {}) as JsonObject).filter(key => key.startsWith('generate.kyverno.io/') || key === 'app.kubernetes.io/managed-by');
      const patch = {metadata: {labels: Object.fromEntries(marks.map(key => [key, null])), annotations: {[relationAnnotation]: null}}};
      try {
        await downstreams.merge(ref, patch);
        writes.inc({operation: 'release'});
      } catch (error) {
        if (hasStatus(error, 404)) return;
        index.put(downstream);
        throw writeFailure(error, {verb: 'patch', kind, namespace: downstream.object.namespace});
      }
    },
    wrote: (object, version) => written.get(placeKey(object)) === version,
  };
}

function sameParts(a: Relation, b: Relation): boolean {
  return (
    a.hash === b.hash &&
    a.pattern === b.pattern &&
    a.synchronize === b.synchronize &&
    a.orphan === b.orphan &&
    a.trigger.uid === b.trigger.uid &&
    (a.source?.uid ?? '') === (b.source?.uid ?? '')
  );
}

function withoutRelation(object: JsonObject): JsonObject {
  const metadata = ownPath(object, 'metadata') as JsonObject;
  const annotations = {...(ownPath(metadata, 'annotations') as JsonObject)};
  delete annotations[relationAnnotation];
  return {...object, metadata: {...metadata, annotations}};
}

/** Whether we have applied the object before, as the server recorded it. */
function wasApplied(live: JsonObject): boolean {
  const records = ownPath(live, 'metadata', 'managedFields');
  return Array.isArray(records) && records.some(record => ownPath(record, 'manager') === fieldManager);
}

function uidOf(object: JsonObject): string {
  return textOf(ownPath(object, 'metadata', 'uid'));
}
