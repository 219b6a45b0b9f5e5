import type {GivenValues} from '../../engine/context/given-values.js';
import {deepClone} from '../../engine/json/clone.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../../engine/json/types.js';
import type {ContextEntry} from '../../engine/policy/model.js';
import type {EngineRequest, PolicyRef} from '../../engine/types.js';
import {splitPath} from '../files/dotted-path.js';
import {setPath} from '../files/strict.js';
import type {ValuesSpec} from '../files/values-file.js';

export interface OfflineValuesOptions {
  readonly values: ValuesSpec | undefined;
  /** `key=value` of the command line; they win over the file. */
  readonly set?: ReadonlyMap<string, string>;
  readonly resolves: (type: ContextEntry['type']) => boolean;
}

type Flat = Readonly<Record<string, Json>>;

/**
 * Values files and `--set` as the engine takes them. For one policy and resource name: global values, over them the
 * resource's, over them the command line's, over them the rule's.
 */
export class OfflineValues implements GivenValues {
  readonly #options: OfflineValuesOptions;
  readonly #resources = new Map<string, JsonObject>();
  readonly #rules = new Map<string, JsonObject | undefined>();

  constructor(options: OfflineValuesOptions) {
    this.#options = options;
  }

  below(policy: PolicyRef, rule: string, request: EngineRequest): JsonObject | undefined {
    const key = `${policy.name}\n${rule}\n${request.name}`;
    if (this.#rules.has(key)) return this.#rules.get(key);
    // What makes the request has made it before the run; only a rule's values still lie over it.
    const shared = withoutRequest(this.#shared(policy.name, request.name));
    const own = this.#ruleOf(policy.name, rule)?.values ?? {};
    const merged = Object.keys(own).length === 0 ? shared : nested(own, deepClone(shared));
    const result = Object.keys(merged).length === 0 ? undefined : merged;
    this.#rules.set(key, result);
    return result;
  }

  above(policy: PolicyRef, rule: string): Readonly<Record<string, Json>> | undefined {
    const lists = this.#ruleOf(policy.name, rule)?.foreachValues;
    if (lists === undefined) return undefined;
    return nested(Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values[0] ?? null])), {});
  }

  resolves(type: ContextEntry['type']): boolean {
    return this.#options.resolves(type);
  }

  /** `request.operation` for a policy and resource, as given. */
  operation(policy: string, resource: string): Json | undefined {
    return ownPath(this.#shared(policy, resource), 'request', 'operation');
  }

  /** The object with the values that are given for `request.object…`. */
  overlay(policy: string, object: JsonObject): JsonObject {
    const name = ownPath(object, 'metadata', 'name');
    const given = ownPath(this.#shared(policy, typeof name === 'string' ? name : ''), 'request', 'object');
    return isObject(given) ? merge(object, given) : object;
  }

  #shared(policy: string, resource: string): JsonObject {
    const key = `${policy}\n${resource}`;
    const known = this.#resources.get(key);
    if (known !== undefined) return known;
    const {values, set} = this.#options;
    const result: JsonObject = {};
    nested(values?.globalValues ?? {}, result);
    for (const entry of values?.policies ?? []) {
      if (entry.name !== policy) continue;
      for (const item of entry.resources ?? []) if (item.name === resource) nested(item.values ?? {}, result);
    }
    nested(Object.fromEntries(set ?? []), result);
    this.#resources.set(key, result);
    return result;
  }

  #ruleOf(policy: string, rule: string) {
    for (const entry of this.#options.values?.policies ?? []) {
      if (entry.name !== policy) continue;
      const found = (entry.rules ?? []).find(({name}) => name !== undefined && coversRule(name, rule));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** A rule's name stands for its autogen twins too. */
export function coversRule(name: string, actual: string): boolean {
  return actual === name || actual === `autogen-${name}` || actual === `autogen-cronjob-${name}`;
}

function nested(flat: Flat, target: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(flat)) setPath(target, splitPath(key), deepClone(value));
  return target;
}

/** The object and the operation are the request's own, as long as it can have them. */
function withoutRequest(values: JsonObject): JsonObject {
  const request = own(values, 'request');
  if (!isObject(request)) return values;
  const {object: _object, ...rest} = request;
  if (operations.has(String(rest['operation'] ?? ''))) delete rest['operation'];
  return {...values, request: rest};
}

/** Operations that shape a request; any other is only shown to the policies. */
const operations = new Set(['CREATE', 'UPDATE', 'DELETE']);

function merge(before: JsonObject, after: JsonObject): JsonObject {
  const result: JsonObject = {...before};
  for (const [key, value] of Object.entries(after)) {
    const earlier = own(result, key);
    setOwn(result, key, isObject(earlier) && isObject(value) ? merge(earlier, value) : value);
  }
  return result;
}
