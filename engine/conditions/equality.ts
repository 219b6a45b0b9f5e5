import {deepEqual} from '../json/equal.js';
import type {Json} from '../json/types.js';
import {isInteger, isNumber, isObject} from '../json/types.js';
import {compileGlob, globMatch} from '../values/glob.js';
import {parseFloatText, parseInt64} from '../values/number-parse.js';
import {compareQuantities, parseQuantity} from '../values/quantity.js';
import type {KeyTest, PrepareOptions} from './key-test.js';
import {compareAsDurations, compareNumbers, lazy, unitDuration} from './operands.js';

/**
 * `Equals` and `NotEquals`, which is its negation for every key but null. The key's type decides: booleans and numbers
 * by value, strings as durations, then quantities, then with the value as wildcard pattern; maps and lists deeply.
 */
export function prepareEquality(value: Json, {negate, reuse}: PrepareOptions): KeyTest {
  const equalsText = prepareTextEquality(value, reuse);
  const equals: KeyTest = key => {
    if (typeof key === 'string') return equalsText(key);
    if (typeof key === 'boolean') return key === value;
    if (Array.isArray(key)) return Array.isArray(value) && deepEqual(key, value);
    if (isObject(key)) return isObject(value) && deepEqual(key, value);
    if (!isNumber(key)) return false;
    if (isNumber(value)) return compareNumbers(key, value) === 0;
    if (typeof value !== 'string') return false;
    const parsed = isInteger(key) ? parseInt64(value) : parseFloatText(value);
    return parsed !== undefined && compareNumbers(key, parsed) === 0;
  };
  if (!negate) return equals;
  return key => key !== null && !equals(key);
}

function prepareTextEquality(value: Json, reuse: boolean): (key: string) => boolean {
  const duration = lazy(() => unitDuration(value));
  const quantity = lazy(() => (typeof value === 'string' ? parseQuantity(value) : undefined));
  const matches =
    typeof value !== 'string' ? () => false : reuse ? compileGlob(value) : (key: string) => globMatch(value, key);
  return key => {
    const order = compareAsDurations(key, value, duration());
    if (order !== undefined) return order === 0;
    if (typeof value !== 'string') return false;
    const keyQuantity = parseQuantity(key);
    if (keyQuantity && value !== '') {
      const valueQuantity = quantity();
      return valueQuantity !== undefined && compareQuantities(keyQuantity, valueQuantity) === 0;
    }
    return matches(key);
  };
}
