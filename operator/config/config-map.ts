import type {LabelSelector, MatchCondition} from '../../engine/policy/model.js';
import {parseQuantity} from '../../engine/values/quantity.js';
import {parseBoolean} from './flag-kinds.js';
import {isLabelValue, isQualifiedName, isRecord, readLabelSelector} from './label-selector.js';
import {parseResourceFilters, type ResourceFilter} from './resource-filters.js';
import type {UserExclusions} from './user-exclusions.js';
import {bootstrapMatchCondition} from '../webhooks/bootstrap-kinds.js';
import {insideSystemCondition, outsideSystemCondition} from '../webhooks/system-namespaces.js';

/** Settings that hold at once when the ConfigMap `kyverno` changes. */
export interface OperatorConfig {
  /** Objects that no policy sees. */
  readonly resourceFilters: readonly ResourceFilter[];
  /** Users whose requests are let through unseen. */
  readonly userExclusions: UserExclusions;
  /** Registry of images that name none; host, perhaps with a path. */
  readonly defaultRegistry: string;
  /** Whether such images are shown to policies with that registry. */
  readonly enableDefaultRegistryMutation: boolean;
  readonly generateSuccessEvents: boolean;
  /** Actions that make success events; empty = all. */
  readonly successEventActions: readonly string[];
  /** Selectors of our webhook configurations. */
  readonly webhooks: {readonly namespaceSelector?: LabelSelector; readonly objectSelector?: LabelSelector};
  readonly webhookAnnotations: Readonly<Record<string, string>>;
  readonly webhookLabels: Readonly<Record<string, string>>;
  /** CEL that the API server evaluates before it asks us. */
  readonly matchConditions: readonly MatchCondition[];
  /** Update requests that may wait before no more are made. */
  readonly updateRequestThreshold: number;
  /** Bytes that the context of one policy may take. */
  readonly maxContextSize: number;
}

/** What holds without a ConfigMap, and for each key that is missing or wrong. */
export const defaultConfig: OperatorConfig = {
  resourceFilters: [],
  userExclusions: {usernames: [], groups: [], roles: [], clusterRoles: []},
  defaultRegistry: 'docker.io',
  enableDefaultRegistryMutation: true,
  generateSuccessEvents: false,
  successEventActions: [],
  webhooks: {},
  webhookAnnotations: {},
  webhookLabels: {},
  matchConditions: [],
  updateRequestThreshold: 1000,
  maxContextSize: 2 * 1024 * 1024,
};

/** The API server takes 64; two places are for the conditions that keep bootstrap kinds and system namespaces out. */
const maxMatchConditions = 62;
const registry = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?(\/[A-Za-z0-9._-]+)*$/;

/**
 * Reads the data of the ConfigMap; `undefined` = there is none. A value that cannot be read counts as missing and gives
 * a line in `problems` that names its key; the other keys still hold.
 */
export function parseConfig(data: Readonly<Record<string, string>> | undefined): {
  config: OperatorConfig;
  problems: string[];
} {
  const problems: string[] = [];
  if (data === undefined) return {config: defaultConfig, problems};

  /** Value of a key; `read` throws a text where it cannot make sense of it. */
  function read<T>(key: string, fallback: T, parse: (text: string) => T): T {
    const text = Object.hasOwn(data ?? {}, key) ? data?.[key] : undefined;
    if (text === undefined || text.trim() === '') return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`ConfigMap key ${key} is ignored: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }

  const config: OperatorConfig = {
    resourceFilters: read('resourceFilters', defaultConfig.resourceFilters, text => {
      const {filters, problems: found} = parseResourceFilters(text);
      for (const problem of found) problems.push(`ConfigMap key resourceFilters, a part is ignored: ${problem}`);
      return filters;
    }),
    userExclusions: {
      usernames: read('excludeUsernames', [], list),
      groups: read('excludeGroups', [], list),
      roles: read('excludeRoles', [], list),
      clusterRoles: read('excludeClusterRoles', [], list),
    },
    defaultRegistry: read('defaultRegistry', defaultConfig.defaultRegistry, registryHost),
    enableDefaultRegistryMutation: read(
      'enableDefaultRegistryMutation',
      defaultConfig.enableDefaultRegistryMutation,
      bool,
    ),
    generateSuccessEvents: read('generateSuccessEvents', defaultConfig.generateSuccessEvents, bool),
    successEventActions: read('successEventActions', defaultConfig.successEventActions, list),
    webhooks: read('webhooks', defaultConfig.webhooks, selectors),
    webhookAnnotations: read('webhookAnnotations', defaultConfig.webhookAnnotations, text => textMap(text, () => true)),
    webhookLabels: read('webhookLabels', defaultConfig.webhookLabels, text => textMap(text, isLabelValue)),
    matchConditions: read('matchConditions', defaultConfig.matchConditions, matchConditions),
    updateRequestThreshold: read('updateRequestThreshold', defaultConfig.updateRequestThreshold, count),
    maxContextSize: read('maxContextSize', defaultConfig.maxContextSize, bytes),
  };
  return {config, problems};
}

function list(text: string): readonly string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
}

function bool(text: string): boolean {
  const value = parseBoolean(text.trim());
  if (value === undefined) throw new Error(`"${text}" is neither true nor false`);
  return value;
}

function count(text: string): number {
  const value = Number(text.trim());
  if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
    throw new Error(`"${text}" is no whole number from 0`);
  return value;
}

function bytes(text: string): number {
  const quantity = parseQuantity(text.trim());
  const value = quantity === undefined ? Number.NaN : Number(quantity.digits) / 10 ** quantity.scale;
  if (!(value >= 1 && value <= Number.MAX_SAFE_INTEGER)) throw new Error(`"${text}" is no size such as 2Mi`);
  return Math.floor(value);
}

function registryHost(text: string): string {
  if (!registry.test(text.trim())) throw new Error(`"${text}" is no registry host`);
  return text.trim();
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`it is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function selectors(text: string): OperatorConfig['webhooks'] {
  const value = json(text);
  if (!isRecord(value)) throw new Error('it is no JSON object with namespaceSelector and objectSelector');
  const out: {namespaceSelector?: LabelSelector; objectSelector?: LabelSelector} = {};
  for (const [key, each] of Object.entries(value)) {
    if (key !== 'namespaceSelector' && key !== 'objectSelector') throw new Error(`it has the unknown field ${key}`);
    if (each === null) continue;
    const selector = readLabelSelector(each);
    if (typeof selector === 'string') throw new Error(`${key} ${selector}`);
    out[key] = selector;
  }
  return out;
}

function textMap(text: string, isValue: (value: string) => boolean): Readonly<Record<string, string>> {
  const value = json(text);
  if (!isRecord(value)) throw new Error('it is no JSON object');
  const out: Record<string, string> = {};
  for (const [key, each] of Object.entries(value)) {
    if (!isQualifiedName(key)) throw new Error(`"${key}" is no valid key`);
    if (typeof each !== 'string' || !isValue(each)) throw new Error(`the value of "${key}" is not valid`);
    out[key] = each;
  }
  return out;
}

function matchConditions(text: string): readonly MatchCondition[] {
  const value = json(text);
  if (!Array.isArray(value)) throw new Error('it is no JSON list');
  if (value.length > maxMatchConditions) throw new Error(`it has more than ${maxMatchConditions} conditions`);
  const names = new Set<string>([bootstrapMatchCondition.name, outsideSystemCondition.name, insideSystemCondition.name]);
  return value.map((each: unknown, index) => {
    if (!isRecord(each)) throw new Error(`[${index}] is no object`);
    const {name, expression} = each;
    if (typeof name !== 'string' || !isQualifiedName(name)) throw new Error(`[${index}] has no valid name`);
    if (typeof expression !== 'string' || expression.trim() === '') throw new Error(`[${index}] has no expression`);
    if (names.has(name)) throw new Error(`two conditions are named ${name}`);
    names.add(name);
    return {name, expression};
  });
}
