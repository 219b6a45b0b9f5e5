import {createAddressGuard} from '../../adapters/http/address-guard.js';
import {createUrlAllowlist, createHttpEgress, withHostsOfUrls} from '../../adapters/http/http-egress.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {isInteger, isNumber, isObject, type Json, type JsonObject, own, toDouble} from '../../engine/json/types.js';
import {parseConfig} from '../config/config-map.js';
import type {FlagKind} from '../config/flag-kinds.js';
import {flagTable} from '../config/flag-table.js';
import type {FlagName} from '../config/flags.js';
import {parseMetricsConfig} from '../telemetry/metrics-config.js';
import {redactSetting} from './redact.js';
import {configKeys, type KeyForm, metricsKeys, resourceFlags} from './setting-keys.js';

export interface RejectedKey {
  /** As in the resource: `metrics.namespaces`. */
  readonly key: string;
  /** One line that repeats no credentials. */
  readonly reason: string;
}

/** The spec of a KyvernoConfiguration, as far as it can be used; texts are as flags and ConfigMaps have them. */
export interface ResourceSettings {
  readonly flags: ReadonlyMap<FlagName, {readonly value: unknown; readonly text: string}>;
  readonly config: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, string>>;
  readonly rejected: readonly RejectedKey[];
}

export const noResourceSettings: ResourceSettings = {flags: new Map(), config: {}, metrics: {}, rejected: []};

const kinds = new Map<string, FlagKind<unknown>>(Object.entries(flagTable));
const known = new Set<string>([...resourceFlags, ...Object.keys(configKeys), 'metrics']);

/**
 * Reads a KyvernoConfiguration; `undefined` = there is none. Every key stands for itself: one that cannot be used is
 * rejected as a whole, so that the lower source stays in force, and takes no other one along.
 */
export function readResource(object: JsonObject | undefined): ResourceSettings {
  const spec = object === undefined ? undefined : own(object, 'spec');
  if (!isObject(spec)) return noResourceSettings;
  const flags = new Map<FlagName, {value: unknown; text: string}>();
  const config: Record<string, string> = {};
  const metrics: Record<string, string> = {};
  const rejected: RejectedKey[] = [];

  function attempt(key: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      rejected.push({key, reason: redactSetting(error instanceof Error ? error.message : String(error))});
    }
  }

  for (const name of resourceFlags) {
    const value = own(spec, name);
    if (value === undefined || value === null) continue;
    attempt(name, () => void flags.set(name, readFlag(name, value)));
  }
  for (const [key, form] of Object.entries(configKeys)) {
    const value = own(spec, key);
    if (value === undefined || value === null) continue;
    attempt(key, () => {
      config[key] = checked(textOfForm(form, value), text => parseConfig({[key]: text}).problems);
    });
  }
  const below = own(spec, 'metrics') ?? null;
  if (isObject(below)) {
    for (const [key, form] of Object.entries(metricsKeys)) {
      const value = own(below, key);
      if (value === undefined || value === null) continue;
      attempt(`metrics.${key}`, () => {
        metrics[key] = checked(textOfForm(form, value), text => parseMetricsConfig({[key]: text}).problems);
      });
    }
    for (const key of Object.keys(below)) {
      if (!Object.hasOwn(metricsKeys, key)) rejected.push({key: `metrics.${key}`, reason: 'there is no such setting'});
    }
  } else if (below !== null) rejected.push({key: 'metrics', reason: 'it is no object'});
  for (const key of Object.keys(spec)) {
    if (!known.has(key)) rejected.push({key, reason: 'there is no such setting'});
  }
  return {flags, config, metrics, rejected};
}

function readFlag(name: FlagName, value: Json): {value: unknown; text: string} {
  const kind = kinds.get(name)!;
  if (kind.inert) throw new Error('it has no effect in this release');
  const text = textOfForm(kind.form, value);
  const parsed = kind.parse(text);
  if (parsed === undefined) throw new Error(`${JSON.stringify(text)} is not valid: it takes ${kind.allowed}`);
  egressChecks[name]?.(parsed as readonly string[]);
  return {value: parsed, text};
}

/** Lists whose entries are read only when a policy calls: a wrong one must not wait until then. */
const egressChecks: Readonly<Partial<Record<FlagName, (entries: readonly string[]) => void>>> = {
  httpAllowlist(allow) {
    createUrlAllowlist(allow);
    createAddressGuard({allow: withHostsOfUrls(allow)});
    createHttpEgress({allow});
  },
  httpBlocklist(block) {
    createAddressGuard({block});
    createHttpEgress({block});
  },
};

/** The reason within a line that a reader of ConfigMaps gives. */
export function reasonOf(problem: string): string {
  return problem.replace(/^(metrics )?ConfigMap key \w+(, a part)?(, (?<name>[^:]*?))? is ignored: /, (...all) => {
    const {name} = all.at(-1) as {name?: string};
    return name === undefined ? '' : `${name}: `;
  });
}

/** A key's text when it is read without a problem; throws the problem else. */
function checked(text: string, problemsOf: (text: string) => readonly string[]): string {
  const [problem] = problemsOf(text);
  if (problem !== undefined) throw new Error(reasonOf(problem));
  return text;
}

/** Throws a text when the value is not of its form; the API server refuses most of that by the schema. */
function textOfForm(form: KeyForm, value: Json): string {
  switch (form) {
    case 'boolean':
      if (typeof value === 'boolean') return String(value);
      throw new Error('it is neither true nor false');
    case 'integer':
      if (isInteger(value)) return String(value);
      throw new Error('it is no whole number');
    case 'number':
      if (isNumber(value)) return String(toDouble(value));
      throw new Error('it is no number');
    case 'text':
      if (typeof value === 'string') return value;
      throw new Error('it is no text');
    case 'texts':
      return listOf(value, each => typeof each === 'string', 'texts').join(',');
    case 'filters':
      return listOf(value, each => typeof each === 'string', 'texts such as "[Event,*,*]"').join(' ');
    case 'numbers':
      return listOf(value, isNumber, 'numbers')
        .map(each => String(toDouble(each as number)))
        .join(',');
    case 'json':
      return stringifyJson(value);
  }
}

function listOf(value: Json, isItem: (item: Json) => boolean, what: string): readonly Json[] {
  if (Array.isArray(value) && value.every(isItem)) return value;
  throw new Error(`it is no list of ${what}`);
}
