import {sleep} from '../adapters/clock.js';
import {createMark} from '../adapters/mark.js';
import type {ProfileServer} from '../adapters/profile-server.js';
import packageJson from '../package.json' with {type: 'json'};
import type {Metrics} from '../webhook/metrics/metrics.js';
import type {AdmissionServer} from '../webhook/types.js';
import {hasConditions} from './cel-policies/cel-serving.js';
import type {Flags} from './config/flags.js';
import {followDefinitions} from './definitions/follow-definitions.js';
import {featureSet} from './feature-set.js';
import {createFeatures} from './features.js';
import {createLiveReplicas} from './leases/live-replicas.js';
import {createReplicaLease} from './leases/replica-lease.js';
import {replicaState, servedKinds} from './policies/replica-state.js';
import {createAdmission} from './process/admission.js';
import {createCertificates} from './process/certificates.js';
import {createFoundations, type ProcessOptions} from './process/foundations.js';
import {createJudgement} from './process/judgement.js';
import {createLeadership} from './process/leadership.js';
import {createSharedMemory} from './process/shared-memory.js';
import {createPolicyChanges} from './process/policy-changes.js';
import {createStatuses} from './process/statuses.js';
import {createWebhookServing} from './process/webhook-serving.js';
import {registrations} from './registrations.js';
import {createScrapes} from './serving/scrapes.js';
import {endpointGone, isGoingDown, ownDeployment, relaxWebhooks} from './serving/shutdown.js';
import {KyvernoOperator} from './shell/kyverno-operator.js';
import {BackgroundConditions} from './status/background-conditions.js';
import {startProfiles} from './telemetry/profiles.js';
import {startTracing, type Tracing} from './telemetry/tracing.js';
import {createBackgroundThread} from './thread/background-thread.js';
import {joinExpositions} from '../webhook/metrics/join-expositions.js';

export interface OperatorProcess {
  /** Resolves when admission is served and every cache is complete, or when `stopped` resolves before. */
  start(stopped: Promise<void>): Promise<void>;
  /** Drains admission, gives leadership back, ends. */
  stop(): Promise<void>;
}

const writesEndMs = 3_000;
const renewCheckMs = 12 * 3_600_000;

/**
 * `program`: file of the thread of background work.
 *
 * Wires the one process: reconcile handlers and admission over one cache. Its parts lie in `process/`; here is who tells whom of what.
 */
export function createProcess({program, ...options}: Omit<ProcessOptions, 'memory'> & {readonly program: string}): OperatorProcess {
  const memory = createSharedMemory();
  const foundations = createFoundations({...options, memory});
  const {settings, flags, environment, kubeConfig, log, clock, metrics, client, discovery, resources, manager, events, regex, rights, workers} = foundations;
  const {namespace, podName} = environment;
  let ready = false;

  const leadership = createLeadership(foundations, {
    replicas: () => replicas,
    isReady: () => ready,
    onLead(now) {
      status.setLeading(now && ready);
      webhooks.setLeading(now && ready);
      if (ready) features.setLeading('admission', now);
      certificates.setLeading(now);
      void serving.repair();
    },
    onDuty(duty, now) {
      features.setLeading(duty, now);
      thread.setDuty(duty, now);
    },
  });
  const {duties} = leadership;

  const judgement = createJudgement(foundations, {
    onOffload() {
      webhooks.touch();
      // What guards their entries is told in their status.
      for (const state of cel.cache.policies()) if (state.status === 'served' && hasConditions(state.policy)) status.enqueue(state.kind, state.key);
    },
  });
  const {native, cache, cel, engine, loader, globalContext, quarantined, offload, roles, filters} = judgement;

  const serving = createWebhookServing(foundations, judgement, {
    certificates: () => certificates,
    mayRepair: () => leadership.leading && !ready,
    onApplied: () => status.enqueuePending(),
    onContest: () => statuses.touchAll(),
  });
  const {webhooks} = serving;

  const certificates = createCertificates(foundations, {
    onBundle() {
      webhooks.touch();
      void serving.repair();
    },
    beforeRenewal: () => serving.repair(),
  });
  const {tls, metricsTls} = certificates;

  const conditions = new BackgroundConditions();
  const statuses = createStatuses(foundations, judgement, serving, {replicas: () => replicas, conditions, isLeading: () => leadership.leading});
  const {status} = statuses;

  const answers = createMark(memory.answers);
  const thread = createBackgroundThread(foundations, judgement, {program, memory, webhooksServed: serving.areServed});
  const joined: Metrics = {
    ...metrics,
    restart() {
      metrics.restart();
      thread.restartMetrics();
    },
    async *parts() {
      yield* joinExpositions(metrics.parts(), await thread.metrics());
    },
  };

  const features = featureSet(
    createFeatures(
      {
        ...{client, clock, log, discovery, resources, manager, cache, cel, native, rights, engine, loader, regex, metrics: joined, events, flags, settings, environment, conditions, quarantined, filters, globalContext},
        config: () => settings.config,
        replicas: () => replicas.list(),
        covered: (kind, key) => webhooks.registered(kind === 'ClusterPolicy' || kind === 'Policy' ? key : `${kind}/${key}`),
        touchPolicy(kind, key) {
          webhooks.touch();
          status.enqueue(kind, key);
        },
      },
      {thread, has: leadership.has, workerOf: workers.of},
    ),
    log,
  );

  const replicas = createLiveReplicas({
    client,
    namespace,
    clock,
    log,
    onChange() {
      status.enqueuePending();
      features.tell.onReplicas();
    },
  });
  const lease = createReplicaLease({
    client,
    namespace,
    identity: podName,
    state: () => ({...replicaState(cache, cel.cache, key => manager.reconciledVersion(key)), started: settings.atStart()}),
    clock,
    log,
  });
  const changes = createPolicyChanges(foundations, judgement, {statuses, serving, lease, features});

  const definitions = followDefinitions({
    clock,
    discovery,
    definitions: () => manager.lister('customresourcedefinitions').objects(),
    onError: tellStale,
  });

  const operator = new KyvernoOperator({
    kubeConfig,
    client,
    manager,
    clock,
    log,
    handlers: [
      ...registrations({
        ...{client, clock, manager, environment, roles},
        secrets: certificates.secrets,
        metricsSecrets: certificates.metricsSecrets,
        reconcilePolicy: changes.reconcilePolicy,
        reconcileException: changes.reconcileException,
        onSecret: certificates.onSecret,
        onMetricsSecret: certificates.onMetricsSecret,
        onConfiguration: () => webhooks.touch(),
        onDefinition: () => definitions.touch(),
        onPeer: leadership.touchPeer,
        onConfig(data) {
          for (const problem of settings.setConfigMap(data)) log.warn(problem);
        },
      }),
      ...changes.celRegistrations,
      ...features.registrations,
    ],
    election: leadership.election,
    candidate: leadership.candidate,
    onStartedLeading: () => leadership.hold(true),
    onStoppedLeading: () => leadership.hold(false),
  });

  function tellStale(error: unknown): void {
    log.warn('discovery could not be read; the former one stays', {error: String(error)});
  }

  settings.subscribe(what => {
    if (what === 'metrics') return;
    judgement.refilter();
    webhooks.touch();
    certificates.renewAll();
    features.tell.onConfig(settings.config);
  });

  let server: AdmissionServer | undefined;
  let tracing: Tracing | undefined;
  let profiles: ProfileServer | undefined;
  const timers: NodeJS.Timeout[] = [];
  const scrapes = createScrapes({
    ...{metrics: joined, flags, log},
    certificates: metricsTls,
    documents: environment.debugCache
      ? {'/debug/policies': () => [...cache.policies()].map(({key, uid, generation, status}) => ({key, uid, generation, status}))}
      : {},
  });

  function incomplete(): string | undefined {
    return ready ? undefined : `caches are not complete yet: ${manager.unreconciled().join(', ') || 'starting'}`;
  }

  async function start(stopped: Promise<void>): Promise<void> {
    log.info(`kyverno ${packageJson.version} starts`, {namespace, pod: podName});
    const over = stopped.then(() => 'stopped' as const);
    for (let delay = 500; ; delay = Math.min(delay * 2, 10_000)) {
      try {
        await discovery.refresh();
        break;
      } catch (error) {
        log.warn('the API server cannot be read yet', {error: String(error), retryInMs: delay});
        if ((await Promise.race([over, sleep(clock, delay)])) === 'stopped') return;
      }
    }
    const missing = ['ClusterPolicy', 'Policy'].filter(kind => !resources().find(kind).some(info => info.group === 'kyverno.io'));
    if (missing.length > 0) throw new Error(`the CustomResourceDefinitions of ${missing.join(' and ')} (kyverno.io) are not installed: apply crds/ first`);
    discovery.subscribe(() => {
      webhooks.touch();
      features.tell.onDiscovery();
    });
    if (!flags.disableMetrics) await scrapes.start(over);
    profiles = await startProfiles(flags, {log, threads: {background: thread.profiled}});
    events.start();
    await operator.start();
    thread.start();
    replicas.start();
    lease.start();
    manager.onReconciled(key => {
      if (servedKinds.has(key)) lease.touch();
    });
    if ((await Promise.race([over, tls.available])) === 'stopped') return;
    if ((await Promise.race([over, manager.reflector('peer-deployments').synced])) === 'stopped') return;
    await serving.repair();
    tracing = await startTracing({flags, environment, client, log, version: packageJson.version});
    server = createAdmission(foundations, judgement, {certificates, features, tracing, incomplete, catchUp: definitions.catchUp, onAnswer: () => answers.note(clock.now())});
    await server.listen(webhookPort(flags), flags.webhookServerHost || undefined);
    log.info('serving admission', {port: server.address()?.port});
    if ((await Promise.race([over, manager.whenReconciled()])) === 'stopped') return;
    ready = true;
    log.info(`ready: ${[...cache.policies()].length + [...cel.cache.policies()].length} policies`, {leading: leadership.leading});
    status.setLeading(leadership.leading);
    webhooks.setLeading(leadership.leading);
    await features.start();
    features.setLeading('admission', leadership.leading);
    duties.start();
    timers.push(
      setInterval(certificates.renewAll, renewCheckMs),
      setInterval(() => void discovery.refresh().catch(tellStale), 15 * 60_000),
      setInterval(() => {
        if (leadership.leading) void replicas.cleanUp();
      }, 60_000),
    );
  }

  async function stop(): Promise<void> {
    statuses.stopRights();
    for (const timer of timers) clearInterval(timer);
    leadership.stop();
    log.info('stopping');
    // Work of the duties ends; what admission finds until it is drained is still written.
    await Promise.race([Promise.all([features.stop(), thread.rest()]), sleep(clock, writesEndMs)]);
    // A write that hangs on the API server must not keep us from draining within the grace of our Pod.
    await Promise.race([Promise.all([webhooks.stop(), status.stop(), certificates.stop(), definitions.stop(), offload.stop()]), sleep(clock, writesEndMs)]);
    if (isGoingDown(await ownDeployment(client, environment, log))) await relaxWebhooks(client, log);
    await Promise.all([
      operator.resign(),
      duties.resign(),
      server?.drain({endpointGone: () => endpointGone(client, environment, log), maxWaitMs: 10_000}),
    ]);
    await Promise.race([thread.stop(), sleep(clock, writesEndMs)]);
    await lease.stop();
    await operator.stop();
    await replicas.stop();
    await events.stop();
    await tracing?.stop();
    await profiles?.close();
    await scrapes.stop();
    workers.close();
    client.close();
    log.info('stopped');
  }

  return {start, stop};
}

/** Test set-ups run several replicas on one host. */
function webhookPort(flags: Flags): number {
  return Number(process.env['KYVERNO_WEBHOOK_PORT_OVERRIDE'] ?? flags.webhookServerPort);
}

