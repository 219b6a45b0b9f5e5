import {Counter, Gauge, Histogram, Registry, collectDefaultMetrics} from 'prom-client';
import type {EngineRequest, PolicyResult} from '../../engine/types.js';
import {createAdmissionSeries} from './admission-series.js';
import {exposition} from './exposition.js';
import {createHttpSeries} from './http-series.js';
import type {ExecutionCause} from './policy-labels.js';
import {createPolicySeries} from './policy-series.js';
import {defaultMetricsSettings, type MetricsSettings} from './settings.js';

export type WebhookKind = 'validate' | 'mutate';
const auditLosses = ['queue-full', 'given-up', 'failed', 'closed'] as const;
const refusals = ['in-flight', 'body-size'] as const;
export type AuditLoss = (typeof auditLosses)[number];
export type Refusal = (typeof refusals)[number];

export interface MetricsOptions {
  readonly version: string;
  /** Upper bounds in seconds, ascending. */
  readonly buckets?: readonly number[];
  /** Namespaces named per kind and operation; further ones are counted under `other`. Default 200. */
  readonly maxNamespaces?: number;
  /** Combinations of kind, namespace and operation told apart; further ones are counted under `other`. Default 10,000. */
  readonly maxLabelSets?: number;
  /** Series of the process itself (memory, event loop). Default true. */
  readonly processMetrics?: boolean;
}

/** What the admission server counts. All methods are cheap enough for the request path. */
export interface Metrics {
  /** For further metrics of other rooms. */
  readonly registry: Registry;
  httpRequest(method: string, route: string, seconds: number): void;
  admission(
    request: {readonly kind: string; readonly namespace: string; readonly operation: string},
    webhook: WebhookKind,
    outcome: {readonly allowed: boolean; readonly seconds: number},
  ): void;
  /** `evaluated`/`applied`: seconds of the whole run, shared by the policies that carry no duration of their own. */
  policyResults(
    request: EngineRequest,
    results: readonly PolicyResult[],
    run: {readonly cause: ExecutionCause; readonly evaluated: number; readonly applied: number},
  ): void;
  auditAsked(): void;
  auditLost(reason: AuditLoss): void;
  auditQueued(length: number): void;
  requestRefused(reason: Refusal): void;
  /** Ends the series of a policy that is gone; `key` is `name` or `namespace/name`. */
  forgetPolicy(key: string, kind: string): void;
  /** Holds from now on; histograms whose bounds change begin anew. */
  configure(settings: MetricsSettings): void;
  /** Counters and histograms begin anew, so that series of what is long gone end. */
  restart(): void;
  /** Exposition text, Prometheus format, in parts: other work has its turn between them. */
  parts(): AsyncIterable<string>;
  /** The same in one. */
  text(): Promise<string>;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  let settings = options.buckets === undefined ? defaultMetricsSettings : {...defaultMetricsSettings, buckets: options.buckets};
  const maxNamespaces = options.maxNamespaces ?? 200;
  const maxLabelSets = options.maxLabelSets ?? 10_000;
  if (options.processMetrics !== false) collectDefaultMetrics({register: registry});
  new Gauge({name: 'kyverno_info', help: 'The version that runs', labelNames: ['version'], registers: [registry]})
    .labels(options.version)
    .set(1);
  const shared = {settings: () => settings, maxNamespaces, maxLabelSets};
  const http = createHttpSeries(registry, shared.settings);
  const admission = createAdmissionSeries(registry, shared);
  const policies = createPolicySeries(registry, shared);
  const ownSeries = [http, admission, policies];
  const auditCircuit = new Counter({
    name: 'kyverno_breaker_total',
    help: 'Work that asked to follow a request, taken on or given up',
    labelNames: ['circuit_name'],
    registers: [registry],
  });
  const auditDrops = new Counter({
    name: 'kyverno_breaker_drops_total',
    help: 'Work given up to protect the request path',
    labelNames: ['circuit_name', 'reason'],
    registers: [registry],
  });
  const auditLength = new Gauge({
    name: 'kyverno_audit_queue_length',
    help: 'Audit jobs that wait',
    registers: [registry],
  });
  const refused = new Counter({
    name: 'kyverno_admission_requests_refused_total',
    help: 'Requests answered without being judged, so that the failure policy of the webhook decides',
    labelNames: ['reason'],
    registers: [registry],
  });
  /** Series that begin at zero, so that the first increase is one. */
  const begin = () => {
    auditCircuit.labels('audit').inc(0);
    for (const reason of auditLosses) auditDrops.labels('audit', reason).inc(0);
    for (const reason of refusals) refused.labels(reason).inc(0);
  };
  begin();
  return {
    registry,
    httpRequest: http.record,
    admission: admission.record,
    policyResults: policies.record,
    auditAsked: () => auditCircuit.labels('audit').inc(),
    auditLost: reason => auditDrops.labels('audit', reason).inc(),
    auditQueued: length => auditLength.set(length),
    requestRefused: reason => refused.labels(reason).inc(),
    forgetPolicy: policies.forget,
    configure(next) {
      settings = next;
      for (const series of ownSeries) series.configured();
    },
    restart() {
      for (const series of ownSeries) series.reset();
      // Gauges show what is, whenever that was found out.
      for (const metric of registry.getMetricsAsArray() as unknown[]) {
        if (metric instanceof Counter || metric instanceof Histogram) metric.reset();
      }
      begin();
    },
    parts: () => exposition(registry, settings),
    async text() {
      let text = '';
      for await (const part of exposition(registry, settings)) text += part;
      return text;
    },
  };
}
