import {parseDuration} from '../../engine/values/duration.js';
import {defaultMetricsSettings, instrumentName, type InstrumentSettings, type MetricsSettings} from '../../webhook/metrics/settings.js';
import {isRecord} from '../config/label-selector.js';

/** Label sets are kept small by whoever scrapes too: more bounds than this are a slip. */
const maxBuckets = 100;
const maxInstruments = 1_000;

/**
 * Reads the data of the ConfigMap of metrics; `undefined` = there is none. A value that cannot be read counts as missing
 * and gives a line in `problems` that names its key; the other keys still hold.
 */
export function parseMetricsConfig(data: Readonly<Record<string, string>> | undefined): {settings: MetricsSettings; problems: string[]} {
  const problems: string[] = [];
  function read<T>(key: string, fallback: T, parse: (text: string) => T): T {
    const text = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
    if (text === undefined || text.trim() === '') return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`metrics ConfigMap key ${key} is ignored: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }
  const settings: MetricsSettings = {
    namespaces: read('namespaces', defaultMetricsSettings.namespaces, namespaces),
    buckets: read('bucketBoundaries', defaultMetricsSettings.buckets, text => bounds(text.split(',').map(part => Number(part.trim() || Number.NaN)))),
    exposure: read('metricsExposure', defaultMetricsSettings.exposure, text => exposure(text, problems)),
    refreshMs: read('metricsRefreshInterval', defaultMetricsSettings.refreshMs, interval),
  };
  return {settings, problems};
}

function namespaces(text: string): MetricsSettings['namespaces'] {
  const value = json(text);
  return {include: new Set(texts(value, 'include')), exclude: new Set(texts(value, 'exclude'))};
}

/** By name without `_total`: the keys of both spellings mean one metric, and the last one holds. */
function exposure(text: string, problems: string[]): MetricsSettings['exposure'] {
  const entries = Object.entries(json(text));
  if (entries.length > maxInstruments) throw new Error(`it names more than ${maxInstruments} metrics`);
  const found = new Map<string, InstrumentSettings>();
  for (const [name, value] of entries) {
    try {
      found.set(instrumentName(name), instrument(value));
    } catch (error) {
      problems.push(`metrics ConfigMap key metricsExposure, ${name} is ignored: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return found;
}

function instrument(value: unknown): InstrumentSettings {
  if (!isRecord(value)) throw new Error('it is no JSON object');
  const enabled = Object.hasOwn(value, 'enabled') ? value['enabled'] : true;
  if (typeof enabled !== 'boolean') throw new Error('enabled is neither true nor false');
  const own = Object.hasOwn(value, 'bucketBoundaries') ? value['bucketBoundaries'] : undefined;
  if (own !== undefined && own !== null && !Array.isArray(own)) throw new Error('bucketBoundaries is no list');
  return {
    enabled,
    disabledLabels: texts(value, 'disabledLabelDimensions'),
    ...(Array.isArray(own) && own.length > 0 && {buckets: bounds(own.map(Number))}),
  };
}

function bounds(values: readonly number[]): readonly number[] {
  if (values.some(value => !Number.isFinite(value))) throw new Error('it has a part that is no number');
  if (values.length > maxBuckets) throw new Error(`it has more than ${maxBuckets} numbers`);
  return [...new Set(values)].sort((one, other) => one - other);
}

function interval(text: string): number {
  const milliseconds = Number(parseDuration(text.trim()) ?? Number.NaN) / 1e6;
  if (!(milliseconds >= 0)) throw new Error(`"${text}" is no duration such as 24h`);
  return milliseconds;
}

function json(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`it is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (!isRecord(value)) throw new Error('it is no JSON object');
  return value;
}

function texts(value: Readonly<Record<string, unknown>>, field: string): readonly string[] {
  const list = Object.hasOwn(value, field) ? value[field] : undefined;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list) || list.some(each => typeof each !== 'string')) throw new Error(`${field} is no list of texts`);
  return list as string[];
}
