import type {Metric, Registry} from 'prom-client';
import type {CounterSeries, HistogramSeries} from './series.js';

export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MetricHead {
  readonly name: string;
  readonly help: string;
}

/**
 * Shows own accumulators through a prom-client registry. prom-client hashes every label on every observation, which
 * for some thirteen labels and twenty rules costs more than judging them.
 */
function expose(registry: Registry, head: MetricHead, type: string, samples: () => Sample[]): void {
  const metric = {
    ...head,
    type,
    aggregator: 'sum',
    get: () => Promise.resolve({...head, type, aggregator: 'sum', values: samples()}),
    reset() {},
  };
  registry.registerMetric(metric as unknown as Metric<string>);
}

export function exposeCounter(registry: Registry, head: MetricHead, series: () => Iterable<CounterSeries>): void {
  expose(registry, head, 'counter', () => Array.from(series(), ({labels, value}) => ({labels, value})));
}

/** `counted`: bounds of the accumulators; `shown`: those of the metric, each of which is among them. */
export function exposeHistogram(
  registry: Registry,
  head: MetricHead,
  options: {
    readonly counted: () => readonly number[];
    readonly shown: () => readonly number[];
    readonly series: () => Iterable<HistogramSeries>;
  },
): void {
  expose(registry, head, 'histogram', () => {
    const samples: Sample[] = [];
    const counted = options.counted();
    const shown = new Set(options.shown());
    for (const {labels, counts, sum} of options.series()) {
      let total = 0;
      for (let index = 0; index < counts.length; index++) {
        total += counts[index]!;
        const bound = counted[index];
        if (bound !== undefined && !shown.has(bound)) continue;
        const le = bound === undefined ? '+Inf' : String(bound);
        samples.push({metricName: `${head.name}_bucket`, labels: {...labels, le}, value: total});
      }
      samples.push({metricName: `${head.name}_sum`, labels, value: sum});
      samples.push({metricName: `${head.name}_count`, labels, value: total});
    }
    return samples;
  });
}
