import {hostname} from 'node:os';
import type {KubeConfig} from '@kubernetes/client-node';
import {sleep, systemClock} from '../adapters/clock.js';
import {lackOf} from '../adapters/images/credentials/cloud/lacking.js';
import {createKeyServices} from '../adapters/images/kms/key-services.js';
import type {ApiCall} from '../adapters/kube/api-call.js';
import {createCongestion} from '../adapters/kube/congestion.js';
import {createKubeClient} from '../adapters/kube/client.js';
import type {ProfileServer} from '../adapters/profile-server.js';
import {createDiscovery} from '../adapters/kube/discovery.js';
import type {Logger} from '../adapters/log/logger.js';
import {createRegexEngine} from '../adapters/regex/regex-engine.js';
import {createEngine} from '../engine/run/create-engine.js';
import {Quarantine} from '../engine/quarantine/quarantine.js';
import {PolicyCache} from '../engine/snapshot/policy-cache.js';
import packageJson from '../package.json' with {type: 'json'};
import {createMetrics} from '../webhook/metrics/metrics.js';
import {createPolicyReview} from '../webhook/policy-review/review-object.js';
import {createAdmissionServer} from '../webhook/server.js';
import {certificateCheck, readinessOf} from '../webhook/readiness.js';
import type {AdmissionServer, RequestFilters} from '../webhook/types.js';
import {allDuties, createDuties, type Duty, leaseOfDuty} from './duties/duties.js';
import {createWorkers} from './duties/workers.js';
import {featureSet, joinSinks} from './feature-set.js';
import {createFeatures} from './features.js';
import type {OperatorConfig} from './config/config-map.js';
import {metricsSecretNames, type OperatorEnvironment, secretNames} from './config/environment.js';
import type {Flags} from './config/flags.js';
import type {Settings} from './settings/settings.js';
import {restoreNulls} from './config/restore-nulls.js';
import {createEventEmitter} from './events/event-emitter.js';
import {createLiveReplicas} from './leases/live-replicas.js';
import {createReplicaLease} from './leases/replica-lease.js';
import {celRegistrations} from './cel-policies/cel-handlers.js';
import {createCelFamily, hasConditions} from './cel-policies/cel-serving.js';
import {celStatusSource, lacksRights} from './cel-policies/cel-status-source.js';
import {createOffload} from './cel-policies/offload.js';
import {followRights} from './permissions/follow-rights.js';
import {createOwnRights} from './permissions/own-rights.js';
import {createWorkerRights} from './permissions/worker-rights.js';
import type {CelPolicyState} from '../engine/cel-policies/snapshot/cel-policy-cache.js';
import {EntryStore} from './global-context/entry-store.js';
import {createManager} from './manager/manager.js';
import {followDefinitions} from './definitions/follow-definitions.js';
import {createWorkQueue} from './manager/work-queue.js';
import {classicStatusSource} from './policies/classic-status-source.js';
import {NativePolicies} from './native-policies/native-states.js';
import type {Condition} from './status/conditions.js';
import {createPolicyHandlers} from './policies/policy-handlers.js';
import {replicaState, servedKinds} from './policies/replica-state.js';
import {BackgroundConditions} from './status/background-conditions.js';
import {joinStatusSources} from './policies/status-sources.js';
import {createStatusController} from './policies/status-controller.js';
import {tellRefused} from './policies/refused-event.js';
import {Findings} from './reports/findings.js';
import {QuarantineNotices} from './quarantine/quarantine-notices.js';
import {registerPolicyMetrics} from './policies/policy-metrics.js';
import {metricsSecretKey, registrations} from './registrations.js';
import {RoleIndex} from './roles/role-index.js';
import {endpointGone, isGoingDown, ownDeployment, relaxWebhooks} from './serving/shutdown.js';
import {createContextLoader} from './serving/context-loader.js';
import {createOperatorImages} from './serving/images.js';
import {eventSink} from './serving/event-sink.js';
import {createScrapes} from './serving/scrapes.js';
import {requestFilters} from './serving/filters.js';
import {createClientQueries} from './telemetry/client-queries.js';
import {createControllerSeries} from './telemetry/controller-series.js';
import {eventLosses} from './telemetry/event-losses.js';
import {startProfiles} from './telemetry/profiles.js';
import {startTracing, type Tracing} from './telemetry/tracing.js';
import {KyvernoOperator} from './shell/kyverno-operator.js';
import {createMetricsTls} from './tls/metrics-tls.js';
import {createTlsController} from './tls/tls-controller.js';
import {writePeerCondition} from './takeover/deployment-condition.js';
import {createPeerWatch} from './takeover/peer-watch.js';
import {createContests} from './webhooks/contests.js';
import {areServed} from './webhooks/entry-target.js';
import {isLeaving, ownerReference} from './webhooks/owner.js';
import {carryBundle} from './webhooks/published-bundle.js';
import {repairConfigurations} from './webhooks/repair-configurations.js';
import {configurationResources, createWebhookController} from './webhooks/webhook-controller.js';

export interface ProcessOptions {
  readonly settings: Settings;
  readonly environment: OperatorEnvironment;
  readonly kubeConfig: KubeConfig;
  readonly log: Logger;
}

export interface OperatorProcess {
  /** Resolves when admission is served and every cache is complete, or when `stopped` resolves before. */
  start(stopped: Promise<void>): Promise<void>;
  /** Drains admission, gives leadership back, ends. */
  stop(): Promise<void>;
}

const writesEndMs = 3_000;
const renewCheckMs = 12 * 3_600_000;

/** Wires the one process: reconcile handlers and admission over one cache. */
export function createProcess({settings, environment, kubeConfig, log}: ProcessOptions): OperatorProcess {
  const {flags} = settings;
  const clock = systemClock;
  const {namespace, podName} = environment;
  const metrics = createMetrics({version: packageJson.version});
  const congestion = createCongestion(clock);
  const onWritten = ({operation, group, resource}: ApiCall, milliseconds: number) => congestion.note(`${operation} ${resource}.${group}`, milliseconds);
  const client = createKubeClient({
    kubeConfig,
    userAgent: 'kyverno',
    get qps() {
      return flags.clientRateLimitQPS;
    },
    get burst() {
      return flags.clientRateLimitBurst;
    },
    log,
    clock,
    onCall: call => queries(call),
    onWritten,
  });
  const discovery = createDiscovery({client, log});
  const resources = () => discovery.resourceMap;
  const queries = createClientQueries(metrics.registry, resources);
  const controllers = createControllerSeries(metrics.registry);
  const manager = createManager({client, clock, log, metrics: controllers});
  const regex = createRegexEngine();
  const providerLack = (provider: string) => lackOf(provider, process.env);
  const keyServices = createKeyServices({clock, directory: flags.kmsPluginsDirectory, variables: flags.kmsPluginEnvironment, environment: process.env, onFailure: (program, told) => log.warn(`program ${program} reports a failure: ${told}`)});
  const lacks = {providerLack, keyServiceLack: keyServices.lackOf};
  const compile = {matchConditions: 'by-api-server', background: 'served', regex, ...lacks} as const;
  const exceptions = {
    enabled: flags.enablePolicyException,
    operatorNamespace: namespace,
    exceptionNamespace: flags.exceptionNamespace,
  };
  const native = new NativePolicies();
  const cache = new PolicyCache({resources, compile, exceptions, leaveOut: policy => native.standsIn(policy)});
  const roles = new RoleIndex();
  registerPolicyMetrics(metrics.registry, cache);
  const events = createEventEmitter({
    client,
    clock,
    log,
    hostname: hostname(),
    get maxQueued() {
      return flags.maxQueuedEvents;
    },
    get omit() {
      return flags.omitEvents;
    },
    get qps() {
      return flags.eventsRateLimitQPS;
    },
    get burst() {
      return flags.eventsRateLimitBurst;
    },
    onDropped: eventLosses(metrics.registry),
  });

  let filters: RequestFilters = filtersOf(settings.config);
  function filtersOf(current: OperatorConfig): RequestFilters {
    return requestFilters(current, {
      protectManagedResources: flags.protectManagedResources,
      ownServiceAccounts: `system:serviceaccount:${namespace}:`,
    });
  }

  const globalContext = new EntryStore();
  const images = createOperatorImages({client, clock, kubeConfig, flags, namespace, regex, registry: metrics.registry, environment: process.env, keyServices});
  const loader = createContextLoader({client, clock, manager, kubeConfig, flags, images, config: () => settings.config, globalContext, resources: discovery.resourceMap});
  const quarantined = new QuarantineNotices();
  const quarantine = new Quarantine({now: clock.now, onChange: quarantined.tell});
  const limits = {
    get bytes() {
      return settings.config.maxContextSize;
    },
  };
  const surroundings = {quarantine, resources, operatorNamespace: namespace, loader, regex, limits};
  const engine = createEngine({
    ...surroundings,
    policies: cache,
    allowServiceCalls: flags.allowHTTPInNamespacedPolicies,
    get forceIgnore() {
      return flags.forceFailurePolicyIgnore;
    },
  });

  const cel = createCelFamily({
    native,
    resources,
    regex,
    compile: {regex, ...lacks, allowHttp: flags.allowHTTPInNamespacedPolicies},
    exceptions,
    engine: {...surroundings, allowHttp: flags.allowHTTPInNamespacedPolicies},
    offload: () => offload,
    get defaultTimeout() {
      return flags.webhookTimeout;
    },
    get forceIgnore() {
      return flags.forceFailurePolicyIgnore;
    },
    backgroundUsers: new Set([flags.backgroundServiceAccountName, `system:serviceaccount:${namespace}:${environment.serviceAccountName}`]),
  });
  const offload = createOffload({
    ...{client, clock, log, regex},
    onAnswer() {
      webhooks.touch();
      // What guards their entries is told in their status.
      for (const state of cel.cache.policies()) if (state.status === 'served' && hasConditions(state.policy)) status.enqueue(state.kind, state.key);
    },
  });
  const rights = createOwnRights({client, clock, log});

  const workers = createWorkers({flags, own: client, create: impersonate => createKubeClient({kubeConfig, userAgent: 'kyverno', impersonate, get qps() { return flags.clientRateLimitQPS; }, get burst() { return flags.clientRateLimitBurst; }, log, clock, onCall: queries, onWritten})});

  const reportRights = createOwnRights({client: workers.of('reports'), clock, log, pauseMs: 1_000});
  const lateRights = followRights({
    rights: reportRights,
    clock,
    isLacking: () => leading && lacksRights(cel.cache, reportRights),
    onChange() {
      for (const {kind, key} of cel.cache.policies()) status.enqueue(kind, key);
    },
  });

  /** Holds the Lease; whether anything may be written is another question, see `leads`. */
  let holding = false;
  let leading = false;
  const conditions = new BackgroundConditions();
  conditions.subscribe((kind, key) => status.enqueue(kind, key));
  const features = featureSet(
    createFeatures(
      {
        ...{client, congestion, clock, log, discovery, resources, manager, cache, cel, native, rights, engine, loader, regex, metrics, events, flags, settings, environment, conditions, quarantined, findings: new Findings()},
        config: () => settings.config,
        filters: () => filters,
        replicas: () => replicas.list(),
        globalContext,
        covered: (kind, key) => webhooks.registered(kind === 'ClusterPolicy' || kind === 'Policy' ? key : `${kind}/${key}`),
        touchPolicy(kind, key) {
          webhooks.touch();
          status.enqueue(kind, key);
        },
        webhooksServed,
      },
      duty => (duty === 'admission' ? leading : duties.has(duty) && !peer.isActive),
      workers.of,
    ),
    log,
  );

  const secrets = secretNames(flags, environment);
  const tls = createTlsController({
    client,
    clock,
    log,
    namespace,
    caSecret: secrets.ca,
    tlsSecret: secrets.pair,
    service: environment.serviceName,
    get serverIP() {
      return flags.serverIP;
    },
    get algorithm() {
      return flags.tlsKeyAlgorithm;
    },
    get renewBefore() {
      return flags.renewBefore;
    },
    get manage() {
      return !flags.disableCertManagerController;
    },
    read: () => ({
      ca: manager.lister('secret-ca').get(`${namespace}/${secrets.ca}`),
      tls: manager.lister('secret-tls').get(`${namespace}/${secrets.pair}`),
    }),
    onBundle() {
      webhooks.touch();
      void repair();
    },
    isPublished: bundle => Object.values(configurationResources).every(resource => carryBundle(manager.lister(resource).objects(), bundle)),
  });

  const metricsSecrets = metricsSecretNames(flags);
  const metricsTls = createMetricsTls({
    ...{client, clock, log, flags, environment},
    read(which) {
      const name = metricsSecrets?.[which];
      return name === undefined ? undefined : manager.lister(metricsSecretKey[which]).get(`${namespace}/${name}`);
    },
  });

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

  const election = {
    namespace,
    identity: podName,
    // As client-go has it: six and five tries.
    retryMs: flags.leaderElectionRetryPeriod,
    leaseMs: 6 * flags.leaderElectionRetryPeriod,
    renewDeadlineMs: 5 * flags.leaderElectionRetryPeriod,
  };

  const peer = createPeerWatch({
    clock,
    log,
    registry: metrics.registry,
    deployments: () => manager.lister('peer-deployments'),
    ownDeployment: environment.deployment,
    replicas: () => [podName, ...replicas.list().map(({identity}) => identity)],
    leaseMs: election.leaseMs,
    onChange: onPeer,
  });

  const ownNamespace = () => manager.lister('namespaces').get(namespace);
  const service = {namespace, name: environment.serviceName};

  function webhooksServed(): boolean {
    // Written once and left to the administrator: whether they are right is not ours to say.
    if (!flags.autoUpdateWebhooks) return true;
    const caBundle = tls.certificate?.ca;
    const target = caBundle === undefined ? undefined : {service, caBundle};
    return Object.values(configurationResources).every(resource => areServed(manager.lister(resource).objects(), target));
  }

  const contests = createContests({
    clock,
    registry: metrics.registry,
    onStart(name, message) {
      log.error(message);
      const kind = name.includes('-mutating-') ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
      events.emit({
        regarding: {apiVersion: 'admissionregistration.k8s.io/v1', kind, namespace: '', name},
        reason: 'WebhookContested',
        action: 'None',
        note: message,
        source: 'kyverno-admission',
      });
    },
    onChange: touchAllStatus,
  });

  const webhooks = createWebhookController({
    client,
    clock,
    log,
    cache,
    resources,
    lister: manager.lister,
    config: () => settings.config,
    flags,
    service,
    caBundle: () => tls.certificate?.ca,
    owner: () => ownerReference({role: manager.lister('owner-role').get(environment.ownerRole), namespace: ownNamespace()}),
    isLeaving: () => isLeaving(ownNamespace()),
    contests,
    isNative: policy => native.standsIn(policy),
    cel: cel.webhooks,
    onApplied: () => status.enqueuePending(),
  });

  const status = createStatusController({
    client,
    clock,
    log,
    lister: manager.lister,
    ref: manager.ref,
    replicas: () => replicas.list(),
    registered: webhooks.registered,
    refusedConditions: webhooks.refusedConditions,
    source: joinStatusSources(
      classicStatusSource({cache, refusedConditions: webhooks.refusedConditions, notes: webhooks.notes, native, background: toldOf}),
      celStatusSource({cache: cel.cache, rights: reportRights, background: toldOf, native: policy => native.stateOf(policy), hasOwnConditions: policy => cel.hasOwnConditions(policy)}),
      kind => kind === 'ClusterPolicy' || kind === 'Policy',
    ),
  });

  function toldOf(kind: string, key: string): readonly Condition[] {
    return [...contests.conditions(), ...conditions.of(kind, key)];
  }

  function touchAllStatus(): void {
    for (const {key} of cache.policies()) status.enqueue(key.includes('/') ? 'Policy' : 'ClusterPolicy', key);
    for (const {kind, key} of cel.cache.policies()) status.enqueue(kind, key);
  }

  const handlers = createPolicyHandlers({
    cache,
    log,
    lister: manager.lister,
    onChange(kind, key, state, before) {
      status.enqueue(kind, key);
      webhooks.touch();
      lease.touch();
      features.tell.onPolicy(kind, key, state, before);
      if (state === undefined) metrics.forgetPolicy(key, kind);
      if (state?.status === 'refused') tellRefused(events, {apiVersion: 'kyverno.io/v1', kind, ...state});
      if (before?.status === 'served' && state?.status === 'refused') log.error(`policy ${key} failed after a change and was dropped out`);
    },
    // The leader before may have written late, or somebody by hand.
    onTouched: (kind, key) => status.enqueue(kind, key),
    onException() {
        lease.touch();
        features.tell.onException();
      },
  });

  function onCelPolicy(kind: string, key: string, state: CelPolicyState | undefined): void {
    void reportRights.refresh().then(() => {
      status.enqueue(kind, key);
      lateRights.touch();
    });
    webhooks.touch();
    lease.touch();
    features.tell.onCelPolicy(kind, key, state);
    if (state === undefined) metrics.forgetPolicy(key, kind);
    if (state?.status === 'refused') tellRefused(events, {apiVersion: 'policies.kyverno.io/v1beta1', ...state});
  }

  const wanted = new Set<Duty>(flags.roles as readonly Duty[]);
  const duties = createDuties({
    client,
    clock,
    log,
    wanted,
    election,
    onChange: duty => leadDuty(duty),
    onHolder: (lease, identity) => peer.held(lease, identity),
  });

  function leadDuty(duty: Duty): void {
    const now = duties.has(duty) && !peer.isActive;
    manager.setLeading(now, duty);
    features.setLeading(duty, now);
  }

  const operator = new KyvernoOperator({
    kubeConfig,
    client,
    manager,
    clock,
    log,
    handlers: [
      ...registrations({
        client,
        clock,
        manager,
        environment,
        secrets,
        metricsSecrets,
        roles,
        reconcilePolicy: handlers.reconcilePolicy,
        reconcileException: handlers.reconcileException,
        onSecret() {
          tls.refresh();
          renewals.add('certificates');
        },
        onMetricsSecret() {
          metricsTls?.refresh();
          renewals.add('metrics');
        },
        onConfiguration: () => webhooks.touch(),
        onDefinition: () => definitions.touch(),
        onPeer: () => peer.touch(),
        onConfig(data) {
          for (const problem of settings.setConfigMap(data)) log.warn(problem);
        },
      }),
      ...celRegistrations({
        cache: cel.cache,
        log,
        lister: manager.lister,
        onChange: onCelPolicy,
        onTouched: (kind, key) => status.enqueue(kind, key),
        onException() {
          // Conditions of a policy with exceptions are judged here.
          webhooks.touch();
          lease.touch();
          features.tell.onException();
        },
      }),
      ...features.registrations,
    ],
    election: {...election, name: leaseOfDuty.admission, onNewLeader: identity => peer.held(leaseOfDuty.admission, identity)},
    candidate: wanted.has('admission'),
    onStartedLeading: () => lead(true),
    onStoppedLeading: () => lead(false),
  });

  function lead(now: boolean): void {
    holding = now;
    log.info(now ? 'leading' : 'no longer leading', {identity: podName});
    applyLead();
  }

  /** A leader with a peer beside it keeps the Lease, so that the other one does not lead, and does nothing. */
  function applyLead(): void {
    const now = holding && !peer.isActive;
    leading = now;
    manager.setLeading(now);
    status.setLeading(now && ready);
    webhooks.setLeading(now && ready);
    if (ready) features.setLeading('admission', now);
    renewAll();
    if (now) renewals.resume();
    else renewals.pause();
    void repair();
  }

  function onPeer(): void {
    const {message} = peer;
    if (leading !== (holding && !peer.isActive)) applyLead();
    if (ready) for (const duty of allDuties) if (duty !== 'admission') leadDuty(duty);
    if (message !== undefined) {
      events.emit({
        regarding: {apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: environment.deployment},
        reason: 'PeerActive',
        action: 'None',
        note: message,
        source: 'kyverno-admission',
      });
    }
    void writePeerCondition({client, clock, log, namespace, deployment: environment.deployment}, message);
  }

  /** Until the caches are complete, what stands in the way of the cluster is put out of it; the full look follows. */
  async function repair(): Promise<void> {
    const caBundle = tls.certificate?.ca;
    // Whether there is a peer, or a certificate, is known only then.
    if (!leading || ready || manager.unreconciled().some(key => key === 'peer-deployments' || key.startsWith('secret-'))) return;
    try {
      await repairConfigurations({client, log, target: caBundle === undefined ? undefined : {service, caBundle}});
    } catch (error) {
      log.warn('webhook configurations could not be repaired before serving; they are written once the caches are complete', {error: String(error)});
    }
  }

  /** Tried until it works, by the leader: without certificates nothing is served. */
  const renewals = createWorkQueue({
    clock,
    concurrency: 1,
    firstRetryMs: 500,
    maxRetryMs: 30_000,
    async run(key) {
      if (key === 'metrics') {
        if ((await metricsTls?.renew()) === 'later') renewals.addAfter(key, 1_000);
        return;
      }
      // A webhook that nobody serves must not refuse the Secrets.
      await repair();
      if ((await tls.renew()) === 'later') renewals.addAfter(key, 1_000);
    },
    onError: (key, error, retryInMs) => log.error(`${key === 'metrics' ? 'certificates of /metrics' : key} could not be renewed`, {error: String(error), retryInMs}),
  });
  renewals.pause();

  function renewAll(): void {
    renewals.add('certificates');
    renewals.add('metrics');
  }

  const definitions = followDefinitions({
    clock,
    discovery,
    definitions: () => manager.lister('customresourcedefinitions').objects(),
    onError: error => log.warn('discovery could not be read; the former one stays', {error: String(error)}),
  });

  async function refreshDiscovery(): Promise<void> {
    try {
      await discovery.refresh();
    } catch (error) {
      log.warn('discovery could not be read; the former one stays', {error: String(error)});
    }
  }

  settings.subscribe(what => {
    if (what === 'metrics') return;
    filters = filtersOf(settings.config);
    webhooks.touch();
    renewAll();
    features.tell.onConfig(settings.config);
  });

  let ready = false;
  let server: AdmissionServer | undefined;
  let tracing: Tracing | undefined;
  let profiles: ProfileServer | undefined;
  const timers: NodeJS.Timeout[] = [];
  const scrapes = createScrapes({
    ...{metrics, flags, log},
    certificates: metricsTls,
    documents: environment.debugCache
      ? {'/debug/policies': () => [...cache.policies()].map(({key, uid, generation, status}) => ({key, uid, generation, status}))}
      : {},
  });

  function incomplete(): string | undefined {
    return ready ? undefined : `caches are not complete yet: ${manager.unreconciled().join(', ') || 'starting'}`;
  }

  function createServer(): AdmissionServer {
    return createAdmissionServer({
      engine,
      resources,
      roles: {rolesOf: (user, where) => roles.rolesOf(user, where)},
      filters: () => filters,
      policyReview: createPolicyReview({
        ...{resources, compile, exceptions, unknownKinds: 'refuse', restore: restoreNulls},
        cel: {regex, ...lacks, allowHttp: flags.allowHTTPInNamespacedPolicies},
        rights: createWorkerRights({client: workers.of('background'), account: flags.backgroundServiceAccountName || `system:serviceaccount:${namespace}:${environment.serviceAccountName}`, clock, log}),
      }),
      cel: cel.serving,
      policies: {has: key => cache.policy(key)?.status === 'served'},
      audit: joinSinks([eventSink({events, config: () => settings.config, uidOf: policy => (cel.cache.policy(policy.kind, policy.key) ?? cache.policy(policy.key))?.uid}), ...features.sinks]),
      ...(features.observer !== undefined && {observer: features.observer}),
      certificates: tls,
      readiness: readinessOf([incomplete, certificateCheck(tls, clock)]),
      complete: () => ready,
      metrics,
      traces: tracing,
      log,
      clock,
      limits: {auditCapacity: flags.maxAuditCapacity, auditWorkers: flags.maxAuditWorkers},
      get dumpPayload() {
        return flags.dumpPayload;
      },
      get dumpPatches() {
        return flags.dumpPatches;
      },
    });
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
    profiles = await startProfiles(flags, log);
    events.start();
    await operator.start();
    replicas.start();
    lease.start();
    manager.onReconciled(key => {
      if (servedKinds.has(key)) lease.touch();
    });
    if ((await Promise.race([over, tls.available])) === 'stopped') return;
    if ((await Promise.race([over, manager.reflector('peer-deployments').synced])) === 'stopped') return;
    await repair();
    tracing = await startTracing({flags, environment, client, log, version: packageJson.version});
    server = createServer();
    await server.listen(webhookPort(flags), flags.webhookServerHost || undefined);
    log.info('serving admission', {port: server.address()?.port});
    if ((await Promise.race([over, manager.whenReconciled()])) === 'stopped') return;
    ready = true;
    log.info(`ready: ${[...cache.policies()].length + [...cel.cache.policies()].length} policies`, {leading});
    status.setLeading(leading);
    webhooks.setLeading(leading);
    await features.start();
    features.setLeading('admission', leading);
    duties.start();
    timers.push(
      setInterval(renewAll, renewCheckMs),
      setInterval(() => void refreshDiscovery(), 15 * 60_000),
      setInterval(() => {
        if (leading) void replicas.cleanUp();
      }, 60_000),
    );
  }

  async function stop(): Promise<void> {
    lateRights.stop();
    for (const timer of timers) clearInterval(timer);
    peer.stop();
    log.info('stopping');
    await Promise.race([features.stop(), sleep(clock, writesEndMs)]);
    // A write that hangs on the API server must not keep us from draining within the grace of our Pod.
    await Promise.race([Promise.all([webhooks.stop(), status.stop(), renewals.stop(), definitions.stop(), offload.stop()]), sleep(clock, writesEndMs)]);
    if (isGoingDown(await ownDeployment(client, environment, log))) await relaxWebhooks(client, log);
    await Promise.all([
      operator.resign(),
      duties.resign(),
      server?.drain({endpointGone: () => endpointGone(client, environment, log), maxWaitMs: 10_000}),
    ]);
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

