import {defaultBuckets} from './series.js';

/** What is shown of one metric. */
export interface InstrumentSettings {
  /** False: the metric is not exposed at all. */
  readonly enabled: boolean;
  /** Labels left out; series that differ in them only are summed up. */
  readonly disabledLabels: readonly string[];
  /** Own upper bounds in seconds, ascending. */
  readonly buckets?: readonly number[];
}

/** How metrics are counted and shown; may change while they are. */
export interface MetricsSettings {
  /** Namespaces that count; an empty `include` takes all, `exclude` wins. */
  readonly namespaces: {readonly include: ReadonlySet<string>; readonly exclude: ReadonlySet<string>};
  /** Upper bounds of histograms in seconds, ascending. */
  readonly buckets: readonly number[];
  /** By name without `_total`. */
  readonly exposure: ReadonlyMap<string, InstrumentSettings>;
  /** Counters start anew at this interval, milliseconds; 0 = never. */
  readonly refreshMs: number;
}

export const defaultMetricsSettings: MetricsSettings = {
  namespaces: {include: new Set(), exclude: new Set()},
  buckets: defaultBuckets,
  exposure: new Map(),
  refreshMs: 0,
};

/** Older guides write the names of counters with `_total`, newer ones without; both mean the same metric. */
export function instrumentName(name: string): string {
  return name.endsWith('_total') ? name.slice(0, -'_total'.length) : name;
}

export function instrumentSettings({exposure}: MetricsSettings, name: string): InstrumentSettings | undefined {
  return exposure.size === 0 ? undefined : exposure.get(instrumentName(name));
}

/** Upper bounds that the histogram of this name shows. */
export function bucketsOf(settings: MetricsSettings, name: string): readonly number[] {
  return instrumentSettings(settings, name)?.buckets ?? settings.buckets;
}

/** Bounds to count by where several histograms are shown from one set of accumulators. */
export function countedBuckets(settings: MetricsSettings, names: readonly string[]): readonly number[] {
  return [...new Set(names.flatMap(name => bucketsOf(settings, name)))].sort((a, b) => a - b);
}

/** What has no namespace always counts. */
export function countsNamespace({namespaces}: MetricsSettings, namespace: string): boolean {
  if (namespace === '' || namespace === '-') return true;
  if (namespaces.exclude.has(namespace)) return false;
  return namespaces.include.size === 0 || namespaces.include.has(namespace);
}

export function sameBuckets(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((bound, index) => bound === other[index]);
}
