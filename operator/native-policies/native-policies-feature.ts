import {hasStatus} from '../../adapters/kube/kube-error.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {AdmissionCore, Feature} from '../feature.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {nativeKey, nativeMirrors} from './native-mirrors.js';
import {isCopyOf, nativeGroup, nativeKinds, type NativeObject, objectsOf, ownerOf, servedVersion} from './native-objects.js';
import {nativeName, type NativePlan, nativeSourceKinds, type NativeType} from './native-plan.js';
import {createNativeSources, type NativeCandidate} from './native-sources.js';
import {missingRights, type Refusal, refusalFor, textOfPlan} from './native-refusals.js';
import {NativeSight} from './native-sight.js';
import type {NativePolicyState} from './native-states.js';
import {createNativeWriter} from './native-writer.js';

const rightsMs = 60_000;
const coverPollMs = 500;
/** Timers take no more. */
const longestMs = 24 * 3_600_000;

/**
 * Native copies of policies that ask for one: written by the leader; every replica sees from the API server's objects
 * whether a copy is in force, and leaves the policy to it then.
 */
export function createNativePoliciesFeature(core: AdmissionCore): Feature {
  const {client, clock, log, manager, flags} = core;
  const sources = createNativeSources(core);
  const refusals = new Map<string, Refusal>();
  const sights = new Map<string, NativeSight>();
  let started = false;

  const writer = createNativeWriter({client, clock, log, mirrored: ({resource, version, name}) => manager.lister(nativeKey(resource, version)).get(name)});
  const looks = createWorkQueue({clock, concurrency: 1, run: id => look(id), onError: (id, error) => log.error(`the native copy of ${id} could not be looked at`, {error: describe(error)})});
  const writes = createWorkQueue({
    clock,
    concurrency: 2,
    firstRetryMs: 100,
    maxRetryMs: 30_000,
    run: work,
    onError(id, error, retryInMs) {
      // The API server tells in its status what it thinks of it: our mirror hears a moment later.
      if (hasStatus(error, 409)) log.v(2, `the native copy of ${id} changed meanwhile`);
      else log.warn(`the native copy of ${id} could not be written`, {error: describe(error), retryInMs});
    },
  });
  writes.pause();

  const versionOf = (type: NativeType) => servedVersion(type, core.resources());

  /** The wish less what this cluster and installation cannot do. */
  function possible(kind: string, {wish}: NativeCandidate): {readonly plan: NativePlan; readonly version: string} | {readonly skip: string} {
    if (kind !== 'MutatingPolicy' && !flags.generateValidatingAdmissionPolicy) return {skip: 'skip generating ValidatingAdmissionPolicy: not enabled.'};
    if (wish.plan === undefined) return wish;
    const label = nativeKinds[wish.plan.type].policy.kind;
    const version = versionOf(wish.plan.type);
    if (version === undefined) return {skip: `skip generating ${label}: requested but no ${label} API/informers are available.`};
    return {plan: wish.plan, version};
  }

  function mirroredOf({resource, version, name}: Pick<NativeObject, 'resource' | 'version' | 'name'>): JsonObject | undefined {
    return manager.lister(nativeKey(resource, version)).get(name);
  }

  /** Works out who judges, from what is mirrored; has it told where it is another one than before. */
  function look(id: string): void {
    const {kind, name} = splitId(id);
    const candidate = sources.find(kind, name);
    if (candidate === undefined) {
      sights.delete(id);
      core.native.drop(kind, name);
      return;
    }
    const state = stateOf(id, candidate);
    if (!core.native.set(candidate.wording, state)) return;
    if (kind === 'ClusterPolicy') core.cache.refresh();
    else core.cel.cache.refresh();
    core.touchPolicy(kind, name);
  }

  function stateOf(id: string, candidate: NativeCandidate): NativePolicyState {
    const {kind} = splitId(id);
    const sight = sights.get(id) ?? new NativeSight();
    sights.set(id, sight);
    const found = possible(kind, candidate);
    if ('skip' in found) {
      sight.forget();
      return {generated: false, message: found.skip};
    }
    const {plan, version} = found;
    if (plan.until !== undefined) looks.addAfter(id, Math.min(Math.max(plan.until - clock.now(), 0) + 1, longestMs));
    const {policy, binding} = objectsOf(plan, version, candidate.owner);
    const {state, againInMs} = sight.look(
      {
        policy,
        binding,
        livePolicy: mirroredOf(policy),
        liveBinding: mirroredOf(binding),
        stoodIn: core.native.standsIn(candidate.wording),
        refusal: refusalOf(id, plan)?.message,
        now: clock.monotonic(),
      },
      !started,
    );
    if (againInMs !== undefined) looks.addAfter(id, againInMs);
    return state;
  }

  function refusalOf(id: string, plan: NativePlan): Refusal | undefined {
    const refusal = refusals.get(id);
    return refusal?.plan === textOfPlan(plan) ? refusal : undefined;
  }

  /** Looks at once, and has the leader do what there is to do. */
  function touch(kind: string, name: string): void {
    const id = `${kind}/${name}`;
    look(id);
    writes.add(id);
  }

  function touchAll(): void {
    for (const {kind, name} of sources.all()) touch(kind, name);
  }

  async function work(id: string): Promise<void> {
    const {kind, name} = splitId(id);
    const candidate = sources.find(kind, name);
    if (candidate === undefined) {
      refusals.delete(id);
      await removeCopies(kind, name);
      return;
    }
    const found = possible(kind, candidate);
    if ('skip' in found) {
      refusals.delete(id);
      await giveBack(id, candidate);
      return;
    }
    const {plan, version} = found;
    if (plan.until !== undefined) writes.addAfter(id, Math.min(Math.max(plan.until - clock.now(), 0) + 1, longestMs));
    const known = refusalOf(id, plan);
    if (known !== undefined && !known.keeps) {
      await giveBack(id, candidate);
      return;
    }
    await core.rights.refresh();
    const missing = missingRights(plan.type, core.rights);
    if (missing !== undefined) {
      refuse(id, plan, {message: missing, keeps: true});
      writes.addAfter(id, rightsMs);
      return;
    }
    await put(id, candidate, {plan, version});
  }

  async function put(id: string, {owner}: NativeCandidate, {plan, version}: {readonly plan: NativePlan; readonly version: string}): Promise<void> {
    const {policy, binding} = objectsOf(plan, version, owner);
    const what = plan.type === 'validating' ? 'validating admission policy' : 'mutating admission policy';
    for (const [object, label] of [[policy, what], [binding, `${what} binding`]] as const) {
      const outcome = await writer.put(object);
      if (outcome.type === 'same') continue;
      if (outcome.type === 'waits') {
        writes.addAfter(id, outcome.ms);
        return;
      }
      if (outcome.type !== 'written') {
        refuse(id, plan, refusalFor(plan, object, outcome));
        writes.addAfter(id, outcome.type === 'forbidden' ? rightsMs : coverPollMs);
        return;
      }
      log.info(`${object.kind} ${object.name} generated from policy ${owner.name}`, {kind: owner.kind});
      core.events.emit({
        regarding: {...owner, namespace: ''},
        related: {apiVersion: `${nativeGroup}/${version}`, kind: object.kind, namespace: '', name: object.name},
        reason: 'PolicyApplied',
        action: 'Resource Generated',
        note: `successfully generated ${label} ${object.name} from policy ${owner.name}`,
        source: 'kyverno-generate',
      });
    }
    if (refusals.delete(id)) look(id);
  }

  function refuse(id: string, plan: NativePlan, refusal: Omit<Refusal, 'plan'>): void {
    const before = refusals.get(id);
    refusals.set(id, {...refusal, plan: textOfPlan(plan)});
    if (before?.message !== refusal.message) log.warn(`no native copy of ${id}: ${refusal.message}`);
    look(id);
  }

  /** Removes copies once webhooks have taken over: no request goes unjudged between the two. */
  async function giveBack(id: string, candidate: NativeCandidate): Promise<void> {
    const {kind, name} = splitId(id);
    if (copiesOf(kind, name).length === 0) return;
    if (candidate.needsWebhook && !isCovered(id, candidate)) {
      writes.addAfter(id, coverPollMs);
      return;
    }
    await removeCopies(kind, name);
  }

  function isCovered(id: string, {wording}: NativeCandidate): boolean {
    const {kind, name} = splitId(id);
    const covered = core.covered(kind, name);
    const {uid, generation} = wording.source;
    return sights.get(id)?.isCovered(covered?.uid === uid && covered.generation === generation, clock.monotonic()) === true;
  }

  /** Bindings first: without its binding a policy does nothing. */
  function copiesOf(kind: string, name: string): Array<{readonly object: Pick<NativeObject, 'resource' | 'version' | 'name'>; readonly uid: string}> {
    const type: NativeType = kind === 'MutatingPolicy' ? 'mutating' : 'validating';
    const version = versionOf(type);
    if (version === undefined) return [];
    const base = nativeName(kind, name);
    const {policy, binding} = nativeKinds[type];
    return [
      {resource: binding.resource, version, name: `${base}-binding`},
      {resource: policy.resource, version, name: base},
    ].flatMap(object => {
      const live = mirroredOf(object);
      return isCopyOf(live, {kind, name}) ? [{object, uid: textOf(ownPath(live, 'metadata', 'uid'))}] : [];
    });
  }

  async function removeCopies(kind: string, name: string): Promise<void> {
    for (const {object, uid} of copiesOf(kind, name)) {
      await writer.remove(object, uid);
      log.info(`${object.resource} ${object.name} deleted`, {policy: name});
    }
  }

  /** Of one kind of copies. */
  function reconcileOf(key: string): (name: string) => void {
    const gone = new Map<string, {readonly kind: string; readonly name: string}>();
    return name => {
      const object = manager.lister(key).get(name);
      const owner = object === undefined ? gone.get(name) : ownerOf(object, nativeSourceKinds);
      if (owner === undefined) return;
      if (object === undefined) gone.delete(name);
      else gone.set(name, owner);
      touch(owner.kind, owner.name);
    };
  }

  return {
    name: 'native policies',
    registrations: nativeMirrors().map(({key, ...kind}) => ({key, ...kind, reconcile: reconcileOf(key)})),
    onPolicy(kind, key) {
      if (kind === 'ClusterPolicy') touch(kind, key);
    },
    onCelPolicy(kind, key) {
      if (kind === 'ValidatingPolicy' || kind === 'MutatingPolicy') touch(kind, key);
    },
    onException: touchAll,
    onDiscovery: touchAll,
    onConfig: touchAll,
    start() {
      touchAll();
      started = true;
    },
    setLeading(leading) {
      writer.forget();
      refusals.clear();
      if (!leading) {
        writes.pause();
        return;
      }
      touchAll();
      for (const type of ['validating', 'mutating'] as const) {
        const version = versionOf(type);
        if (version === undefined) continue;
        for (const {resource} of Object.values(nativeKinds[type])) {
          for (const object of manager.lister(nativeKey(resource, version)).objects()) {
            const owner = ownerOf(object, nativeSourceKinds);
            if (owner !== undefined) writes.add(`${owner.kind}/${owner.name}`);
          }
        }
      }
      writes.resume();
    },
    async stop() {
      await Promise.all([looks.stop(), writes.stop()]);
    },
  };
}


function splitId(id: string): {readonly kind: string; readonly name: string} {
  const slash = id.indexOf('/');
  return {kind: id.slice(0, slash), name: id.slice(slash + 1)};
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
