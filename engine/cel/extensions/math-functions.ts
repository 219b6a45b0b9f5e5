import {CelError} from '../errors.js';
import {
  compare,
  type DoubleValue,
  doubleOf,
  type IntValue,
  intOf,
  isNumeric,
  toBigInt,
  toNumber,
} from '../values/index.js';
import {Uint, type Value} from '../values/value.js';

/** A function of doubles as a function of CEL's. */
export function onDouble(call: (value: number) => number): (value: DoubleValue) => Value {
  return value => doubleOf(call(toNumber(value)));
}

/** Half away from zero. */
export function round(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

export function sign(value: number): number {
  return value === 0 ? 0 : Math.sign(value);
}

export function absInt(value: IntValue): Value {
  return value < 0 ? intOf(-toBigInt(value)) : value;
}

export function signInt(value: IntValue): number {
  return value < 0 ? -1 : value > 0 ? 1 : 0;
}

export function signUint(value: Uint): Uint {
  return new Uint(value.value === 0n ? 0n : 1n);
}

export function sqrt(value: DoubleValue | IntValue | Uint): Value {
  return doubleOf(Math.sqrt(toNumber(value)));
}

type Bits = (a: bigint, b: bigint) => bigint;

export function onInts(call: Bits): (a: IntValue, b: IntValue) => Value {
  return (a, b) => intOf(BigInt.asIntN(64, call(toBigInt(a), toBigInt(b))));
}

export function onUints(call: Bits): (a: Uint, b: Uint) => Value {
  return (a, b) => new Uint(BigInt.asUintN(64, call(a.value, b.value)));
}

export function shiftInt(name: string, call: Bits): (value: IntValue, by: IntValue) => Value {
  return (value, by) => intOf(BigInt.asIntN(64, shifted(name, call, BigInt.asUintN(64, toBigInt(value)), by)));
}

export function shiftUint(name: string, call: Bits): (value: Uint, by: IntValue) => Value {
  return (value, by) => new Uint(BigInt.asUintN(64, shifted(name, call, value.value, by)));
}

function shifted(name: string, call: Bits, value: bigint, by: IntValue): bigint {
  if (by < 0) throw new CelError(`math.${name}() negative offset: ${by}`);
  // Beyond 64 places nothing is left, and the shift itself could be huge.
  return by >= 64 ? 0n : call(value, toBigInt(by));
}

/** The greater (`sign` 1) or the lesser (-1) of two numbers; the first one where they are equal. */
export function pickPair(sign: 1 | -1): (a: Value, b: Value) => Value {
  return (a, b) => (orderOf(a, b, sign) === -sign ? b : a);
}

function orderOf(a: Value, b: Value, sign: 1 | -1): number {
  try {
    return compare(a, b);
  } catch (error) {
    if (error instanceof CelError) throw new CelError(`${error.message}: ${nameOf(sign)}`);
    throw error;
  }
}

function nameOf(sign: 1 | -1): string {
  return sign === 1 ? 'math.@max' : 'math.@min';
}

export function pickList(sign: 1 | -1): (list: readonly Value[]) => Value {
  const pick = pickPair(sign);
  return list => {
    let best = list[0];
    if (best === undefined) throw new CelError(`${nameOf(sign)}(list) argument must not be empty`);
    if (!isNumeric(best)) throw new CelError(`no such overload: ${nameOf(sign)}(list)`);
    for (let index = 1; index < list.length; index++) best = pick(best, list[index]!);
    if (!isNumeric(best)) throw new CelError(`no such overload: ${nameOf(sign)}`);
    return best;
  };
}
