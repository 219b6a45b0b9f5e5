import {Gauge} from 'prom-client';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import type {EngineRequest} from '../../engine/types.js';
import {celResourceKey} from '../cel-policies/cel-kinds.js';
import type {Core, Feature} from '../feature.js';
import {DownstreamIndex} from '../generate/downstream-index.js';
import {createDownstreamWriter} from '../generate/downstream-writer.js';
import {Obligations} from '../generate/obligations.js';
import {createMissingRights, type MissingRights} from '../generate/missing-rights.js';
import {createStateSync, type StateSync} from '../generate/state-sync.js';
import {createTriggerSync, isStill, type RequestEvidence, RuleFailure, StillThere, type SyncResult, textOfError} from '../generate/sync-trigger.js';
import {createTroubles} from '../generate/troubles.js';
import {errorsIn, MissingRight, Refused, throwAll} from '../generate/work-errors.js';
import {createWorkQueue, type WorkQueue} from '../manager/work-queue.js';
import {createMutations} from '../mutate-existing/apply-mutations.js';
import {reportedObject} from '../reports/findings.js';
import {createExistingPass, type ExistingPass} from '../mutate-existing/existing-pass.js';
import {nameOfKey} from '../policies/policy-key.js';
import {policyResources} from '../policies/policy-handlers.js';
import {BackgroundConditions} from '../status/background-conditions.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule} from './background-policy.js';
import {celFamily} from './cel-family.js';
import {classicFamily} from './classic-family.js';
import {createChainLimit} from './chain-limit.js';
import {createConditionWriter} from './condition-writer.js';
import {judgedObjects} from './judged-objects.js';
import {findByUid} from './find-by-uid.js';
import {createKeyedLock} from './keyed-lock.js';
import {createLimitsTold} from './limits-told.js';
import {createMemoryRuns} from './memory-runs.js';
import {createRequestCreator, type RequestCreator} from './request-creator.js';
import {createRequestObserver} from './request-observer.js';
import {requestOnGone, requestOnLive} from './rebuilt-request.js';
import {createRequestWorker, TriggerMissing, TriggerUnchanged} from './request-worker.js';
import {isToldOnly, toldRequest} from './told-request.js';
import {kindOf, type NamedObject, objectKey, placeKey, refOf, shownObject} from './trigger.js';
import {updateRequestName, updateRequests, type RequestedWork, type RuleContext} from './update-request.js';

const registrationKey = 'updaterequests';
const workers = 10;
/** Objects of one rule and trigger that a report names. */
const mostReported = 50;

/** Generation and mutation of existing objects: from update requests, and from what the cluster's state implies. */
export function createBackgroundFeature(own: Core): Feature {
  // What policies make is made with the rights of who works in the background; update requests are the operator's own.
  const core: Core = {...own, client: own.worker};
  const {client, clock, log, manager, environment, metrics} = core;
  const conditions = new BackgroundConditions();
  const conditionWriter = createConditionWriter({core: own, conditions});
  const families: readonly BackgroundFamily[] = [classicFamily(core), celFamily(core)];
  const mirror = () => manager.lister(registrationKey);
  const serviceAccount = `system:serviceaccount:${environment.namespace}:${environment.serviceAccountName}`;
  const stored = createRequestCreator(own, mirror);
  const creator: RequestCreator = {
    async create(work, deadline) {
      const name = updateRequestName(work);
      // Work that another replica does is told in that one's writes.
      if (session !== undefined) core.findings.expected.expect(work.trigger.uid, name);
      const isStored = await stored.create(work, deadline);
      if (!isStored) core.findings.expected.over(name);
      return isStored;
    },
  };
  const chains = createChainLimit(clock, log);
  const limits = createLimitsTold(core, () => mirror().size);
  const index = new DownstreamIndex();
  const writer = createDownstreamWriter(core, {index, isMissing: right => session?.rights.isMissing(right) === true});
  const obligations = new Obligations();
  const isJudged = judgedObjects(core);
  const lock = createKeyedLock();
  const troubles = createTroubles({conditions, events: core.events, log, serviceAccount: `${environment.namespace}/${environment.serviceAccountName}`});
  const mutations = createMutations(core);
  /** Triggers of the queue's `state` works. */
  const triggers = new Map<string, {readonly policyId: string; readonly trigger: NamedObject; readonly unless: string | undefined}>();
  /** Version of trigger and policy that a run has looked at last. */
  const looked = new Map<string, string>();
  /** Other triggers of a rule that want what one of them has made. */
  const claims = new Map<string, Map<string, NamedObject>>();

  const sync = createTriggerSync({
    core,
    families,
    index,
    writer,
    obligations,
    isJudged,
    isGone,
    onClaimed(policy, trigger, object) {
      const place = `${policy}|${objectKey({...object, uid: ''})}`;
      let claimants = claims.get(place);
      if (claimants === undefined) claims.set(place, (claimants = new Map()));
      claimants.set(objectKey(trigger), trigger);
    },
    onReleased(policy, object) {
      const place = `${policy}|${objectKey({...object, uid: ''})}`;
      const claimants = claims.get(place);
      claims.delete(place);
      for (const trigger of claimants?.values() ?? []) enqueueState(policy, trigger);
    },
  });

  const memory = createMemoryRuns({
    core,
    async run({policyId, request, trigger}) {
      try {
        await requested(policyId, request, trigger, request.contexts);
      } finally {
        // Nobody watches here: what is remembered of it would grow old.
        if (session === undefined) forget();
      }
    },
  });

  /** Runs under way, by the place of their trigger. */
  const underWay = new Map<string, Map<string, {readonly policyId: string; readonly trigger: NamedObject}>>();

  const worker = createRequestWorker({core: own, families, mirror, work: requested, park: (right, key) => session?.rights.park(right, `ur|${key}`), isGone});

  interface Session {
    readonly queue: WorkQueue;
    readonly state: StateSync;
    readonly rights: MissingRights;
    readonly existing: ExistingPass;
  }
  let session: Session | undefined;

  function begin(): Session {
    const queue = createWorkQueue({
      clock,
      concurrency: () => core.congestion.width(workers),
      firstRetryMs: 100,
      maxRetryMs: 60_000,
      laneOf,
      run,
      onError(key, error, retryInMs) {
        const fields = {work: key, error: textOfError(error), ...(retryInMs !== undefined && {retryInMs: Math.round(retryInMs)})};
        // The request is still on its way through the API server.
        const isEarly = errorsIn(error).every(item => item instanceof TriggerMissing || item instanceof TriggerUnchanged || item instanceof StillThere);
        if (isEarly) log.v(2, 'background: work comes too early and is tried again', fields);
        else log.warn('background: work failed and is tried again', fields);
      },
    });
    const state = createStateSync({core, families, index, writer, obligations, isJudged, enqueue: enqueueState, onTouched: again, onSource: wakeRequests});
    const rights = createMissingRights({client, clock, log, onGranted: (_right, works) => {
      for (const work of works) queue.add(work);
    }});
    const existing = createExistingPass({core, families, enqueue: (policyId, trigger) => enqueue('existing', policyId, trigger)});
    return {queue, state, rights, existing};
  }

  function enqueue(kind: 'state' | 'existing', policyId: string, trigger: NamedObject, version?: string): void {
    if (session === undefined) return;
    const key = `${kind}|${policyId}|${objectKey(trigger)}`;
    const waiting = triggers.get(key);
    // Who waits for another reason than the trigger's version is not to be let off.
    triggers.set(key, {policyId, trigger, unless: waiting !== undefined && waiting.unless === undefined ? undefined : version});
    session.queue.add(key);
  }

  function enqueueState(policyId: string, trigger: NamedObject, version?: string): void {
    enqueue('state', policyId, trigger, version);
  }

  /** A run that read its trigger before what happened now is followed by another one. */
  function again(object: NamedObject): void {
    for (const {policyId, trigger} of underWay.get(placeKey(object))?.values() ?? []) enqueueState(policyId, trigger);
  }

  function lookedAt(policyId: string, version: string): string {
    const policy = policyOf(policyId);
    return `${version} ${policy?.uid ?? ''} ${policy?.version ?? ''}`;
  }

  function laneOf(key: string): string {
    if (key.startsWith('ur|')) return worker.laneOf(key.slice(3));
    const policyId = triggers.get(key)?.policyId ?? '';
    return policyId.slice(policyId.indexOf('/') + 1);
  }

  /** Requests that failed for want of a source may go on now. */
  function wakeRequests(policyId: string): void {
    const policy = policyId.slice(policyId.indexOf('/') + 1);
    for (const key of mirror().keys()) {
      if (textOf(ownPath(mirror().get(key), 'spec', 'policy')) === policy) session?.queue.add(`ur|${key}`);
    }
  }

  async function run(key: string): Promise<void> {
    if (key.startsWith('ur|')) {
      const again = await worker.run(key.slice(3));
      core.findings.expected.over(nameOfKey(key.slice(3)));
      if (again !== undefined) session?.queue.addAfter(key, again);
      return;
    }
    const work = triggers.get(key);
    if (work === undefined) return;
    const isMutation = key.startsWith('existing|');
    if (work.unless !== undefined && looked.get(`${work.policyId}|${objectKey(work.trigger)}`) === lookedAt(work.policyId, work.unless)) {
      triggers.delete(key);
      return;
    }
    triggers.set(key, {...work, unless: 'again'});
    try {
      await (isMutation ? mutateExisting(work.policyId, work.trigger) : synchronize(work.policyId, work.trigger, key));
      // What was asked for meanwhile is still to be done.
      if (triggers.get(key)?.unless === 'again') triggers.delete(key);
    } catch (error) {
      triggers.set(key, {...work, unless: undefined});
      const causes = errorsIn(error).map(causeOf);
      const rights = causes.filter(cause => cause instanceof MissingRight);
      for (const right of rights) session?.rights.park(right, key);
      if (rights.length === causes.length) return;
      // Nothing but a change of what it is about helps; that is heard of. Looked at again all the same, seldom.
      if (causes.every(cause => cause instanceof Refused || cause instanceof MissingRight)) {
        session?.queue.addAfter(key, 60_000);
        return;
      }
      throw error;
    }
  }

  /** Troubles are told by the policy's conditions, whoever found them. */
  async function synchronize(policyId: string, trigger: NamedObject, work: string, evidence?: RequestEvidence): Promise<SyncResult> {
    const started = clock.monotonic();
    const policy = policyOf(policyId);
    const named = {policyId, trigger, work};
    const place = placeKey(trigger);
    const run = `${policyId} ${objectKey(trigger)} ${work}`;
    let here = underWay.get(place);
    if (here === undefined) underWay.set(place, (here = new Map()));
    here.set(run, {policyId, trigger});
    try {
      const result = await lock(`${policyId}|${objectKey(trigger)}`, () => sync.sync(policyId, trigger, evidence));
      if (policy !== undefined) for (const rule of policy.rules) troubles.mended(policy, rule.name, `${objectKey(trigger)}`);
      if (result.version === '') looked.delete(`${policyId}|${objectKey(trigger)}`);
      else looked.set(`${policyId}|${objectKey(trigger)}`, lookedAt(policyId, result.version));
      tellResult(policy, trigger, result, started);
      return result;
    } catch (error) {
      const failures = errorsIn(error);
      for (const failure of failures) reportFailure(named, failure);
      if (policy !== undefined) tellErrors(policy, trigger, failures);
      const failed = new Set(failures.map(failure => (failure instanceof RuleFailure ? failure.rule : undefined)));
      if (policy !== undefined && !failed.has(undefined)) for (const rule of policy.rules) if (!failed.has(rule.name)) troubles.mended(policy, rule.name, objectKey(trigger));
      throw error;
    } finally {
      here.delete(run);
      if (here.size === 0 && underWay.get(place) === here) underWay.delete(place);
    }
  }

  function reportFailure({policyId, trigger}: {readonly policyId: string; readonly trigger: NamedObject}, failure: unknown): void {
    const policy = policyOf(policyId);
    if (policy === undefined) return;
    const cause = causeOf(failure);
    const rule = failure instanceof RuleFailure ? failure.rule : (policy.rules[0]?.name ?? '');
    // What the network does is no fault of the rule.
    if (!(failure instanceof RuleFailure) && !(cause instanceof MissingRight) && !(cause instanceof Refused)) return;
    troubles.report(policy, {rule, work: objectKey(trigger), error: cause, message: failure instanceof Error ? failure.message : String(failure)});
  }

  function tellResult(policy: BackgroundPolicy | undefined, trigger: NamedObject, {applied, removed}: SyncResult, started: number): void {
    if (policy !== undefined) tellFindings(policy, trigger, applied);
    const changed = applied.filter(({outcome}) => outcome === 'created' || outcome === 'updated');
    if (changed.length === 0 && removed.length === 0) return;
    const parts = [...changed.map(({object, outcome}) => `${outcome} ${shownObject(object)}`), ...removed.map(object => `deleted ${shownObject(object)}`)];
    const rules = [...new Set(changed.map(({rule}) => rule))].join(', ');
    log.info(`background: policy ${policy?.ref.key ?? 'that is gone'} rule ${rules} on ${shownObject(trigger)}: ${parts.slice(0, 10).join(', ')}`, {ms: Math.round(clock.monotonic() - started)});
    if (policy === undefined || !core.config().generateSuccessEvents) return;
    const {ref, uid} = policy;
    for (const {object, rule} of changed) {
      const related = {apiVersion: object.apiVersion, kind: object.kind, namespace: object.namespace, name: object.name};
      core.events.emit({regarding: {apiVersion: ref.apiVersion, kind: ref.kind, namespace: ref.namespace, name: ref.name, uid}, related, reason: 'PolicyApplied', action: 'Resource Generated', note: 'resource generated', source: 'kyverno-generate'});
      core.events.emit({regarding: related, reason: 'PolicyApplied', action: 'None', note: `Created ${object.kind} ${object.name} as a result of applying policy ${ref.key}/${rule}`, source: 'kyverno-generate'});
    }
  }

  /** For the trigger's report: what a policy that writes its results itself could not make. */
  function tellErrors({ref}: BackgroundPolicy, trigger: NamedObject, failures: readonly unknown[]): void {
    if (trigger.uid === '' || !isGeneratingPolicy(ref)) return;
    const byRule = new Map<string, string[]>();
    for (const failure of failures) if (failure instanceof RuleFailure) byRule.set(failure.rule, [...(byRule.get(failure.rule) ?? []), failure.message]);
    for (const [rule, messages] of byRule) {
      core.findings.tell({policy: ref, subject: trigger, rule, type: 'generate', status: 'error', message: [...new Set(messages)].join('; '), properties: {}});
    }
  }

  /** For the trigger's report: what each rule has made for it, whether just now or before. */
  function tellFindings({ref}: BackgroundPolicy, trigger: NamedObject, applied: SyncResult['applied']): void {
    if (trigger.uid === '') return;
    const made = new Map<string, string[]>();
    for (const {object, rule} of applied) made.set(rule, [...(made.get(rule) ?? []), reportedObject(object)]);
    for (const [rule, objects] of made) {
      const shown = objects.sort().slice(0, mostReported).join('; ');
      const message = isGeneratingPolicy(ref) ? 'policy evaluated successfully' : `resource${objects.length === 1 ? '' : 's'} generated`;
      core.findings.tell({policy: ref, subject: trigger, rule, type: 'generate', status: 'pass', message, properties: {'generated-resources': shown}});
    }
  }

  /** The same of objects that were changed. */
  function tellMutations({ref}: BackgroundPolicy, trigger: NamedObject, rule: string, changed: readonly NamedObject[]): void {
    if (ref.kind.endsWith('MutatingPolicy')) {
      // As its scans have it: each object's own report says that the policy was applied.
      for (const object of changed.slice(0, mostReported)) {
        if (object.uid !== '') core.findings.tell({policy: ref, subject: object, rule: '', type: 'mutateExisting', status: 'pass', message: 'success', properties: {}});
      }
      return;
    }
    if (trigger.uid === '') return;
    for (const object of changed.slice(0, mostReported)) {
      const where = object.namespace === '' ? '' : ` in namespace ${object.namespace}`;
      const message = `mutated ${object.kind}/${object.name}${where}`;
      core.findings.tell({policy: ref, subject: trigger, rule, type: 'mutateExisting', status: 'pass', message, properties: {'patched-target': reportedObject(object)}});
    }
  }

  /** The work of an update request on one trigger. */
  async function requested(policyId: string, request: RequestedWork, named: NamedObject, contexts: readonly RuleContext[]): Promise<void> {
    const {operation = 'UPDATE'} = request;
    const trigger = named.name === '' ? await byUid(named) : named;
    const policy = policyOf(policyId);
    await assertEffect(trigger, request);
    const isCel = request.type === 'cel-generate' || request.type === 'cel-mutate';
    const rules = new Set(isCel && policy !== undefined ? policy.rules.map(rule => rule.name) : contexts.map(context => context.rule));
    if (request.type === 'mutate' || request.type === 'cel-mutate') {
      if (policy !== undefined) await mutate(policy, [...policy.rules].filter(rule => rules.has(rule.name)), trigger, request);
      return;
    }
    const deleteDownstream = contexts.some(context => context.deleteDownstream);
    const evidence: RequestEvidence = {operation, request: request.request ?? {}, user: request.user, replaces: request.replaces ?? '', rules, deleteDownstream};
    const {missing} = await synchronize(policyId, trigger, 'ur', evidence);
    if (missing && policy !== undefined && operation !== 'DELETE' && !deleteDownstream) throw new TriggerMissing(trigger);
  }

  /** Judged by the trigger as it was, rules would not see what the request is about. */
  async function assertEffect(trigger: NamedObject, {operation, replaces = '', awaitsEffect, request = {}}: RequestedWork): Promise<void> {
    const kind = kindOf(trigger, core.resources());
    if (awaitsEffect !== true || operation !== 'UPDATE' || replaces === '' || kind === undefined || isToldOnly({operation, request})) return;
    // Whoever may not read it is told of that by the work itself.
    const live = await client.get(refOf(trigger, kind)).catch(error => (hasStatus(error, 403) ? undefined : absent(error)));
    if (textOf(ownPath(live, 'metadata', 'resourceVersion')) === replaces) throw new TriggerUnchanged(trigger);
  }

  /** One that is gone stays without a name: nothing is found under it. */
  async function byUid(trigger: NamedObject): Promise<NamedObject> {
    const kind = kindOf(trigger, core.resources());
    const found = kind === undefined ? undefined : await findByUid(client, trigger, kind);
    if (found === undefined) throw new TriggerMissing(trigger);
    return found;
  }

  async function mutate(policy: BackgroundPolicy, rules: readonly BackgroundRule[], trigger: NamedObject, request: RequestedWork | undefined): Promise<void> {
    const family = families.find(item => item.policy(policy.id) !== undefined);
    if (family === undefined) return;
    const engineRequest = await requestAbout(trigger, request);
    const errors: unknown[] = [];
    for (const rule of rules) {
      if (rule.type !== 'mutate') continue;
      try {
        const {changed} = await lock(`${policy.id}|${rule.name}|mutation`, () => mutations.run(family, policy, rule, engineRequest));
        tellMutations(policy, withUid(trigger, engineRequest), rule.name, changed);
        troubles.mended(policy, rule.name, objectKey(trigger));
      } catch (error) {
        for (const cause of errorsIn(error)) {
          if (cause instanceof MissingRight || cause instanceof Refused) reportFailure({policyId: policy.id, trigger}, new RuleFailure(rule.name, textOfError(cause), cause));
          errors.push(cause);
        }
      }
    }
    throwAll(errors);
  }

  async function mutateExisting(policyId: string, trigger: NamedObject): Promise<void> {
    const policy = policyOf(policyId);
    if (policy === undefined) return;
    try {
      await mutate(policy, policy.rules.filter(rule => rule.existing), trigger, undefined);
    } catch (error) {
      // An object that went meanwhile needs nothing.
      if (!(error instanceof TriggerMissing)) throw error;
    }
  }

  async function requestAbout(trigger: NamedObject, work: RequestedWork | undefined): Promise<EngineRequest> {
    const kept = {operation: work?.operation ?? 'UPDATE', request: work?.request ?? {}, user: work?.user, replaces: work?.replaces ?? ''} as const;
    if (work !== undefined && isToldOnly(kept)) return toldRequest(kept, core.resources());
    const kind = kindOf(trigger, core.resources());
    if (kind === undefined) throw new TriggerMissing(trigger);
    if (work !== undefined && kept.operation === 'DELETE') {
      if (trigger.uid !== '' && isStill(await client.get(refOf(trigger, kind)).catch(absent), trigger)) throw new StillThere(trigger);
      const request = requestOnGone(kind, kept);
      // Expressions that look for targets know what went as `object`, too.
      return work.type === 'cel-mutate' ? {...request, object: request.oldObject} : request;
    }
    const live = await client.get(refOf(trigger, kind)).catch(absent);
    if (live === undefined || (trigger.uid !== '' && textOf(ownPath(live, 'metadata', 'uid')) !== trigger.uid)) throw new TriggerMissing(trigger);
    return requestOnLive(live, kind, kept);
  }

  function policyOf(policyId: string): BackgroundPolicy | undefined {
    for (const family of families) {
      const policy = family.policy(policyId);
      if (policy !== undefined) return policy;
    }
    return undefined;
  }

  /** Asked of the API server: a cache that lags must not delete anything. */
  async function isGone(policyId: string): Promise<boolean> {
    const slash = policyId.indexOf('/');
    const kind = policyId.slice(0, slash);
    const key = policyId.slice(slash + 1);
    if (slash === -1 || key === '') return true;
    const resource = kind === 'ClusterPolicy' || kind === 'Policy' ? policyResources[kind] : celResourceKey(kind);
    try {
      await client.get(manager.ref(resource, key));
      return false;
    } catch (error) {
      if (hasStatus(error, 404)) return true;
      throw error;
    }
  }

  new Gauge({
    name: 'kyverno_background_work_pending',
    help: 'Background work that waits or runs: what is queued, waits for a retry or for a right, and update requests',
    labelNames: ['state'],
    registers: [metrics.registry],
    collect() {
      this.set({state: 'queued'}, session?.queue.due ?? 0);
      this.set({state: 'waiting_for_retry'}, (session?.queue.size ?? 0) - (session?.queue.due ?? 0));
      this.set({state: 'waiting_for_right'}, session?.rights.size ?? 0);
      this.set({state: 'update_requests'}, mirror().size);
      this.set({state: 'in_memory'}, memory.size);
    },
  });

  async function end(): Promise<void> {
    const ending = session;
    session = undefined;
    if (ending === undefined) return;
    ending.rights.stop();
    conditionWriter.pause();
    ending.existing.stop();
    await Promise.all([ending.queue.stop(), ending.state.stop()]);
    triggers.clear();
    core.findings.expected.clear();
    forget();
  }

  function forget(): void {
    index.clear();
    obligations.clear();
    claims.clear();
    looked.clear();
  }

  function changed(kind: string, key: string, gone: boolean): void {
    const id = `${kind}/${key}`;
    if (gone) {
      troubles.forget(id);
      obligations.dropPolicy(id);
    } else conditionWriter.touch(kind, key);
    // What waits for a right of it, or for it, need not wait.
    wakeRequests(id);
    session?.state.touch();
    session?.existing.touch();
  }

  let changing: Promise<void> = Promise.resolve();

  return {
    name: 'background work',
    registrations: [
      {
        key: registrationKey,
        ...updateRequests,
        namespaced: true,
        namespace: environment.namespace,
        optional: true,
        leaderOnly: true,
        reconcile(key) {
          session?.queue.add(`ur|${key}`);
        },
      },
    ],
    observer: createRequestObserver({
      families,
      creator,
      remember: work => memory.add(work),
      namespace: environment.namespace,
      isBackground: request => request.user?.username === serviceAccount || core.cel.serving.isBackground(request),
      mayChain: (policy, rule, request) => chains(policy, rule, request),
    }),
    setLeading(leading) {
      changing = changing.then(async () => {
        if (!leading) return end();
        if (session !== undefined) return;
        session = begin();
        log.info('background: generation and mutation of existing objects start', {updateRequests: mirror().size});
        for (const key of mirror().keys()) session.queue.add(`ur|${key}`);
        session.state.start();
        session.existing.start();
        conditionWriter.start([...families].flatMap(family => [...family.policies()].map(({ref}) => ref)));
      });
      void changing.catch(error => log.error('background: change of leadership failed', {error: String(error)}));
    },
    start: () => limits.start(),
    onPolicy(kind, key, state) {
      changed(kind, key, state === undefined);
      limits.onPolicy();
    },
    onCelPolicy(kind, key, state) {
      if (!/(Generating|Mutating)Policy$/.test(kind)) return;
      changed(kind, key, state === undefined);
    },
    onException() {
      for (const family of families) for (const policy of family.policies()) session?.state.pass(policy.id);
    },
    onDiscovery() {
      session?.state.touch();
      // What failed for want of a kind goes on when it is there.
      for (const policyId of troubles.policies()) {
        session?.state.pass(policyId);
        wakeRequests(policyId);
      }
    },
    async stop() {
      memory.stop();
      await changing;
      await end();
      await conditionWriter.stop();
    },
  };
}

/** As the object that was read says, where the work did not. */
function withUid(trigger: NamedObject, {object, oldObject}: EngineRequest): NamedObject {
  return trigger.uid === '' ? {...trigger, uid: textOf(ownPath(object ?? oldObject, 'metadata', 'uid'))} : trigger;
}

function absent(error: unknown): undefined {
  if (!hasStatus(error, 404)) throw error;
}

function isGeneratingPolicy({kind}: {readonly kind: string}): boolean {
  return kind.endsWith('GeneratingPolicy');
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
