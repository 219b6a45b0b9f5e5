import {hostname} from 'node:os';
import type {KubeConfig} from '@kubernetes/client-node';
import {systemClock} from '../../adapters/clock.js';
import type {ApiCall} from '../../adapters/kube/api-call.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {createDiscovery, type Discovery} from '../../adapters/kube/discovery.js';
import type {Logger} from '../../adapters/log/logger.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import packageJson from '../../package.json' with {type: 'json'};
import {createMetrics} from '../../webhook/metrics/metrics.js';
import type {OperatorEnvironment} from '../config/environment.js';
import {createWorkers} from '../duties/workers.js';
import {createEventEmitter} from '../events/event-emitter.js';
import {createManager, type ManagerOptions} from '../manager/manager.js';
import {createOwnRights} from '../permissions/own-rights.js';
import type {Settings} from '../settings/settings.js';
import {createClientQueries} from '../telemetry/client-queries.js';
import {createControllerSeries} from '../telemetry/controller-series.js';
import {eventLosses} from '../telemetry/event-losses.js';
import type {SharedMemory} from './shared-memory.js';

export interface ProcessOptions {
  readonly settings: Settings;
  readonly environment: OperatorEnvironment;
  readonly kubeConfig: KubeConfig;
  readonly log: Logger;
  readonly memory: SharedMemory;
}

/** What a thread beside the main one has from elsewhere. */
export interface BesideMain {
  readonly discovery: Discovery;
  readonly reflectorFor: ManagerOptions['reflectorFor'];
  /** A write took so long. */
  readonly onWritten: (call: ApiCall, milliseconds: number) => void;
}

export type Foundations = ReturnType<typeof createFoundations>;

/** What everything else stands on: clients of the API server, kinds, caches, metrics and Events. */
export function createFoundations({settings, environment, kubeConfig, log, memory}: ProcessOptions, beside?: BesideMain) {
  const {flags} = settings;
  const clock = systemClock;
  const metrics = createMetrics({version: packageJson.version, processMetrics: beside === undefined});
  const createClient = (impersonate?: string) =>
    createKubeClient({
      kubeConfig,
      userAgent: 'kyverno',
      // An account of its own has a budget of its own.
      ...(impersonate === undefined ? {budget: memory.requests} : {impersonate}),
      get qps() {
        return flags.clientRateLimitQPS;
      },
      get burst() {
        return flags.clientRateLimitBurst;
      },
      log,
      clock,
      onCall: call => queries(call),
      ...(beside && {onWritten: beside.onWritten}),
    });
  const client = createClient();
  const discovery = beside?.discovery ?? createDiscovery({client, log});
  const resources = () => discovery.resourceMap;
  const queries = createClientQueries(metrics.registry, resources);
  const manager = createManager({client, clock, log, metrics: createControllerSeries(metrics.registry), reflectorFor: beside?.reflectorFor});
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
    budget: memory.events,
    onDropped: eventLosses(metrics.registry),
  });
  return {
    ...{settings, flags, environment, kubeConfig, log, clock, metrics, client, discovery, resources, manager, events},
    regex: createRegexEngine(),
    rights: createOwnRights({client, clock, log}),
    workers: createWorkers({flags, own: client, ownUser: `system:serviceaccount:${environment.namespace}:${environment.serviceAccountName}`, create: createClient}),
    service: {namespace: environment.namespace, name: environment.serviceName},
  };
}
