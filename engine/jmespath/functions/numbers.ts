import {integerFrom} from '../../json/number.js';
import {Float, isInteger, type JsonNumber, toDouble} from '../../json/types.js';
import {QueryError} from '../errors.js';

/**
 * A computed double as a value: integral ones become integers while that is exact, since a query knows one number type
 * only. Throws `QueryError` for results that JSON cannot hold.
 */
export function numberFrom(value: number): JsonNumber {
  if (!Number.isFinite(value)) throw new QueryError('result is not a finite number');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return new Float(value);
  return value + 0;
}

/** The value as an exact integer, also of an integral double; `undefined` when it has a fraction. */
export function integerOf(value: JsonNumber): bigint | undefined {
  if (isInteger(value)) return BigInt(value);
  const double = toDouble(value);
  return Number.isInteger(double) ? BigInt(double) : undefined;
}

/** Index or count: a plain integer, `undefined` for fractions and what lies beyond the safe range. */
export function smallInteger(value: JsonNumber): number | undefined {
  const double = toDouble(value);
  return Number.isSafeInteger(double) ? double + 0 : undefined;
}

/** A count: the fraction is cut off; `undefined` beyond the safe range. */
export function truncated(value: JsonNumber): number | undefined {
  const count = Math.trunc(toDouble(value));
  return Number.isSafeInteger(count) ? count + 0 : undefined;
}

/** Exact on integers, double arithmetic otherwise; integers beyond 64 bits become doubles. */
export function arithmetic(
  a: JsonNumber,
  b: JsonNumber,
  exact: (a: bigint, b: bigint) => bigint,
  rounded: (a: number, b: number) => number,
): JsonNumber {
  if (isInteger(a) && isInteger(b)) {
    if (typeof a === 'number' && typeof b === 'number') {
      const quick = rounded(a, b);
      if (Number.isSafeInteger(quick)) return quick + 0;
    }
    return integerFrom(exact(BigInt(a), BigInt(b)));
  }
  return numberFrom(rounded(toDouble(a), toDouble(b)));
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number a text spells; `undefined` when it spells none. */
export function numberFromText(text: string): JsonNumber | undefined {
  if (text.length > 400 || !decimal.test(text)) return undefined;
  if (/^[+-]?\d+$/.test(text)) return integerFrom(BigInt(text.startsWith('+') ? text.slice(1) : text));
  const value = Number(text);
  return Number.isFinite(value) ? numberFrom(value) : undefined;
}
