import {type Metric, Registry} from 'prom-client';
import type {Sample} from './exposed-metric.js';
import {instrumentSettings, type MetricsSettings} from './settings.js';

/** The text of what `settings` shows of a registry. */
export async function exposition(registry: Registry, settings: MetricsSettings): Promise<string> {
  if (settings.exposure.size === 0) return registry.metrics();
  const view = new Registry();
  for (const metric of registry.getMetricsAsArray() as unknown as Metric<string>[]) {
    const {name} = metric as unknown as {readonly name: string};
    const shown = instrumentSettings(settings, name);
    if (shown?.enabled === false) continue;
    view.registerMetric(shown === undefined || shown.disabledLabels.length === 0 ? metric : withoutLabels(metric, new Set(shown.disabledLabels)));
  }
  return view.metrics();
}

interface Collected {
  readonly name: string;
  readonly values: readonly Sample[];
}

/** Info metrics say 1 for what is; their sum would say nothing. */
const info = /_info(_total)?$/;

function withoutLabels(metric: Metric<string>, dropped: ReadonlySet<string>): Metric<string> {
  const {name} = metric as unknown as {readonly name: string};
  const merged = {
    name,
    async get() {
      const collected = (await metric.get()) as unknown as Collected;
      return {...collected, values: mergeSamples(collected.values, dropped, info.test(name))};
    },
  };
  return merged as unknown as Metric<string>;
}

function mergeSamples(samples: readonly Sample[], dropped: ReadonlySet<string>, isInfo: boolean): Sample[] {
  const merged = new Map<string, {readonly sample: Sample; value: number}>();
  for (const sample of samples) {
    // `le` is what makes a histogram.
    const labels = Object.fromEntries(Object.entries(sample.labels).filter(([label]) => label === 'le' || !dropped.has(label)));
    const key = JSON.stringify([sample.metricName, Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, {sample: {...sample, labels}, value: sample.value});
    else known.value = isInfo ? Math.max(known.value, sample.value) : known.value + sample.value;
  }
  return [...merged.values()].map(({sample, value}) => ({...sample, value}));
}
