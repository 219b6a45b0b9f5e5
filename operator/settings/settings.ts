import {createHash} from 'node:crypto';
import {defaultConfig, type OperatorConfig, parseConfig} from '../config/config-map.js';
import type {FlagKind} from '../config/flag-kinds.js';
import {flagTable} from '../config/flag-table.js';
import type {FlagName, Flags, FlagSources} from '../config/flags.js';
import type {JsonObject} from '../../engine/json/types.js';
import {parseMetricsConfig} from '../telemetry/metrics-config.js';
import {defaultMetricsSettings, type MetricsSettings} from '../../webhook/metrics/settings.js';
import {noResourceSettings, readResource, reasonOf, type RejectedKey, type ResourceSettings} from './read-resource.js';
import {redactSetting} from './redact.js';
import {configKeys, hotFlags, metricsKeys, resourceFlags} from './setting-keys.js';

export type Source = 'default' | 'environment' | 'flag' | 'configMap' | 'resource';

/** One setting as it is in force on this replica. Texts are as flags and ConfigMaps have them, without credentials. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: string;
  readonly source: Source;
}

/** A key that could not be used; the source below it is in force. */
export interface RejectedSetting extends RejectedKey {
  readonly source: 'configMap' | 'resource';
}

type Data = Readonly<Record<string, string>> | undefined;

export interface SettingsOptions {
  readonly flags: Flags;
  readonly sources: FlagSources;
  /** The KyvernoConfiguration as it was when this replica started; `undefined` = there was none. */
  readonly started?: JsonObject | undefined;
}

const kinds = new Map<string, FlagKind<unknown>>(Object.entries(flagTable));

/**
 * Every setting of the process, from environment, flags, the two ConfigMaps and the KyvernoConfiguration, in ascending
 * order; a key that is absent or rejected in one source leaves the source below in force.
 */
export class Settings {
  /** Reads through to the value of the moment for hot flags; others stay what they were at the start. */
  readonly flags: Flags;
  /** What they were made from, for another thread's. */
  readonly origin: SettingsOptions;
  readonly #given: Flags;
  readonly #sources: FlagSources;
  readonly #started: ResourceSettings;
  readonly #listeners = new Set<(what: 'all' | 'metrics') => void>();
  #resource: ResourceSettings;
  #configMap: Data;
  #metricsMap: Data;
  #config: OperatorConfig = defaultConfig;
  #metrics: MetricsSettings = defaultMetricsSettings;

  constructor(origin: SettingsOptions) {
    const {flags, sources, started} = origin;
    this.origin = origin;
    this.#given = flags;
    this.#sources = sources;
    this.#started = readResource(started);
    this.#resource = this.#started;
    this.flags = this.#liveFlags();
    this.#compute();
  }

  get config(): OperatorConfig {
    return this.#config;
  }

  get metrics(): MetricsSettings {
    return this.#metrics;
  }

  /** Told after each change of a source; `metrics`: of nothing but how metrics are shown. */
  subscribe(listener: (what: 'all' | 'metrics') => void): void {
    this.#listeners.add(listener);
  }

  /** The KyvernoConfiguration has changed; `undefined` = there is none any more. Gives the keys that cannot be used. */
  setResource(object: JsonObject | undefined): readonly RejectedKey[] {
    this.#resource = object === undefined ? noResourceSettings : readResource(object);
    this.#changed();
    return this.#resource.rejected;
  }

  /** Gives the problems of the ConfigMap's keys, a line each. */
  setConfigMap(data: Data): readonly string[] {
    this.#configMap = data;
    this.#changed();
    return parseConfig(data).problems;
  }

  /** The same of the ConfigMap of metrics. */
  setMetricsMap(data: Data): readonly string[] {
    this.#metricsMap = data;
    this.#changed('metrics');
    return parseMetricsConfig(data).problems;
  }

  /** A KyvernoConfiguration is in force. */
  get hasResource(): boolean {
    return this.#resource !== noResourceSettings;
  }

  /** Keys of the KyvernoConfiguration and of the ConfigMaps that cannot be used. */
  rejected(): readonly RejectedSetting[] {
    const ofMap = (data: Data, table: object, prefix: string): RejectedSetting[] =>
      Object.keys(table).flatMap(key => {
        if (data === undefined || !Object.hasOwn(data, key)) return [];
        return problemsOf(prefix, key, data[key]!).map(reason => ({key: `${prefix}${key}`, reason: redactSetting(reason), source: 'configMap' as const}));
      });
    return [
      ...this.#resource.rejected.map(each => ({...each, source: 'resource' as const})),
      ...ofMap(this.#configMap, configKeys, ''),
      ...ofMap(this.#metricsMap, metricsKeys, 'metrics.'),
    ];
  }

  /** Every setting but those without effect in this release, in the order of their tables. */
  effective(): readonly EffectiveSetting[] {
    const flags = resourceFlags.filter(name => !kinds.get(name)!.inert).map(name => this.#effectiveFlag(name));
    const keys = (table: object, data: Data, own: Readonly<Record<string, string>>, prefix: string): EffectiveSetting[] =>
      Object.keys(table).map(key => {
        const [source, text] = Object.hasOwn(own, key)
          ? (['resource', own[key]!] as const)
          : data !== undefined && Object.hasOwn(data, key) && data[key]!.trim() !== '' && isUsable(prefix, key, data[key]!)
            ? (['configMap', data[key]!] as const)
            : (['default', defaultTexts[`${prefix}${key}`] ?? ''] as const);
        return {key: `${prefix}${key}`, value: redactSetting(text), source};
      });
    return [
      ...flags,
      ...keys(configKeys, this.#configMap, this.#resource.config, ''),
      ...keys(metricsKeys, this.#metricsMap, this.#resource.metrics, 'metrics.'),
    ];
  }

  /** Settings of the KyvernoConfiguration that replicas take at their start, each with a digest of its value. */
  atStart(): Readonly<Record<string, string>> {
    return digests(this.#started);
  }

  /** The same as replicas would have it that started now. */
  wantedAtStart(): Readonly<Record<string, string>> {
    return digests(this.#resource);
  }

  #changed(what: 'all' | 'metrics' = 'all'): void {
    this.#compute();
    for (const listener of this.#listeners) listener(what);
  }

  #compute(): void {
    this.#config = parseConfig(overlaid(this.#configMap, this.#resource.config)).config;
    this.#metrics = parseMetricsConfig(overlaid(this.#metricsMap, this.#resource.metrics)).settings;
  }

  #ofFlag(name: FlagName): ResourceSettings {
    return hotFlags.has(name) ? this.#resource : this.#started;
  }

  #effectiveFlag(name: FlagName): EffectiveSetting {
    const set = this.#ofFlag(name).flags.get(name);
    if (set !== undefined) return {key: name, value: redactSetting(set.text), source: 'resource'};
    const source = this.#sources[name] ?? 'default';
    return {key: name, value: redactSetting(flagText(name, this.#given[name])), source};
  }

  #liveFlags(): Flags {
    const live = {};
    for (const name of kinds.keys()) {
      const flag = name as FlagName;
      Object.defineProperty(live, name, {
        enumerable: true,
        get: () => {
          const set = this.#ofFlag(flag).flags.get(flag);
          return set === undefined ? this.#given[flag] : set.value;
        },
      });
    }
    return live as Flags;
  }
}

/** What a flag holds, as one would write it. */
export function flagText(name: FlagName, value: unknown): string {
  const kind = kinds.get(name)!;
  if (value === kind.initial && kind.shown !== undefined) return kind.shown;
  if (kind.shown !== undefined) return `${Number(value)}ms`;
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** Defaults of keys that are not empty, for people. */
export const defaultTexts: Readonly<Record<string, string>> = {
  defaultRegistry: defaultConfig.defaultRegistry,
  enableDefaultRegistryMutation: String(defaultConfig.enableDefaultRegistryMutation),
  generateSuccessEvents: String(defaultConfig.generateSuccessEvents),
  updateRequestThreshold: String(defaultConfig.updateRequestThreshold),
  maxContextSize: '2Mi',
  'metrics.bucketBoundaries': defaultMetricsSettings.buckets.join(','),
  'metrics.metricsRefreshInterval': '0s',
};

/** A key of the resource takes the place of the ConfigMap's; without either there is no data. */
function overlaid(data: Data, own: Readonly<Record<string, string>>): Data {
  if (data === undefined && Object.keys(own).length === 0) return undefined;
  return {...data, ...own};
}

function isUsable(prefix: string, key: string, text: string): boolean {
  // Wrong parts of these are left out, and the rest holds.
  if (key === 'resourceFilters' || key === 'metricsExposure') return true;
  return problemsOf(prefix, key, text).length === 0;
}

function problemsOf(prefix: string, key: string, text: string): readonly string[] {
  const {problems} = prefix === '' ? parseConfig({[key]: text}) : parseMetricsConfig({[key]: text});
  return problems.map(reasonOf);
}

function digests({flags}: ResourceSettings): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  for (const [name, {text}] of flags) {
    if (!hotFlags.has(name)) out[name] = createHash('sha256').update(text).digest('hex').slice(0, 12);
  }
  return out;
}
