import {createCongestion} from '../../adapters/kube/congestion.js';
import {createLoopShare} from '../../adapters/loop-share.js';
import type {Clock} from '../../adapters/clock.js';
import {systemClock} from '../../adapters/clock.js';
import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createKubeContextLoader} from '../../adapters/kube/context-loader.js';
import {createSearchRoom, type SearchRoom} from '../../adapters/kube/search-room.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {noFilters} from '../../webhook/defaults.js';
import {createMetrics} from '../../webhook/metrics/metrics.js';
import {createCelFamily} from '../cel-policies/cel-serving.js';
import {defaultConfig} from '../config/config-map.js';
import {parseFlags} from '../config/flags.js';
import type {AdmissionCore, BackgroundCore, Feature} from '../feature.js';
import type {PolicyEvent} from '../events/event.js';
import {EntryStore} from '../global-context/entry-store.js';
import {NativePolicies} from '../native-policies/native-states.js';
import {Settings} from '../settings/settings.js';
import {BackgroundConditions} from '../status/background-conditions.js';
import {createManager} from '../manager/manager.js';
import {Findings} from '../reports/findings.js';
import {QuarantineNotices} from '../quarantine/quarantine-notices.js';

export interface TestCore {
  readonly core: AdmissionCore & BackgroundCore;
  readonly server: TestApiServer;
  readonly events: PolicyEvent[];
  /** Registers the feature's kinds, starts everything and makes this replica lead. */
  run(feature: Feature): Promise<void>;
  close(): Promise<void>;
}

export interface TestCoreOptions {
  readonly flags?: readonly string[];
  readonly clock?: Clock;
  /** What policies that look something up find: what is on the API server, or nothing. */
  readonly reads?: 'cluster' | 'nothing';
  /** Bytes of what searches may find at a time. */
  readonly searchBytes?: number | undefined;
}

/** What a feature is given, on an API server in this process. */
export async function createTestCore({flags = [], clock = systemClock, reads = 'nothing', searchBytes = 32 * 1024 * 1024}: TestCoreOptions = {}): Promise<TestCore> {
  const server = await startTestApiServer();
  const log = silentLogger;
  const client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log});
  const manager = createManager({client, clock, log});
  const events: PolicyEvent[] = [];
  const resources = () => builtinResourceMap;
  const features: Feature[] = [];
  const outcome = parseFlags([...flags], {});
  if ('error' in outcome) throw new Error(outcome.error);
  const settings = new Settings(outcome);
  const regex = createRegexEngine();
  const exceptions = {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'};
  const searchRoom = createSearchRoom({bytes: searchBytes});
  const loader = reads === 'nothing' ? recordingLoader() : clusterLoader(client, clock, searchRoom);
  const native = new NativePolicies();
  const cache = new PolicyCache({resources, compile: {matchConditions: 'by-api-server', background: 'served', regex}, exceptions});
  const core = {
    client,
    quarantined: new QuarantineNotices(),
    findings: new Findings(),
    engine: createEngine({policies: cache, resources, operatorNamespace: 'kyverno', loader, regex}),
    worker: client,
    congestion: createCongestion(clock),
    share: createLoopShare(clock, {lastAnswer: () => Number.NEGATIVE_INFINITY}),
    conditions: new BackgroundConditions(),
    native,
    covered: () => undefined,
    touchPolicy: () => undefined,
    webhooksServed: () => true,
    cel: createCelFamily({
      native,
      resources,
      regex,
      compile: {regex},
      exceptions,
      engine: {loader, regex, resources},
      offload: () => ({offloads: () => false, offloadsCondition: () => false, stop: async () => undefined}),
      defaultTimeout: 10,
      forceIgnore: false,
      backgroundUsers: new Set(),
    }),
    rights: {can: () => undefined, refresh: async () => false},
    clock,
    log,
    manager,
    resources,
    cache,
    loader,
    searchRoom,
    regex,
    metrics: createMetrics({version: 'test', processMetrics: false}),
    events: {emit: (event: PolicyEvent) => void events.push(event)},
    flags: outcome.flags,
    settings,
    replicas: () => [],
    environment: {namespace: 'kyverno', serviceAccountName: 'kyverno'},
    config: () => defaultConfig,
    filters: () => noFilters,
    globalContext: new EntryStore(),
    isLeading: () => true,
  } as unknown as AdmissionCore & BackgroundCore;
  return {
    core,
    server,
    events,
    async run(feature) {
      features.push(feature);
      for (const registration of feature.registrations ?? []) manager.register(registration);
      manager.start();
      manager.setLeading(true);
      await manager.whenSynced();
      await feature.start?.();
      feature.setLeading?.(true);
    },
    async close() {
      for (const feature of features) await feature.stop?.();
      await manager.stop();
      client.close();
      await server.close();
    },
  };
}

function clusterLoader(client: BackgroundCore['client'], clock: Clock, searchRoom: SearchRoom) {
  const none = {size: 0, get: () => undefined, keys: () => [].values(), objects: () => [].values(), inNamespace: () => [], byIndex: () => []};
  return createKubeContextLoader({client, clock, namespaces: none, lookup: createNameLookup(), resources: builtinResourceMap, searchRoom});
}
