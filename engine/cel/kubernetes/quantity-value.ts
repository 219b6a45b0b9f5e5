import {compareQuantities, formatQuantity, type Quantity, type QuantityFormat} from '../../values/quantity.js';
import {CelError} from '../errors.js';
import {OpaqueValue} from '../values/value.js';

/** How Kubernetes holds most quantities: value × 10^exponent with an int64. It matters to what counts as an integer. */
interface SmallAmount {
  readonly value: bigint;
  readonly exponent: number;
}

/** digits × 10^-scale, for all the others. */
interface BigAmount {
  readonly digits: bigint;
  readonly scale: number;
}

const badFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const badNumber = 'unable to parse numeric part of quantity';
const badSuffix = "unable to parse quantity's suffix";
const shape = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const maxLength = 1_024;
const decimals = new Map([
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
const binaries = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const int64Max = 2n ** 63n - 1n;
const maxExponent = 2 ** 31 - 1;
/** Digits that an int64 has at least. */
const int64Digits = 18;
const nano = 9;
/** Amounts further apart than this are not added: their sum would have as many digits. */
const maxSpread = 4_096;

export class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity';

  constructor(
    readonly amount: SmallAmount | BigAmount,
    readonly format: QuantityFormat,
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && this.compareTo(other) === 0;
  }

  override text(): string {
    // `1e2000000000` has no shorter canonical text.
    const quantity = this.#quantity();
    return Math.abs(quantity.scale) > maxSpread ? `${quantity.digits}e${-quantity.scale}` : formatQuantity(quantity);
  }

  compareTo(other: QuantityValue): -1 | 0 | 1 {
    return Math.sign(compareQuantities(this.#quantity(), other.#quantity())) as -1 | 0 | 1;
  }

  sign(): -1 | 0 | 1 {
    const {digits} = this.#quantity();
    return digits > 0n ? 1 : digits < 0n ? -1 : 0;
  }

  /**
   * `undefined` where Kubernetes does not take it for an integer: beyond int64, and when it was written in smaller units
   * (`1000m`, `1.0`).
   */
  asInteger(): bigint | undefined {
    if (!isSmall(this.amount)) return undefined;
    const {value, exponent} = this.amount;
    if (exponent < 0 || value === 0n) return exponent < 0 ? undefined : value;
    if (exponent > int64Digits) return undefined;
    return fitting(value * 10n ** BigInt(exponent));
  }

  asFloat(): number {
    const {amount} = this;
    const [base, exponent] = isSmall(amount) ? [amount.value, amount.exponent] : [amount.digits, -amount.scale];
    if (exponent === 0) return Number(base);
    return Number(base) * (exponent < -323 ? 0 : exponent > 308 ? Number.POSITIVE_INFINITY : Number(`1e${exponent}`));
  }

  /** The sum; `sign` -1: the difference. */
  add(other: QuantityValue, sign: 1 | -1 = 1): QuantityValue {
    const format = this.sign() === 0 ? other.format : this.format;
    const small = isSmall(this.amount) && isSmall(other.amount) ? addSmall(this.amount, other.amount, sign) : undefined;
    return new QuantityValue(small ?? addBig(this.#quantity(), other.#quantity(), sign), format);
  }

  #quantity(): Quantity {
    const {amount, format} = this;
    return isSmall(amount) ? {digits: amount.value, scale: 0 - amount.exponent, format} : {...amount, format};
  }
}

function isSmall(amount: SmallAmount | BigAmount): amount is SmallAmount {
  return 'value' in amount;
}

function fitting(value: bigint): bigint | undefined {
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function addSmall(a: SmallAmount, b: SmallAmount, sign: 1 | -1): SmallAmount | undefined {
  const added = {value: b.value * BigInt(sign), exponent: b.exponent};
  if (added.value === 0n) return a;
  if (a.value === 0n) return added;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = scaledUp(a.value, a.exponent - exponent);
  const right = scaledUp(added.value, b.exponent - exponent);
  const value = left === undefined || right === undefined ? undefined : fitting(left + right);
  return value === undefined ? undefined : {value, exponent};
}

function scaledUp(value: bigint, by: number): bigint | undefined {
  return by > int64Digits ? undefined : fitting(value * 10n ** BigInt(by));
}

function addBig(a: Quantity, b: Quantity, sign: 1 | -1): BigAmount {
  if (Math.abs(a.scale - b.scale) > maxSpread) throw new CelError('quantities are too far apart to be added');
  const scale = Math.max(a.scale, b.scale);
  const at = (quantity: Quantity): bigint => quantity.digits * 10n ** BigInt(scale - quantity.scale);
  return {digits: at(a) + at(b) * BigInt(sign), scale};
}

export function quantityOfInt(value: bigint): QuantityValue {
  return new QuantityValue({value, exponent: 0}, 'DecimalExponent');
}

/** Reads a quantity as Kubernetes' `resource.ParseQuantity`, kept as it keeps it. Throws CelError. */
export function parseQuantityValue(text: string): QuantityValue {
  const match = text.length > maxLength || text === '' ? null : shape.exec(text);
  if (!match) throw new CelError(badFormat);
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const {binary, exponent, format} = readSuffix(suffix);
  const read = {negative: sign === '-', whole: whole === '' ? '0' : whole, fraction, binary, exponent, format};
  const small = readSmall(read);
  if (small) return new QuantityValue(small, format);
  // A suffix alone is zero in small units, and nothing in large ones.
  if (!/\d/.test(text.slice(0, text.length - suffix.length))) throw new CelError(badNumber);
  return readBig(read);
}

interface Suffix {
  /** Power of two, in place of a power of ten. */
  readonly binary: boolean;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function readSuffix(suffix: string): Suffix {
  const decimal = decimals.get(suffix);
  if (decimal !== undefined) return {binary: false, exponent: decimal, format: 'DecimalSI'};
  const power = binaries.get(suffix);
  if (power !== undefined) return {binary: true, exponent: power, format: 'BinarySI'};
  const exponent = /^[eE][-+]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : Number.NaN;
  if (!(Math.abs(exponent) <= maxExponent)) throw new CelError(badSuffix);
  return {binary: false, exponent, format: 'DecimalExponent'};
}

interface Read extends Suffix {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

function readSmall({negative, whole, fraction, binary, exponent}: Read): SmallAmount | undefined {
  const room = binary
    ? fraction === ''
      ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1
      : -1
    : int64Digits - whole.length - fraction.length;
  if (room < 0) return undefined;
  const places = (binary ? 0 : exponent) - fraction.length;
  if (places < -nano) return undefined;
  const value = BigInt(whole + fraction) << BigInt(binary ? exponent : 0);
  if (value > int64Max) return undefined;
  return {value: negative ? -value : value, exponent: places};
}

function readBig({negative, whole, fraction, binary, exponent, format}: Read): QuantityValue {
  let digits = BigInt(whole + fraction);
  let scale = fraction.length;
  if (binary) digits <<= BigInt(exponent);
  else scale -= exponent;
  let kept = format;
  if (digits !== 0n) {
    [digits, scale] = toNano(digits, scale);
    if (binary) {
      const one = 10n ** BigInt(scale);
      if (digits > int64Max * one) [digits, scale] = [int64Max, 0];
      else if (digits < one) kept = 'DecimalSI';
    }
  }
  return new QuantityValue({digits: negative ? -digits : digits, scale}, kept);
}

/** At nine places behind the point, rounded away from zero; amounts far above stay as they are. */
function toNano(digits: bigint, scale: number): [bigint, number] {
  if (scale < -maxSpread) return [digits, scale];
  if (scale <= nano) return [digits * 10n ** BigInt(nano - scale), nano];
  if (scale > 2 * maxLength + nano) return [1n, nano];
  const unit = 10n ** BigInt(scale - nano);
  return [(digits + unit - 1n) / unit, nano];
}
