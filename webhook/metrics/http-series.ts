import type {Registry} from 'prom-client';
import {exposeCounter, exposeHistogram} from './exposed-metric.js';
import {newHistogramSeries, observe, type CounterSeries, type HistogramSeries} from './series.js';
import {bucketsOf, type MetricsSettings, sameBuckets} from './settings.js';

const histogram = 'kyverno_http_requests_duration_seconds';

/** Routes are patterns of our own table, so their number is bounded. */
export function createHttpSeries(registry: Registry, settings: () => MetricsSettings) {
  let buckets = bucketsOf(settings(), histogram);
  const counters = new Map<string, CounterSeries>();
  const histograms = new Map<string, HistogramSeries>();
  exposeCounter(registry, {name: 'kyverno_http_requests_total', help: 'HTTP requests'}, () => counters.values());
  exposeHistogram(
    registry,
    {name: histogram, help: 'Seconds from headers read to answer sent'},
    {counted: () => buckets, shown: () => buckets, series: () => histograms.values()},
  );
  return {
    record(method: string, route: string, seconds: number): void {
      const key = `${method} ${route}`;
      let counter = counters.get(key);
      let durations = histograms.get(key);
      if (counter === undefined || durations === undefined) {
        const labels = {http_method: method, http_url: route};
        counter ??= {labels, value: 0};
        durations ??= newHistogramSeries(labels, buckets);
        counters.set(key, counter);
        histograms.set(key, durations);
      }
      counter.value++;
      observe(durations, buckets, seconds);
    },
    reset(): void {
      counters.clear();
      histograms.clear();
    },
    configured(): void {
      const wanted = bucketsOf(settings(), histogram);
      if (sameBuckets(wanted, buckets)) return;
      buckets = wanted;
      histograms.clear();
    },
  };
}
