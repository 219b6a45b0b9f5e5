import {type Metric, Registry} from 'prom-client';
import {turn} from '../turn.js';
import {exposedMetric, type Sample} from './exposed-metric.js';
import {instrumentSettings, type MetricsSettings} from './settings.js';

/** So long a scrape keeps the event loop before requests have their turn: a thousand namespaces fill megabytes. */
const sliceMs = 2;
/** Pieces of text are gathered to about so many characters. */
const chunkLength = 64 * 1024;

/** The text of what `settings` shows of a registry, in parts, never long on the event loop at a time. */
export async function* exposition(registry: Registry, settings: MetricsSettings): AsyncGenerator<string, void, undefined> {
  let started = performance.now();
  let chunk = '';
  for (const metric of registry.getMetricsAsArray() as unknown as Metric<string>[]) {
    const shown = instrumentSettings(settings, nameOf(metric));
    if (shown?.enabled === false) continue;
    const dropped = new Set(shown?.disabledLabels);
    const own = exposedMetric(metric);
    if (own === undefined) chunk += await textOf(dropped.size === 0 ? metric : withoutLabels(metric, dropped));
    else {
      chunk += `# HELP ${own.name} ${own.help}\n# TYPE ${own.name} ${own.type}\n`;
      for (const piece of own.pieces(dropped)) {
        if (piece !== undefined) chunk += piece;
        if (performance.now() - started < sliceMs && chunk.length < chunkLength) continue;
        if (chunk.length >= chunkLength) {
          yield chunk;
          chunk = '';
        }
        await turn();
        started = performance.now();
      }
    }
    chunk += '\n';
    if (performance.now() - started >= sliceMs) {
      await turn();
      started = performance.now();
    }
  }
  yield chunk;
}

function textOf(metric: Metric<string>): Promise<string> {
  const one = new Registry();
  one.registerMetric(metric);
  return one.metrics();
}

function nameOf(metric: Metric<string>): string {
  return (metric as unknown as {readonly name: string}).name;
}

interface Collected {
  readonly name: string;
  readonly values: readonly Sample[];
}

/** Info metrics say 1 for what is; their sum would say nothing. */
const info = /_info(_total)?$/;

function withoutLabels(metric: Metric<string>, dropped: ReadonlySet<string>): Metric<string> {
  const name = nameOf(metric);
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
