import type {Registry} from 'prom-client';
import {exposeCounter, exposeHistogram} from './exposed-metric.js';
import {createNamespaceCap} from './namespace-cap.js';
import {newHistogramSeries, observe, type HistogramSeries} from './series.js';

export interface SeriesOptions {
  readonly buckets: readonly number[];
  readonly maxNamespaces: number;
  /** Beyond it, kinds and namespaces are counted under `other`: the listener takes reviews from anybody. */
  readonly maxLabelSets: number;
}

/** One histogram per label set serves two histograms' and two counters' names: the guide's and the field's. */
export function createAdmissionSeries(registry: Registry, options: SeriesOptions) {
  const {buckets} = options;
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
  for (const name of ['kyverno_admission_review_duration_seconds', 'kyverno_webhook_duration_seconds']) {
    exposeHistogram(
      registry,
      {name, help: 'Seconds to judge an admission request'},
      {buckets, series: () => series.values()},
    );
  }
  return {
    record(
      request: {readonly kind: string; readonly namespace: string; readonly operation: string},
      webhook: 'validate' | 'mutate',
      outcome: {readonly allowed: boolean; readonly seconds: number},
    ): void {
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
  };
}
