import type {Json, JsonNumber} from '../json/types.js';
import {Float, isNumber, toDouble} from '../json/types.js';
import {parseDuration} from '../values/duration.js';

const nanosecondsPerSecond = 1_000_000_000n;

/** Computes once, on first use. */
export function lazy<T>(compute: () => T): () => T {
  let done = false;
  let value: T;
  return () => {
    if (!done) {
      value = compute();
      done = true;
    }
    return value;
  };
}

/** Whole seconds in nanoseconds; fractions are cut off. */
export function secondsToNanoseconds(value: JsonNumber): bigint {
  const seconds = typeof value === 'bigint' ? value : BigInt(Math.trunc(toDouble(value)));
  return seconds * nanosecondsPerSecond;
}

/** A duration text that says its unit: `"0"` alone does not make a comparison one of durations. */
export function unitDuration(value: Json): bigint | undefined {
  return typeof value === 'string' && value !== '0' ? parseDuration(value) : undefined;
}

/**
 * Both sides as durations when at least one is a duration text and the other is one too or a number of seconds;
 * negative, zero or positive as their order is. `undefined` when they are no pair of durations.
 */
export function compareAsDurations(key: Json, value: Json, valueDuration: bigint | undefined): number | undefined {
  let left = unitDuration(key);
  let right = valueDuration;
  if (left === undefined && right === undefined) return undefined;
  if (left === undefined && isNumber(key)) left = secondsToNanoseconds(key);
  if (right === undefined && isNumber(value)) right = secondsToNanoseconds(value);
  if (left === undefined || right === undefined) return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Exact also between 64-bit integers and doubles. */
export function compareNumbers(a: JsonNumber, b: JsonNumber): number {
  const left = a instanceof Float ? a.value : a;
  const right = b instanceof Float ? b.value : b;
  return left < right ? -1 : left > right ? 1 : 0;
}
