import {EvalError} from '../../diagnostic.js';
import {isInteger, type Json, type JsonNumber, toDouble} from '../../json/types.js';
import {formatDuration} from '../../values/duration.js';
import {formatQuantity, type Quantity} from '../../values/quantity.js';
import type {FunctionEnv} from '../types.js';
import {
  aligned,
  type Decimal,
  decimalFrom,
  doubleOf,
  integerOfDecimal,
  quantityLike,
  quotient,
  roundedInteger,
} from './decimals.js';
import {define, type FunctionDefinition} from './define.js';
import {arithmetic, integerOf, numberFrom, truncated} from './numbers.js';
import {type Operand, operandOf} from './operands.js';

const mismatch = () => new EvalError('Types mismatch');
const zeroDivisor = () => new EvalError('Zero divisor passed');
const int64Limit = 2n ** 63n;

function durationText(nanoseconds: bigint): string {
  if (nanoseconds >= int64Limit || nanoseconds < -int64Limit) throw new EvalError('duration out of range');
  return formatDuration(nanoseconds);
}

/** A sum takes the format of its left side, or of the right one when the left is zero. */
function sumLike(a: Quantity, b: Quantity, digits: bigint, scale: number): string {
  return formatQuantity(quantityLike(a.digits === 0n ? b : a, {digits, scale}));
}

interface Linear {
  readonly exact: (a: bigint, b: bigint) => bigint;
  readonly rounded: (a: number, b: number) => number;
}
const plus: Linear = {exact: (a, b) => a + b, rounded: (a, b) => a + b};
const minus: Linear = {exact: (a, b) => a - b, rounded: (a, b) => a - b};

function linear(left: Operand, right: Operand, operation: Linear): Json {
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    return arithmetic(left.value, right.value, operation.exact, operation.rounded);
  }
  if (left.kind === 'duration' && right.kind === 'duration') {
    return durationText(operation.exact(left.value, right.value));
  }
  if (left.kind === 'quantity' && right.kind === 'quantity') {
    const {left: a, right: b, scale} = aligned(left.value, right.value);
    return sumLike(left.value, right.value, operation.exact(a, b), scale);
  }
  throw mismatch();
}

function multiply(left: Operand, right: Operand): Json {
  if (left.kind === 'scalar') {
    if (right.kind !== 'scalar') return multiply(right, left);
    return arithmetic(
      left.value,
      right.value,
      (a, b) => a * b,
      (a, b) => a * b,
    );
  }
  if (right.kind !== 'scalar') throw mismatch();
  const factor = decimalFrom(right.value);
  if (left.kind === 'duration') {
    return durationText(roundedInteger({digits: left.value * factor.digits, scale: factor.scale}));
  }
  const product = {digits: left.value.digits * factor.digits, scale: left.value.scale + factor.scale};
  return formatQuantity(quantityLike(left.value, product));
}

function divide(left: Operand, right: Operand): Json {
  if (isZero(right)) throw zeroDivisor();
  if (left.kind === 'scalar') {
    if (right.kind !== 'scalar') throw mismatch();
    return divideNumbers(left.value, right.value);
  }
  if (left.kind === 'duration') {
    if (right.kind === 'duration') return numberFrom(Number(left.value) / Number(right.value));
    if (right.kind !== 'scalar') throw mismatch();
    return durationText(divideDuration(left.value, decimalFrom(right.value)));
  }
  if (right.kind === 'quantity') return numberFrom(doubleOf(left.value) / doubleOf(right.value));
  if (right.kind !== 'scalar') throw mismatch();
  const divisor = decimalFrom(right.value);
  const result = quotient(left.value, divisor, Math.max(left.value.scale, divisor.scale, 0));
  return formatQuantity(quantityLike(left.value, result));
}

/** Exact where two integers divide evenly. */
function divideNumbers(a: JsonNumber, b: JsonNumber): JsonNumber {
  if (isInteger(a) && isInteger(b) && BigInt(a) % BigInt(b) === 0n) {
    return arithmetic(
      a,
      b,
      (x, y) => x / y,
      (x, y) => x / y,
    );
  }
  return numberFrom(toDouble(a) / toDouble(b));
}

/** To the nearest nanosecond. */
function divideDuration(duration: bigint, divisor: Decimal): bigint {
  const oneMore = quotient({digits: duration, scale: 0}, divisor, 1);
  return roundedInteger(oneMore);
}

function modulo(left: Operand, right: Operand): Json {
  if (left.kind !== right.kind) throw mismatch();
  if (isZero(right)) throw zeroDivisor();
  if (left.kind === 'duration' && right.kind === 'duration') return durationText(left.value % right.value);
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    const rest = integerArgument(integerOf(left.value)) % integerArgument(integerOf(right.value));
    return arithmetic(
      0,
      rest,
      (_, value) => value,
      (_, value) => value,
    );
  }
  if (left.kind === 'quantity' && right.kind === 'quantity') {
    const rest = integerArgument(integerOfDecimal(left.value)) % integerArgument(integerOfDecimal(right.value));
    return formatQuantity(quantityLike(left.value, {digits: rest, scale: 0}));
  }
  throw mismatch();
}

function integerArgument(value: bigint | undefined): bigint {
  if (value === undefined) throw new EvalError('Non-integer argument(s) passed for modulo');
  return value;
}

function isZero(operand: Operand): boolean {
  if (operand.kind === 'quantity') return operand.value.digits === 0n;
  return operand.kind === 'duration' ? operand.value === 0n : toDouble(operand.value) === 0;
}

function sum(list: readonly Json[], env: FunctionEnv): Json {
  const [first, ...rest] = list;
  if (first === undefined) throw new EvalError('at least one element in the array is required');
  return rest.reduce<Json>((total, value) => {
    env.budget.step();
    return linear(operandOf(total), operandOf(value), plus);
  }, first);
}

/** Half away from zero; by double arithmetic, so that decimal ties fall as upstream's do. */
function round(value: JsonNumber, places: JsonNumber): JsonNumber {
  const digits = truncated(places);
  if (digits === undefined || digits !== toDouble(places)) {
    throw new EvalError('Non-integer argument(s) passed for round off');
  }
  if (digits < 0) throw new EvalError('argument #2 must not be negative for round off');
  if (isInteger(value)) return value;
  const double = toDouble(value);
  const shift = 10 ** digits;
  const shifted = Math.abs(double) * shift;
  // Beyond the precision of a double there is nothing left to round.
  if (!Number.isFinite(shifted)) return numberFrom(double);
  const whole = Math.floor(shifted);
  const size = (shifted - whole >= 0.5 ? whole + 1 : whole) / shift;
  return numberFrom(double < 0 ? -size : size);
}

const binary = (name: string, operation: (left: Operand, right: Operand) => Json): FunctionDefinition =>
  define(name, ['any', 'any'], ([left, right], env) => {
    env.budget.step();
    return operation(operandOf(left), operandOf(right));
  });

export const arithmeticFunctions: readonly FunctionDefinition[] = [
  binary('add', (left, right) => linear(left, right, plus)),
  binary('subtract', (left, right) => linear(left, right, minus)),
  binary('multiply', multiply),
  binary('divide', divide),
  binary('modulo', modulo),
  define('sum', ['array'], ([list], env) => sum(list, env)),
  define('round', ['number', 'number'], ([value, places]) => round(value, places)),
];
