/** A label set's accumulators. Plain numbers on the hot path; text is made when a scrape asks. */
export interface CounterSeries {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

export interface HistogramSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Observations per bucket (not cumulative); the last one is beyond the highest bound. */
  readonly counts: number[];
  sum: number;
}

export const defaultBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 30,
];

export function newHistogramSeries(
  labels: Readonly<Record<string, string>>,
  buckets: readonly number[],
): HistogramSeries {
  return {labels, counts: new Array<number>(buckets.length + 1).fill(0), sum: 0};
}

/** `seconds` enters the first bucket whose bound is not below it. */
export function observe(series: HistogramSeries, buckets: readonly number[], seconds: number): void {
  let index = 0;
  while (index < buckets.length && seconds > buckets[index]!) index++;
  series.counts[index]!++;
  series.sum += seconds;
}
