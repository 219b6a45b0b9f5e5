import type {Budget} from '../../budget.js';
import type {Json, JsonObject} from '../../json/types.js';
import {isObject} from '../../json/types.js';
import {CelError} from '../errors.js';
import {isMap, mapEntries, runtimeName, toJson, typeOfValue} from '../values/index.js';
import type {Value} from '../values/value.js';
import {chargeWritten} from './charge.js';

/** Pairs of a `map(string, string)`; `at` is the argument's place, the receiver not counted. */
export function textPairs(value: Value, at: number): ReadonlyArray<readonly [string, string]> {
  if (!isMap(value)) throw invalid(at, `expected map(string, string), got ${typeName(value)}`);
  const pairs: Array<readonly [string, string]> = [];
  for (const [key, text] of mapEntries(value)) {
    if (typeof key !== 'string' || typeof text !== 'string') {
      throw invalid(at, `expected map(string, string), got ${typeName(key)} and ${typeName(text)} in it`);
    }
    pairs.push([key, text]);
  }
  return pairs;
}

/** A map as the JSON object that goes out; charged for as such. */
export function objectArgument(value: Value, at: number, budget: Budget): JsonObject {
  const json = jsonArgument(value, at, budget);
  if (!isObject(json)) throw invalid(at, `expected map(string, any), got ${typeName(value)}`);
  return json;
}

/** Any value as JSON that goes out; charged for as such. */
export function jsonArgument(value: Value, at: number, budget: Budget): Json {
  try {
    chargeWritten(value, budget);
    return toJson(value);
  } catch (thrown) {
    if (thrown instanceof CelError) throw invalid(at, thrown.message);
    throw thrown;
  }
}

export function textArgument(value: Value, at: number): string {
  if (typeof value !== 'string') throw invalid(at, `expected string, got ${typeName(value)}`);
  return value;
}

export function invalid(at: number, why: string): CelError {
  return new CelError(`invalid arg ${at}: ${why}`);
}

export function typeName(value: Value): string {
  return runtimeName(typeOfValue(value));
}
