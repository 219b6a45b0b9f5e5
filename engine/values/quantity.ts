import type {JsonNumber} from '../json/types.js';
import {numberText} from './number-text.js';

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** A Kubernetes quantity: value = digits × 10^-scale. `format` decides how it is printed, never how it compares. */
export interface Quantity {
  readonly digits: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
}

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binarySuffixes: ReadonlyMap<string, bigint> = new Map([
  ['Ki', 10n],
  ['Mi', 20n],
  ['Gi', 30n],
  ['Ti', 40n],
  ['Pi', 50n],
  ['Ei', 60n],
]);
const binaryFactors = new Map([...binarySuffixes].map(([name, shift]) => [name, 2 ** Number(shift)]));
const decimalNames = new Map([...decimalSuffixes].map(([name, exponent]) => [exponent, name]));
const binaryNames = ['', ...binarySuffixes.keys()];

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)$/;
const maxBinary = 2n ** 63n - 1n;
const nano = 9;
const maxExponent = 2 ** 31 - 1;
/** Longer texts are no quantities here, so that hostile digits cost nothing. */
const maxLength = 256;

/**
 * Reads a quantity as Kubernetes does: suffixes `n u m k M G T P E`, `Ki … Ei`, `e3`/`E3`; at least one digit (upstream
 * takes a bare suffix for zero; we do not). Fractions below nano are rounded away from zero; binary amounts are capped
 * at 2^63-1. `undefined` when the text is no quantity.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const first = text.charCodeAt(0);
  // Nothing but digits, sign or point can start a quantity: most strings leave here.
  if (!(first >= 48 && first <= 57) && first !== 43 && first !== 45 && first !== 46) return undefined;
  if (text.length > maxLength) return undefined;
  const plain = parseWhole(text);
  if (plain) return plain;
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  let digits = BigInt(whole + fraction);
  let scale = fraction.length;
  let format: QuantityFormat = 'DecimalSI';
  const shift = binarySuffixes.get(suffix);
  if (shift !== undefined) {
    digits <<= shift;
    format = 'BinarySI';
  } else {
    let exponent = decimalSuffixes.get(suffix);
    if (exponent === undefined) {
      exponent = Number(suffix.slice(1));
      if (exponent > maxExponent || exponent < -maxExponent) return undefined;
      format = 'DecimalExponent';
    }
    scale -= exponent;
  }
  if (digits === 0n) return {digits, scale: 0, format};
  if (scale > nano) ({digits, scale} = roundUpToNano(digits, scale));
  if (format === 'BinarySI') {
    const unit = scale > 0 ? 10n ** BigInt(scale) : 1n;
    if (digits > maxBinary * unit) [digits, scale] = [maxBinary, 0];
    else if (digits < unit) format = 'DecimalSI';
  }
  return {digits: sign === '-' ? -digits : digits, scale, format};
}

/** The common form, up to 15 digits and a suffix, without a regular expression; `undefined` sends all else on. */
function parseWhole(text: string): Quantity | undefined {
  let value = 0;
  let index = 0;
  for (; index < text.length && index < 15; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (index === 0) return undefined;
  const suffix = index === text.length ? '' : text.slice(index);
  const exponent = decimalSuffixes.get(suffix);
  if (exponent !== undefined)
    return {digits: BigInt(value), scale: value === 0 ? 0 : 0 - exponent, format: 'DecimalSI'};
  const factor = binaryFactors.get(suffix);
  if (factor === undefined || value * factor > Number.MAX_SAFE_INTEGER) return undefined;
  return {digits: BigInt(value * factor), scale: 0, format: 'BinarySI'};
}

function roundUpToNano(digits: bigint, scale: number): {digits: bigint; scale: number} {
  const surplus = scale - nano;
  if (surplus > maxLength + 20) return {digits: 1n, scale: nano};
  const unit = 10n ** BigInt(surplus);
  return {digits: (digits + unit - 1n) / unit, scale: nano};
}

/** The exact amount of a number; doubles by their shortest decimal text. */
export function quantityFromNumber(value: JsonNumber): Quantity {
  if (typeof value === 'bigint') return {digits: value, scale: 0, format: 'DecimalSI'};
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return {digits: BigInt(value), scale: 0, format: 'DecimalSI'};
  const text = numberText(value);
  const point = text.indexOf('.');
  if (point < 0) return {digits: BigInt(text), scale: 0, format: 'DecimalSI'};
  return {
    digits: BigInt(text.slice(0, point) + text.slice(point + 1)),
    scale: text.length - point - 1,
    format: 'DecimalSI',
  };
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. Never expands far-apart exponents. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.scale === b.scale) return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
  const sign = signOf(a.digits);
  if (sign !== signOf(b.digits)) return sign - signOf(b.digits);
  if (sign === 0) return 0;
  // With equal signs the one whose leading digit stands higher is larger in size.
  const order = leadingPosition(a) - leadingPosition(b);
  if (order !== 0) return order > 0 ? sign : -sign;
  const scale = Math.max(a.scale, b.scale);
  const left = a.digits * 10n ** BigInt(scale - a.scale);
  const right = b.digits * 10n ** BigInt(scale - b.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

function signOf(digits: bigint): -1 | 0 | 1 {
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

function leadingPosition(quantity: Quantity): number {
  const size = quantity.digits < 0n ? -quantity.digits : quantity.digits;
  return size.toString().length - quantity.scale;
}

/** Canonical text: no fraction, the largest suffix that allows it (`1500m`, `1Gi`, `1536Mi`, `100e3`). */
export function formatQuantity(quantity: Quantity): string {
  let {digits, scale} = quantity;
  if (digits === 0n) return '0';
  if (quantity.format === 'BinarySI') {
    const text = formatBinary(quantity);
    if (text !== undefined) return text;
  }
  while (digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  let exponent = -scale;
  const surplus = ((exponent % 3) + 3) % 3;
  digits *= 10n ** BigInt(surplus);
  exponent -= surplus;
  if (quantity.format === 'DecimalExponent') return exponent === 0 ? digits.toString() : `${digits}e${exponent}`;
  const bounded = Math.min(exponent, 18);
  const suffix = decimalNames.get(bounded);
  if (suffix === undefined) return `${digits}e${exponent}`;
  return `${digits * 10n ** BigInt(exponent - bounded)}${suffix}`;
}

/** `undefined` where a binary suffix would lose precision or the amount is below 1024. */
function formatBinary({digits, scale}: Quantity): string | undefined {
  let amount = digits;
  if (scale > 0) {
    const unit = 10n ** BigInt(scale);
    if (digits % unit !== 0n) return undefined;
    amount = digits / unit;
  } else if (scale < 0) {
    amount *= 10n ** BigInt(-scale);
  }
  if (amount > -1024n && amount < 1024n) return undefined;
  let power = 0;
  while (amount % 1024n === 0n && power < binaryNames.length - 1) {
    amount /= 1024n;
    power += 1;
  }
  return `${amount}${binaryNames[power]}`;
}
