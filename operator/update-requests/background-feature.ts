import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import type {BackgroundCore, Feature} from '../feature.js';
import {Claims} from '../generate/claims.js';
import {DownstreamIndex} from '../generate/downstream-index.js';
import {createDownstreamWriter} from '../generate/downstream-writer.js';
import {LookedVersions} from '../generate/looked-versions.js';
import {Obligations} from '../generate/obligations.js';
import {RunsUnderWay} from '../generate/runs-under-way.js';
import {createTriggerSync} from '../generate/sync-trigger.js';
import {createSynchronize} from '../generate/synchronize.js';
import {createTroubles} from '../generate/troubles.js';
import {createTriggerMutations} from '../mutate-existing/mutate-for-trigger.js';
import {policyGone} from '../policies/policy-gone.js';
import {BackgroundConditions} from '../status/background-conditions.js';
import {createBackgroundFindings} from './background-findings.js';
import {registerPendingWork} from './background-gauge.js';
import type {BackgroundFamily} from './background-policy.js';
import {type BackgroundSession, beginSession, requestWork} from './background-session.js';
import {celFamily} from './cel-family.js';
import {classicFamily} from './classic-family.js';
import {createConditionWriter} from './condition-writer.js';
import {findPolicy} from './find-policy.js';
import {judgedObjects} from './judged-objects.js';
import {createKeyedLock} from './keyed-lock.js';
import {createMemoryRuns, type MemoryWork} from './memory-runs.js';
import {createRequestedWork} from './requested-work.js';
import {createRequestWorker} from './request-worker.js';
import type {NamedObject} from './trigger.js';
import {requestsKey, updateRequests} from './update-request.js';

export interface BackgroundFeature extends Feature {
  /** Work that this process alone can do; resolves when nothing is left to do of it. */
  remember(work: MemoryWork): Promise<void>;
}

/** Generation and mutation of existing objects: from update requests, and from what the cluster's state implies. */
export function createBackgroundFeature(own: BackgroundCore): BackgroundFeature {
  // What policies make is made with the rights of who works in the background; update requests are the operator's own.
  const core: BackgroundCore = {...own, client: own.worker};
  const {log, manager, environment, metrics} = core;
  const conditions = new BackgroundConditions();
  const conditionWriter = createConditionWriter({core: own, conditions});
  const families: readonly BackgroundFamily[] = [classicFamily(core), celFamily(core)];
  const mirror = () => manager.lister(requestsKey);
  let session: BackgroundSession | undefined;

  const index = new DownstreamIndex();
  const obligations = new Obligations();
  const claims = new Claims();
  const looked = new LookedVersions();
  const runs = new RunsUnderWay();
  const writer = createDownstreamWriter(core, {index, isMissing: right => session?.rights.isMissing(right) === true});
  const isJudged = judgedObjects(core);
  const isGone = policyGone(core);
  const lock = createKeyedLock();
  const troubles = createTroubles({conditions, events: core.events, log, serviceAccount: `${environment.namespace}/${environment.serviceAccountName}`});
  const findings = createBackgroundFindings(core.findings);
  const sync = createTriggerSync({
    ...{core, families, index, writer, obligations, isJudged, isGone},
    onClaimed: (policy, trigger, object) => claims.add(policy, trigger, object),
    onReleased(policy, object) {
      for (const trigger of claims.take(policy, object)) session?.look(policy, trigger);
    },
  });
  const synchronize = createSynchronize({core, families, sync, lock, runs, looked, troubles, findings});
  const mutations = createTriggerMutations({core, families, lock, troubles, findings});
  const requested = createRequestedWork({core, families, synchronize, mutations});
  const worker = createRequestWorker({core: own, families, mirror, work: requested, park: (right, key) => session?.rights.park(right, requestWork(key)), isGone});
  const memory = createMemoryRuns({
    core,
    async run({policyId, request, trigger}) {
      try {
        await core.searchRoom.within(undefined, () => requested(policyId, request, trigger, request.contexts));
      } finally {
        // Nobody watches here: what is remembered of it would grow old.
        if (session === undefined) forget();
      }
    },
  });

  function begin(): BackgroundSession {
    return beginSession({
      core,
      own: own.client,
      worker,
      troubles,
      state: {families, index, writer, obligations, isJudged, onTouched: again, onSource: wakeRequests},
      isLooked: ({policyId, trigger}, version) => looked.has(policyId, trigger, version, findPolicy(families, policyId)?.policy),
      run: (kind, {policyId, trigger}, key) => (kind === 'existing' ? mutations.existing(policyId, trigger) : synchronize(policyId, trigger, key)),
    });
  }

  /** A run that read its trigger before what happened now is followed by another one. */
  function again(object: NamedObject): void {
    for (const {policyId, trigger} of runs.at(object)) session?.look(policyId, trigger);
  }

  /** Requests that failed for want of a source may go on now. */
  function wakeRequests(policyId: string): void {
    const policy = policyId.slice(policyId.indexOf('/') + 1);
    for (const key of mirror().keys()) {
      if (textOf(ownPath(mirror().get(key), 'spec', 'policy')) === policy) session?.request(key);
    }
  }

  registerPendingWork(metrics.registry, () => ({
    queued: session?.queue.due ?? 0,
    waiting_for_retry: (session?.queue.size ?? 0) - (session?.queue.due ?? 0),
    waiting_for_right: session?.rights.size ?? 0,
    update_requests: mirror().size,
    in_memory: memory.size,
  }));

  async function end(): Promise<void> {
    const ending = session;
    session = undefined;
    if (ending === undefined) return;
    conditionWriter.pause();
    await ending.end();
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
    } else {
      const served = findPolicy(families, id)?.policy;
      // What a rule that is no more could not do is nobody's trouble.
      if (served !== undefined) troubles.keepRules(id, new Set(served.rules.map(rule => rule.name)));
      conditionWriter.touch(kind, key);
    }
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
        key: requestsKey,
        ...updateRequests,
        namespaced: true,
        namespace: environment.namespace,
        optional: true,
        leaderOnly: true,
        reconcile(key) {
          session?.request(key);
        },
      },
    ],
    remember: work => memory.add(work),
    setLeading(leading) {
      changing = changing.then(async () => {
        if (!leading) return end();
        if (session !== undefined) return;
        session = begin();
        log.info('background: generation and mutation of existing objects start', {updateRequests: mirror().size});
        for (const key of mirror().keys()) session.request(key);
        session.state.start();
        session.existing.start();
        conditionWriter.start([...families].flatMap(family => [...family.policies()].map(({ref}) => ref)));
      });
      void changing.catch(error => log.error('background: change of leadership failed', {error: String(error)}));
    },
    onPolicy: (kind, key, state) => changed(kind, key, state === undefined),
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
