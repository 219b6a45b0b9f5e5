import type {Json, JsonNumber} from '../json/types.js';
import {isNumber} from '../json/types.js';
import {parseDuration} from '../values/duration.js';
import {parseFloatText, parseInt64} from '../values/number-parse.js';
import {compareQuantities, parseQuantity} from '../values/quantity.js';
import {compareSemver, parseSemver} from '../values/semver-compare.js';
import type {KeyTest} from './key-test.js';
import {compareAsDurations, compareNumbers, lazy, secondsToNanoseconds, unitDuration} from './operands.js';

export type OrderOperator = 'GreaterThan' | 'GreaterThanOrEquals' | 'LessThan' | 'LessThanOrEquals';

/**
 * The four comparisons. Strings are tried as durations, quantities, numbers and strict semantic versions, in this order;
 * numbers against numbers, durations (as seconds) and numeric texts. What has no order is false whatever the operator.
 */
export function prepareOrdering(operator: OrderOperator, value: Json): KeyTest {
  const compare = prepareComparison(value);
  return key => {
    const order = compare(key);
    return order !== undefined && holds(operator, order);
  };
}

function holds(operator: OrderOperator, order: number): boolean {
  switch (operator) {
    case 'GreaterThan':
      return order > 0;
    case 'GreaterThanOrEquals':
      return order >= 0;
    case 'LessThan':
      return order < 0;
    case 'LessThanOrEquals':
      return order <= 0;
  }
}

function prepareComparison(value: Json): (key: Json) => number | undefined {
  const duration = lazy(() => unitDuration(value));
  const quantity = lazy(() => (typeof value === 'string' ? parseQuantity(value) : undefined));
  const number = lazy(() => (isNumber(value) ? value : typeof value === 'string' ? numericText(value) : undefined));
  const version = lazy(() => (typeof value === 'string' ? parseSemver(value) : undefined));

  const compareNumber = (key: JsonNumber): number | undefined => {
    const order = compareAsDurations(key, value, duration());
    if (order !== undefined) return order;
    const wanted = number();
    return wanted === undefined ? undefined : compareNumbers(key, wanted);
  };
  return key => {
    if (isNumber(key)) return compareNumber(key);
    if (typeof key !== 'string') return undefined;
    const order = compareAsDurations(key, value, duration());
    if (order !== undefined) return order;
    const wantedQuantity = quantity();
    const keyQuantity = wantedQuantity && parseQuantity(key);
    if (wantedQuantity && keyQuantity) return compareQuantities(keyQuantity, wantedQuantity);
    const keyNumber = numericText(key);
    if (keyNumber !== undefined) return compareNumber(keyNumber);
    const wantedVersion = version();
    const keyVersion = wantedVersion && parseSemver(key);
    return wantedVersion && keyVersion && compareSemver(keyVersion, wantedVersion);
  };
}

function numericText(text: string): JsonNumber | undefined {
  return parseInt64(text) ?? parseFloatText(text);
}

/** The deprecated `Duration…` comparisons: duration texts or numbers of seconds, nothing else. */
export function prepareDurationOrdering(operator: OrderOperator, value: Json): KeyTest {
  const wanted = lazy(() => nanosecondsOf(value));
  return key => {
    const right = wanted();
    const left = nanosecondsOf(key);
    if (left === undefined || right === undefined) return false;
    return holds(operator, left < right ? -1 : left > right ? 1 : 0);
  };
}

function nanosecondsOf(value: Json): bigint | undefined {
  if (typeof value === 'string') return parseDuration(value);
  return isNumber(value) ? secondsToNanoseconds(value) : undefined;
}
