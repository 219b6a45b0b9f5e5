import type {Registry} from 'prom-client';
import {exposeCounter, exposeHistogram} from './exposed-metric.js';
import {newHistogramSeries, observe, type CounterSeries, type HistogramSeries} from './series.js';

/** Routes are patterns of our own table, so their number is bounded. */
export function createHttpSeries(registry: Registry, buckets: readonly number[]) {
  const counters = new Map<string, CounterSeries>();
  const histograms = new Map<string, HistogramSeries>();
  exposeCounter(registry, {name: 'kyverno_http_requests_total', help: 'HTTP requests'}, () => counters.values());
  exposeHistogram(
    registry,
    {name: 'kyverno_http_requests_duration_seconds', help: 'Seconds from headers read to answer sent'},
    {buckets, series: () => histograms.values()},
  );
  return {
    record(method: string, route: string, seconds: number): void {
      const key = `${method} ${route}`;
      let counter = counters.get(key);
      let histogram = histograms.get(key);
      if (counter === undefined || histogram === undefined) {
        const labels = {http_method: method, http_url: route};
        counters.set(key, (counter = {labels, value: 0}));
        histograms.set(key, (histogram = newHistogramSeries(labels, buckets)));
      }
      counter.value++;
      observe(histogram, buckets, seconds);
    },
  };
}
