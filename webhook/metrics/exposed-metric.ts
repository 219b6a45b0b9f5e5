import type {Metric, Registry} from 'prom-client';
import {labelText} from './label-text.js';
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

/** A metric of own accumulators: its text is had series by series, so that a scrape can be paused between any two. */
export interface ExposedMetric extends MetricHead {
  readonly type: 'counter' | 'histogram';
  /** One text per series, its lines ended. `dropped`: labels left out; series that differ in them only are summed up. */
  pieces(dropped: ReadonlySet<string>): Iterable<string | undefined>;
}

/** `undefined` for a metric of the library's own. */
export function exposedMetric(metric: object): ExposedMetric | undefined {
  return 'pieces' in metric ? (metric as ExposedMetric) : undefined;
}

/**
 * Shows own accumulators through a prom-client registry. prom-client hashes every label on every observation, which
 * for some thirteen labels and twenty rules costs more than judging them.
 */
function expose(registry: Registry, own: ExposedMetric, samples: () => Sample[]): void {
  const {name, help, type} = own;
  const metric = {
    ...own,
    aggregator: 'sum',
    get: () => Promise.resolve({name, help, type, aggregator: 'sum', values: samples()}),
    reset() {},
  };
  registry.registerMetric(metric as unknown as Metric<string>);
}

export function exposeCounter(registry: Registry, head: MetricHead, series: () => Iterable<CounterSeries>): void {
  function* pieces(dropped: ReadonlySet<string>) {
    if (dropped.size === 0) {
      for (const {labels, value} of series()) yield `${head.name}${inBraces(labelText(labels))} ${value}\n`;
      return;
    }
    const merged = new Map<string, number>();
    for (const {labels, value} of series()) {
      const text = labelText(labels, dropped);
      merged.set(text, (merged.get(text) ?? 0) + value);
      // Nothing to write yet, but a moment to pause at.
      yield undefined;
    }
    for (const [text, value] of merged) yield `${head.name}${inBraces(text)} ${value}\n`;
  }
  expose(registry, {...head, type: 'counter', pieces}, () => Array.from(series(), ({labels, value}) => ({labels, value})));
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
  /** Bounds are asked for per series: those of a paused scrape may have been exchanged meanwhile. */
  function* lines({counts, sum}: Pick<HistogramSeries, 'counts' | 'sum'>): Iterable<readonly [suffix: string, le: string | undefined, value: number]> {
    const counted = options.counted();
    const shown = options.shown();
    let total = 0;
    for (let index = 0; index < counts.length; index++) {
      total += counts[index]!;
      const bound = counted[index];
      if (bound === undefined && index < counts.length - 1) continue;
      if (bound === undefined || shown.includes(bound)) yield ['_bucket', bound === undefined ? '+Inf' : String(bound), total];
    }
    yield ['_sum', undefined, sum];
    yield ['_count', undefined, total];
  }
  function text(labels: string, series: Pick<HistogramSeries, 'counts' | 'sum'>): string {
    const braced = inBraces(labels);
    const opened = labels === '' ? '{' : `{${labels},`;
    let result = '';
    for (const [suffix, le, value] of lines(series)) result += `${head.name}${suffix}${le === undefined ? braced : `${opened}le="${le}"}`} ${value}\n`;
    return result;
  }
  function* pieces(dropped: ReadonlySet<string>) {
    if (dropped.size === 0) {
      for (const series of options.series()) yield text(labelText(series.labels), series);
      return;
    }
    const merged = new Map<string, {counts: number[]; sum: number}>();
    for (const {labels, counts, sum} of options.series()) {
      const key = labelText(labels, dropped);
      const known = merged.get(key);
      if (known === undefined || known.counts.length !== counts.length) merged.set(key, {counts: [...counts], sum});
      else {
        known.sum += sum;
        counts.forEach((count, index) => {
          known.counts[index]! += count;
        });
      }
      yield undefined;
    }
    for (const [labels, series] of merged) yield text(labels, series);
  }
  expose(registry, {...head, type: 'histogram', pieces}, () =>
    Array.from(options.series(), series =>
      Array.from(lines(series), ([suffix, le, value]) => ({
        metricName: `${head.name}${suffix}`,
        labels: le === undefined ? series.labels : {...series.labels, le},
        value,
      })),
    ).flat(),
  );
}

function inBraces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
