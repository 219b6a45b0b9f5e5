import type {Json, JsonNumber} from '../json/types.js';
import {isNumber, isObject} from '../json/types.js';
import {parseDuration} from '../values/duration.js';
import {compileGlob} from '../values/glob.js';
import {numberText} from '../values/number-text.js';
import type {Quantity} from '../values/quantity.js';
import {compareQuantities, parseQuantity, quantityFromNumber} from '../values/quantity.js';
import {parseRange} from '../values/range.js';
import {type Comparison, holds} from './comparison.js';
import type {ScalarTest} from './scalar.js';

/**
 * Compiles a string pattern: `|` alternatives of `&` conjunctions of pieces, each with an operator prefix, a range
 * `a-b`/`a!-b`, or a plain text with wildcards. There is no escaping; a value equal to the whole pattern always passes.
 */
export function compileStringPattern(pattern: string): ScalarTest {
  const alternatives = pattern.split('|').map(alternative => allOf(alternative.split('&').map(compilePiece)));
  const [only] = alternatives;
  if (alternatives.length === 1 && only) return value => value === pattern || only(value);
  return value => {
    if (value === pattern) return true;
    for (const test of alternatives) if (test(value)) return true;
    return false;
  };
}

function allOf(tests: readonly ScalarTest[]): ScalarTest {
  const [only] = tests;
  if (tests.length === 1 && only) return only;
  return value => {
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

function compilePiece(text: string): ScalarTest {
  const piece = text.trim();
  if (piece.length < 2) return compileComparison('=', piece);
  const two = piece.slice(0, 2);
  if (two === '>=' || two === '<=') return compileComparison(two, piece.slice(2).trim());
  const one = piece.charAt(0);
  if (one === '>' || one === '<' || one === '!') return compileComparison(one, piece.slice(1).trim());
  return compileRangePattern(piece) ?? compileComparison('=', piece);
}

/** The test for a range text, `undefined` when the text is none. */
export function compileRangePattern(text: string): ScalarTest | undefined {
  const range = parseRange(text);
  if (!range) return undefined;
  const low = compileComparison(range.inside ? '>=' : '<', range.low);
  const high = compileComparison(range.inside ? '<=' : '>', range.high);
  return range.inside ? value => low(value) && high(value) : value => low(value) || high(value);
}

/** Duration if both sides are durations, else quantity if both are, else text. */
function compileComparison(comparison: Comparison, literal: string): ScalarTest {
  const duration = parseDuration(literal);
  const quantity = parseQuantity(literal);
  const text = compileText(comparison, literal);
  if (duration === undefined && quantity === undefined) return text;
  return value => {
    if (duration !== undefined) {
      const actual = durationOf(value);
      if (actual !== undefined) return holds(comparison, actual < duration ? -1 : actual > duration ? 1 : 0);
    }
    if (quantity !== undefined) {
      const actual = quantityOf(value);
      if (actual !== undefined) return holds(comparison, compareQuantities(actual, quantity));
    }
    return text(value);
  };
}

/** Missing counts as zero; the only number that is a duration without a unit is 0. */
function durationOf(value: Json | undefined): bigint | undefined {
  if (typeof value === 'string') return parseDuration(value);
  if (value === null || value === undefined) return 0n;
  return isNumber(value) && isZero(value) ? 0n : undefined;
}

const zero: Quantity = {digits: 0n, scale: 0, format: 'DecimalSI'};

function quantityOf(value: Json | undefined): Quantity | undefined {
  if (typeof value === 'string') return parseQuantity(value);
  if (value === null || value === undefined) return zero;
  return isNumber(value) ? quantityFromNumber(value) : undefined;
}

function isZero(value: JsonNumber): boolean {
  return numberText(value) === '0';
}

/** Text knows equality and `!` only; missing values, maps and lists satisfy neither. */
function compileText(comparison: Comparison, literal: string): ScalarTest {
  if (comparison !== '=' && comparison !== '!') return () => false;
  const glob = compileGlob(literal);
  if (comparison === '!') {
    return value => {
      const text = scalarText(value);
      return text !== undefined && !glob(text);
    };
  }
  const presence = presenceTest(literal);
  return value => {
    if (typeof value === 'string') return glob(value);
    if (typeof value === 'object') return presence(value);
    const text = scalarText(value);
    return text !== undefined && glob(text);
  };
}

/** `*` on an object or list: it exists. `?*`: it exists and is not empty. Everything else compares scalars only. */
function presenceTest(literal: string): (value: Json) => boolean {
  const glob = compileGlob(literal);
  const ifNumber = (value: Json): boolean => isNumber(value) && glob(numberText(value));
  if (literal === '*') return value => value !== null;
  if (literal !== '?*') return ifNumber;
  return value => {
    if (Array.isArray(value)) return value.length > 0;
    if (isObject(value)) {
      for (const key in value) if (Object.hasOwn(value, key)) return true;
      return false;
    }
    return ifNumber(value);
  };
}

function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return isNumber(value) ? numberText(value) : undefined;
}
