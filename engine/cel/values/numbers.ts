import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {Uint, type Value} from './value.js';

/** The numbers of CEL: int64, uint64 and double, told apart as values/value.ts says. */
export type IntValue = number | bigint;
export type DoubleValue = number | Float;

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

export function isInt(value: Value): value is IntValue {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint';
}

export function isDouble(value: Value): value is DoubleValue {
  return typeof value === 'number' ? !Number.isInteger(value) : value instanceof Float;
}

export function isNumeric(value: Value): value is IntValue | DoubleValue | Uint {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float || value instanceof Uint;
}

/** An int of integral `n`: `number` where it is safe, else `bigint`. Throws `integer overflow` outside int64. */
export function intOf(n: bigint | number): IntValue {
  if (typeof n === 'number') {
    if (Number.isSafeInteger(n)) return n + 0;
    if (!Number.isInteger(n)) throw new CelError('integer overflow');
    return intOf(BigInt(n));
  }
  if (n >= -9007199254740991n && n <= 9007199254740991n) return Number(n);
  if (n > int64Max || n < int64Min) throw new CelError('integer overflow');
  return n;
}

/** Throws `unsigned integer overflow` outside uint64. */
export function uintOf(n: bigint): Uint {
  if (n < 0n || n > uint64Max) throw new CelError('unsigned integer overflow');
  return new Uint(n);
}

/** A double, so marked where it could be taken for an int. */
export function doubleOf(n: number): DoubleValue {
  return Number.isInteger(n) ? new Float(n) : n;
}

export function toBigInt(value: IntValue): bigint {
  return typeof value === 'bigint' ? value : BigInt(value);
}

/** The nearest double of any number. */
export function toNumber(value: IntValue | DoubleValue | Uint): number {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : Number(value.value);
}

/** An int or uint as bigint; `undefined` for doubles and what is no number. */
export function integralOf(value: Value): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : undefined;
}

/**
 * Order of two numbers of any types: ints and uints exactly, with a double by the nearest doubles (as cel-go).
 * NaN has no order: `undefined`.
 */
export function compareNumbers(
  a: IntValue | DoubleValue | Uint,
  b: IntValue | DoubleValue | Uint,
): -1 | 0 | 1 | undefined {
  if (typeof a === 'number' && typeof b === 'number') return order(a, b);
  const exactA = integralOf(a);
  const exactB = integralOf(b);
  if (exactA !== undefined && exactB !== undefined) return exactA < exactB ? -1 : exactA > exactB ? 1 : 0;
  return order(toNumber(a), toNumber(b));
}

function order(a: number, b: number): -1 | 0 | 1 | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : undefined;
}
