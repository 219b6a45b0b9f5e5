import {EvalError} from '../../diagnostic.js';
import type {JsonNumber} from '../../json/types.js';
import {type Quantity, quantityFromNumber} from '../../values/quantity.js';

/** An exact decimal: digits × 10^-scale. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const maxDigits = 4000;

export function decimalFrom(value: JsonNumber): Decimal {
  return quantityFromNumber(value);
}

/** Both with the larger of the two scales. */
export function aligned(a: Decimal, b: Decimal): {left: bigint; right: bigint; scale: number} {
  const scale = Math.max(a.scale, b.scale);
  return {left: a.digits * powerOfTen(scale - a.scale), right: b.digits * powerOfTen(scale - b.scale), scale};
}

export function powerOfTen(exponent: number): bigint {
  if (exponent > maxDigits) throw new EvalError('number out of range');
  return 10n ** BigInt(exponent);
}

/** `undefined` when the value has a fraction. */
export function integerOfDecimal({digits, scale}: Decimal): bigint | undefined {
  if (scale <= 0) return digits * powerOfTen(-scale);
  const unit = powerOfTen(scale);
  return digits % unit === 0n ? digits / unit : undefined;
}

export function doubleOf({digits, scale}: Decimal): number {
  return Number(`${digits}e${-scale}`);
}

/** `a / b` cut off (towards zero) after `scale` decimal places. */
export function quotient(a: Decimal, b: Decimal, scale: number): Decimal {
  // a.digits/10^as / (b.digits/10^bs) × 10^scale, kept in integers.
  const shift = scale - a.scale + b.scale;
  const numerator = shift >= 0 ? a.digits * powerOfTen(shift) : a.digits;
  const denominator = shift >= 0 ? b.digits : b.digits * powerOfTen(-shift);
  return {digits: numerator / denominator, scale};
}

/** The nearest integer, half away from zero. */
export function roundedInteger({digits, scale}: Decimal): bigint {
  if (scale <= 0) return digits * powerOfTen(-scale);
  const unit = powerOfTen(scale);
  const half = unit / 2n;
  return digits < 0n ? (digits - half) / unit : (digits + half) / unit;
}

/** A decimal in the format of `like`. */
export function quantityLike(like: Quantity, {digits, scale}: Decimal): Quantity {
  return {digits, scale, format: like.format};
}
