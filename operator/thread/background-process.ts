import {systemClock} from '../../adapters/clock.js';
import {cpuQuota} from '../../adapters/cpu-quota.js';
import {createCongestion} from '../../adapters/kube/congestion.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {createLoopShare} from '../../adapters/loop-share.js';
import {createMark} from '../../adapters/mark.js';
import {cpuProfile} from '../../adapters/profile-server.js';
import type {ThreadHandlers, ThreadPort} from '../../adapters/thread-port.js';
import {deepEqual} from '../../engine/json/equal.js';
import {parseJson} from '../../engine/json/parse.js';
import {type Json, ownPath} from '../../engine/json/types.js';
import {celRegistrations} from '../cel-policies/cel-handlers.js';
import type {Duty} from '../duties/duties.js';
import {featureSet} from '../feature-set.js';
import type {BackgroundCore} from '../feature.js';
import {createGlobalContextFeature} from '../global-context/global-context-feature.js';
import type {Registration} from '../manager/manager.js';
import {nativeMirrors} from '../native-policies/native-mirrors.js';
import {createPolicyHandlers} from '../policies/policy-handlers.js';
import {createFoundations, type ProcessOptions} from '../process/foundations.js';
import {createJudgement} from '../process/judgement.js';
import {configKey, configMapData, contextRegistrations, ownObject, policyRegistrations} from '../registrations.js';
import {Findings} from '../reports/findings.js';
import {createReportFeatures} from '../reports/reports-feature.js';
import {configurationApi, configurationName} from '../settings/start-configuration.js';
import {metricsConfigKey} from '../telemetry/metrics-feature.js';
import {createBackgroundFeature} from '../update-requests/background-feature.js';
import type {MemoryWork} from '../update-requests/memory-runs.js';
import type {ToAdmission, ToBackground} from './calls.js';
import {createFedDiscovery} from './fed-discovery.js';
import {createFedReflectors} from './fed-reflectors.js';
import {heldShare} from './held-share.js';
import {createSharedImages} from './shared-images.js';

export interface BackgroundProcessOptions extends ProcessOptions {
  /** To admission, with what is heard from there. */
  readonly connect: (handlers: ThreadHandlers<ToBackground>) => ThreadPort<ToAdmission>;
}

/**
 * What runs beside admission: scans, generation and reports, with policies compiled from the objects that admission passes on. Who
 * leads is decided there, too.
 */
export async function runBackgroundProcess({connect, ...options}: BackgroundProcessOptions): Promise<void> {
  const {settings, environment, log, memory} = options;
  const clock = systemClock;
  const congestion = createCongestion(clock);
  const reflectors = createFedReflectors(log);
  const kinds = createFedDiscovery();
  /** Kinds that are listed and watched from here: nobody else reads them. */
  const own = new Set<string>();
  const foundations = createFoundations(options, {
    discovery: kinds.discovery,
    reflectorFor: (registration, onChange) => (own.has(registration.key) ? undefined : reflectors.create(registration, onChange)),
    onWritten: ({operation, group, resource}, milliseconds) => congestion.note(`${operation} ${resource}.${group}`, milliseconds),
  });
  const {client, metrics, manager, events, workers} = foundations;
  const judgement = createJudgement(foundations, {onOffload: () => undefined, shareImages: images => createSharedImages(images, question => port.ask('image', question))});
  const {cache, cel, native, quarantined, globalContext} = judgement;
  const findings = new Findings();
  const duties = new Map<Duty, boolean>();
  let started = false;

  const core: Omit<BackgroundCore, 'isLeading' | 'worker'> = {
    ...foundations,
    ...judgement,
    ...{congestion, findings},
    share: heldShare(createLoopShare(clock, {lastAnswer: createMark(memory.answers).last, cores: cpuQuota()}), createMark(memory.heart), clock),
    config: () => settings.config,
    webhooksServed: () => port.ask('webhooksServed', undefined),
  };
  const ofDuty = (duty: Duty): BackgroundCore => ({...core, worker: workers.of(duty), isLeading: () => duties.get(duty) === true});
  const background = createBackgroundFeature(ofDuty('background'));
  const reports = createReportFeatures(ofDuty('reports'));
  // Admission tells of the entries; here they are only read.
  const entries = createGlobalContextFeature({...ofDuty('background'), isLeading: () => false, log: log.child({thread: 'background'}), events: {...events, emit: () => undefined}}, globalContext);
  const work = featureSet([{duty: 'background', ...background}, ...reports.features.map(feature => ({duty: 'reports' as const, ...feature}))], log);
  for (const {key} of work.registrations) own.add(key);

  function reworded(kind: string, key: string, gone: boolean): void {
    if (gone) metrics.forgetPolicy(key, kind);
    port.tell('reworded', {kind, key});
  }

  const changed = {log: silentLogger, lister: manager.lister, onTouched: () => undefined, onException: () => work.tell.onException()};
  const {reconcilePolicy, reconcileException} = createPolicyHandlers({
    ...changed,
    cache,
    onChange(kind, key, state, before) {
      work.tell.onPolicy(kind, key, state, before);
      reworded(kind, key, state === undefined);
    },
  });
  const registrations: readonly Registration[] = [
    ...policyRegistrations({reconcilePolicy, reconcileException}),
    ...celRegistrations({
      ...changed,
      cache: cel.cache,
      onChange(kind, key, state) {
        work.tell.onCelPolicy(kind, key, state);
        reworded(kind, key, state === undefined);
      },
    }),
    ...contextRegistrations(),
    ...nativeMirrors(),
    ...settingRegistrations(),
    ...(entries.registrations ?? []),
    ...work.registrations,
  ];

  /** Told of by admission; in force here, too. */
  function settingRegistrations(): Registration[] {
    const {namespace, configMapName, metricsConfigMapName} = environment;
    return [
      {...ownObject({key: configKey, resource: 'configmaps', namespace, name: configMapName}), reconcile: key => void settings.setConfigMap(configMapData(manager.lister(configKey).get(key)))},
      {
        ...ownObject({key: metricsConfigKey, resource: 'configmaps', namespace, name: metricsConfigMapName}),
        reconcile: key => void settings.setMetricsMap(configMapData(manager.lister(metricsConfigKey).get(key))),
      },
      {
        ...{key: configurationApi.resource, ...configurationApi, namespaced: false},
        reconcile: name => (name === configurationName ? takeConfiguration() : undefined),
      },
    ];
  }
  /** As last taken over: status writes change nothing. */
  let spec: Json | undefined;
  function takeConfiguration(): void {
    const object = manager.lister(configurationApi.resource).get(configurationName);
    const next = ownPath(object, 'spec');
    if (deepEqual(next ?? null, spec ?? null) && (object !== undefined || !settings.hasResource)) return;
    spec = next;
    settings.setResource(object);
  }

  metrics.configure(settings.metrics);
  settings.subscribe(what => {
    metrics.configure(settings.metrics);
    if (what === 'metrics') return;
    judgement.refilter();
    work.tell.onConfig(settings.config);
  });

  function applyDuty(duty: Duty): void {
    const has = duties.get(duty) === true;
    manager.setLeading(has, duty);
    work.setLeading(duty, has);
  }

  const port = connect({
    tells: {
      objects: reflectors.take,
      kinds: kinds.take,
      native({kind, key, entry}) {
        if (entry === undefined) native.drop(kind, key);
        else if (!native.put(kind, key, entry)) return;
        if (kind === 'ClusterPolicy') cache.refresh();
        else cel.cache.refresh();
      },
      duty({duty, has}) {
        duties.set(duty, has);
        if (started) applyDuty(duty);
      },
      finding: reports.take,
      refusal: reports.refuse,
      expect: ({uid, work: name}) => findings.expected.expect(uid, name),
      over: name => findings.expected.over(name),
      restartMetrics: () => metrics.restart(),
    },
    asks: {
      async remember(text) {
        await background.remember(parseJson(text) as unknown as MemoryWork);
      },
      ping: () => undefined,
      metrics: () => metrics.text(),
      profile: milliseconds => cpuProfile(milliseconds, new AbortController().signal),
      async rest() {
        for (const duty of duties.keys()) {
          duties.set(duty, false);
          if (started) applyDuty(duty);
        }
        await Promise.all([background.stop?.(), ...reports.workers.map(({stop}) => stop?.())]);
      },
      async stop() {
        await Promise.all([work.stop(), entries.stop?.()]);
        await Promise.all([manager.stop(), judgement.offload.stop(), events.stop(1_000)]);
        workers.close();
        client.close();
      },
    },
    onError: (name, error) => log.error('the thread of background work could not take in what it was told', {name, error: error instanceof Error ? (error.stack ?? error.message) : String(error)}),
  });
  quarantined.subscribe((policy, state) => port.tell('quarantine', {policy, state}));

  kinds.discovery.subscribe(() => work.tell.onDiscovery());
  for (const registration of registrations) manager.register(registration);
  events.start();
  manager.start();
  port.tell('mirror', registrations.map(({key}) => key).filter(key => !own.has(key)));
  await manager.whenReconciled();
  // What was there at the start may have gone before anybody watched.
  takeConfiguration();
  await work.start();
  started = true;
  log.v(1, 'the thread of background work is ready');
  for (const duty of duties.keys()) applyDuty(duty);
}
