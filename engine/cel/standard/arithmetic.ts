import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {
  type DoubleValue,
  doubleOf,
  durationOf,
  type IntValue,
  intOf,
  isDouble,
  isInt,
  runtimeName,
  timestampOf,
  toBigInt,
  toNumber,
  typeOfValue,
  uintOf,
} from '../values/index.js';
import {Duration, Timestamp, Uint, type Value} from '../values/value.js';

/** `+ - * / %` and the sign, on values of any types: what fits no signature is `no such overload`. */

export function add(a: Value, b: Value): Value {
  if (isInt(a)) return isInt(b) ? addInts(a, b) : unfit('_+_', a);
  if (typeof a === 'string') return typeof b === 'string' ? a + b : unfit('_+_', a);
  if (isDouble(a)) return isDouble(b) ? doubleOf(toNumber(a) + toNumber(b)) : unfit('_+_', a);
  if (Array.isArray(a)) return Array.isArray(b) ? concat(a, b) : unfit('_+_', a);
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value + b.value);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return joinBytes(a, b);
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return timestampOf(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  return unfit('_+_', a);
}

export function subtract(a: Value, b: Value): Value {
  if (isInt(a)) return isInt(b) ? subtractInts(a, b) : unfit('_-_', a);
  if (isDouble(a)) return isDouble(b) ? doubleOf(toNumber(a) - toNumber(b)) : unfit('_-_', a);
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value - b.value);
  if (a instanceof Timestamp && b instanceof Timestamp) return durationOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos - b.nanos);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos - b.nanos);
  return unfit('_-_', a);
}

export function multiply(a: Value, b: Value): Value {
  if (isInt(a)) return isInt(b) ? multiplyInts(a, b) : unfit('_*_', a);
  if (isDouble(a)) return isDouble(b) ? doubleOf(toNumber(a) * toNumber(b)) : unfit('_*_', a);
  if (a instanceof Uint && b instanceof Uint) return uintOf(a.value * b.value);
  return unfit('_*_', a);
}

export function divide(a: Value, b: Value): Value {
  if (isInt(a)) return isInt(b) ? divideInts(a, b) : unfit('_/_', a);
  if (isDouble(a)) return isDouble(b) ? doubleOf(toNumber(a) / toNumber(b)) : unfit('_/_', a);
  if (!(a instanceof Uint && b instanceof Uint)) return unfit('_/_', a);
  if (b.value === 0n) throw new CelError('division by zero');
  return uintOf(a.value / b.value);
}

export function modulo(a: Value, b: Value): Value {
  if (isInt(a)) return isInt(b) ? moduloInts(a, b) : unfit('_%_', a);
  if (!(a instanceof Uint && b instanceof Uint)) return unfit('_%_', a);
  if (b.value === 0n) throw new CelError('modulus by zero');
  return uintOf(a.value % b.value);
}

export function negate(a: Value): Value {
  if (isInt(a)) return intOf(typeof a === 'number' ? 0 - a : -a);
  if (isDouble(a)) return doubleOf(-toNumber(a));
  return unfit('-_', a);
}

export function addInts(a: IntValue, b: IntValue): IntValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return intOf(toBigInt(a) + toBigInt(b));
}

export function subtractInts(a: IntValue, b: IntValue): IntValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return intOf(toBigInt(a) - toBigInt(b));
}

export function multiplyInts(a: IntValue, b: IntValue): IntValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return intOf(toBigInt(a) * toBigInt(b));
}

export function divideInts(a: IntValue, b: IntValue): IntValue {
  if (typeof a === 'number' && typeof b === 'number') {
    if (b === 0) throw new CelError('division by zero');
    return (a - (a % b)) / b + 0;
  }
  if (toBigInt(b) === 0n) throw new CelError('division by zero');
  return intOf(toBigInt(a) / toBigInt(b));
}

export function moduloInts(a: IntValue, b: IntValue): IntValue {
  if (typeof a === 'number' && typeof b === 'number') {
    if (b === 0) throw new CelError('modulus by zero');
    return (a % b) + 0;
  }
  if (toBigInt(b) === 0n) throw new CelError('modulus by zero');
  return intOf(toBigInt(a) % toBigInt(b));
}

export function concat(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  if (a.length === 0) return b;
  return b.length === 0 ? a : a.concat(b);
}

export function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/** Doubles of an operation whose operands are known to be doubles. */
export function doubles(operation: (a: number, b: number) => number): (a: DoubleValue, b: DoubleValue) => DoubleValue {
  return (a, b) => doubleOf(operation(toNumber(a), toNumber(b)));
}

const arithmeticNames: ReadonlySet<string> = new Set(['null_type', 'map', 'optional_type', 'type', 'bool']);

/** cel-go names the operator only where the left type has no arithmetic at all. */
function unfit(operator: string, left: Value): never {
  throw new CelError(lacksOperators(left) ? `no such overload: ${operator}` : 'no such overload');
}

function lacksOperators(value: Value): boolean {
  if (typeof value !== 'object' || value instanceof Float) return typeof value === 'boolean';
  return arithmeticNames.has(runtimeName(typeOfValue(value)));
}
