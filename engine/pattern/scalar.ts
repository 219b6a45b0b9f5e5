import type {Json, JsonNumber} from '../json/types.js';
import {isInteger, isNumber, isObject, toDouble} from '../json/types.js';
import {parseFloatText, parseInt64} from '../values/number-parse.js';
import {compileStringPattern} from './string-pattern.js';

/** Whether one value, which is no list, satisfies a scalar pattern. Allocates nothing for strings without wildcards. */
export type ScalarTest = (value: Json | undefined) => boolean;

/**
 * Compiles a pattern for a single value. Maps as patterns ask for a map and do not compare its content; lists match
 * nothing (they are judged element by element elsewhere).
 */
export function compileScalarPattern(pattern: Json): ScalarTest {
  if (typeof pattern === 'string') return compileStringPattern(pattern);
  if (typeof pattern === 'boolean') return value => value === pattern;
  if (pattern === null) return isEmptyValue;
  if (isNumber(pattern)) return isInteger(pattern) ? integerTest(pattern) : floatTest(toDouble(pattern));
  return isObject(pattern) ? isObject : () => false;
}

/** What a `null` pattern accepts: missing, null, `0`, `""`, `false`. */
function isEmptyValue(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return isNumber(value) && toDouble(value) === 0;
}

function integerTest(pattern: JsonNumber): ScalarTest {
  const wanted = BigInt(toIntegral(pattern));
  const double = Number(wanted);
  const isSafe = Number.isSafeInteger(double);
  return value => {
    if (typeof value === 'number') return isSafe && value === double;
    if (typeof value === 'bigint') return value === wanted;
    if (typeof value === 'string') return parseInt64(value) === wanted;
    return isNumber(value) && toDouble(value) === double;
  };
}

function toIntegral(value: JsonNumber): number | bigint {
  return typeof value === 'bigint' ? value : toDouble(value);
}

function floatTest(wanted: number): ScalarTest {
  return value => {
    if (isNumber(value)) return toDouble(value) === wanted;
    return typeof value === 'string' && parseFloatText(value) === wanted;
  };
}
