import type {Registry} from 'prom-client';
import {exposeCounter, exposeHistogram} from './exposed-metric.js';
import {createNamespaceCap} from './namespace-cap.js';
import {newHistogramSeries, observe, type HistogramSeries} from './series.js';
import {bucketsOf, countedBuckets, countsNamespace, type MetricsSettings, sameBuckets} from './settings.js';

export interface SeriesOptions {
  readonly settings: () => MetricsSettings;
  readonly maxNamespaces: number;
  /** Beyond it, kinds and namespaces are counted under `other`: the listener takes reviews from anybody. */
  readonly maxLabelSets: number;
}

const histogramNames = ['kyverno_admission_review_duration_seconds', 'kyverno_webhook_duration_seconds'];

/** One histogram per label set serves two histograms' and two counters' names: the guide's and the field's. */
export function createAdmissionSeries(registry: Registry, options: SeriesOptions) {
  let buckets = countedBuckets(options.settings(), histogramNames);
  const series = new Map<string, HistogramSeries>();
  const namespaceLabel = createNamespaceCap(options.maxNamespaces);
  function* counts() {
    for (const {labels, counts} of series.values()) {
      yield {labels, value: counts.reduce((total, count) => total + count, 0)};
    }
  }
  for (const name of ['kyverno_admission_requests_total', 'kyverno_webhooks_processed_total']) {
    exposeCounter(registry, {name, help: 'Admission requests judged'}, counts);
  }
  for (const name of histogramNames) {
    exposeHistogram(
      registry,
      {name, help: 'Seconds to judge an admission request'},
      {counted: () => buckets, shown: () => bucketsOf(options.settings(), name), series: () => series.values()},
    );
  }
  return {
    record(
      request: {readonly kind: string; readonly namespace: string; readonly operation: string},
      webhook: 'validate' | 'mutate',
      outcome: {readonly allowed: boolean; readonly seconds: number},
    ): void {
      if (!countsNamespace(options.settings(), request.namespace)) return;
      const key = `${request.kind}|${request.namespace}|${request.operation}|${webhook}|${outcome.allowed}`;
      let entry = series.get(key);
      if (entry === undefined) {
        const full = series.size >= options.maxLabelSets;
        const namespace = full ? 'other' : namespaceLabel(request.namespace);
        const kind = full ? 'other' : request.kind;
        const capped = `${kind}|${namespace}|${request.operation}|${webhook}|${outcome.allowed}`;
        entry = series.get(capped);
        if (entry === undefined) {
          const labels = {
            resource_kind: kind,
            resource_namespace: namespace,
            resource_request_operation: request.operation.toLowerCase(),
            request_allowed: String(outcome.allowed),
            request_webhook: webhook === 'mutate' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
          };
          series.set(capped, (entry = newHistogramSeries(labels, buckets)));
        }
      }
      observe(entry, buckets, outcome.seconds);
    },
    reset(): void {
      series.clear();
    },
    /** Other bounds begin anew: what was counted by the former ones cannot be told apart. */
    configured(): void {
      const wanted = countedBuckets(options.settings(), histogramNames);
      if (sameBuckets(wanted, buckets)) return;
      buckets = wanted;
      series.clear();
    },
  };
}
