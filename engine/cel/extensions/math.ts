import {fn, global} from '../library/declare.js';
import type {FunctionDeclaration, Library, Overload} from '../library/library.js';
import {boolType, doubleType, dynType, intType, listOf, type Type, uintType} from '../types/type.js';
import {type DoubleValue, toNumber} from '../values/index.js';
import type {Value} from '../values/value.js';
import * as math from './math-functions.js';

const numeric: ReadonlyArray<readonly [string, Type]> = [
  ['double', doubleType],
  ['int', intType],
  ['uint', uintType],
];

/** cel-go's math library, version 2. `math.greatest` and `math.least` are macros for `math.@max` and `math.@min`. */
export const mathLibrary: Library = {
  name: 'math',
  functions: [
    extreme('math.@min', 'math_@min', -1),
    extreme('math.@max', 'math_@max', 1),
    ofDouble('ceil', Math.ceil),
    ofDouble('floor', Math.floor),
    ofDouble('round', math.round),
    ofDouble('trunc', Math.trunc),
    testOfDouble('isInf', value => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY),
    testOfDouble('isNaN', Number.isNaN),
    testOfDouble('isFinite', Number.isFinite),
    fn(
      'math.abs',
      global('math_abs_double', [[doubleType], doubleType], math.onDouble(Math.abs)),
      global('math_abs_int', [[intType], intType], math.absInt),
      global('math_abs_uint', [[uintType], uintType], (value: Value) => value),
    ),
    fn(
      'math.sign',
      global('math_sign_double', [[doubleType], doubleType], math.onDouble(math.sign)),
      global('math_sign_int', [[intType], intType], math.signInt),
      global('math_sign_uint', [[uintType], uintType], math.signUint),
    ),
    fn('math.sqrt', ...numeric.map(([name, type]) => global(`math_sqrt_${name}`, [[type], doubleType], math.sqrt))),
    bits('bitAnd', (a, b) => a & b),
    bits('bitOr', (a, b) => a | b),
    bits('bitXor', (a, b) => a ^ b),
    fn(
      'math.bitNot',
      global('math_bitNot_int_int', [[intType], intType], not(math.onInts(a => ~a))),
      global('math_bitNot_uint_uint', [[uintType], uintType], not(math.onUints(a => ~a))),
    ),
    shift('bitShiftLeft', (value, by) => value << by),
    shift('bitShiftRight', (value, by) => value >> by),
  ],
};

function ofDouble(name: string, call: (value: number) => number): FunctionDeclaration {
  return fn(`math.${name}`, global(`math_${name}_double`, [[doubleType], doubleType], math.onDouble(call)));
}

function testOfDouble(name: string, call: (value: number) => boolean): FunctionDeclaration {
  const test = (value: DoubleValue): boolean => call(toNumber(value));
  return fn(`math.${name}`, global(`math_${name}_double`, [[doubleType], boolType], test));
}

function bits(name: string, call: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return fn(
    `math.${name}`,
    global(`math_${name}_int_int`, [[intType, intType], intType], math.onInts(call)),
    global(`math_${name}_uint_uint`, [[uintType, uintType], uintType], math.onUints(call)),
  );
}

function not<T>(call: (a: T, b: T) => Value): (a: T) => Value {
  return value => call(value, value);
}

function shift(name: string, call: (value: bigint, by: bigint) => bigint): FunctionDeclaration {
  return fn(
    `math.${name}`,
    global(`math_${name}_int_int`, [[intType, intType], intType], math.shiftInt(name, call)),
    global(`math_${name}_uint_int`, [[uintType, intType], uintType], math.shiftUint(name, call)),
  );
}

function extreme(name: string, prefix: string, sign: 1 | -1): FunctionDeclaration {
  const pair = math.pickPair(sign);
  const one = numeric.map(([id, type]) => global(`${prefix}_${id}`, [[type], type], (value: Value) => value));
  const two: Overload[] = numeric.flatMap(([idA, a]) =>
    numeric.map(([idB, b]) => global(`${prefix}_${idA}_${idB}`, [[a, b], a === b ? a : dynType], pair)),
  );
  const many = numeric.map(([id, type]) =>
    global(
      `${prefix}_list_${id}`,
      [[listOf(type)], type],
      math.pickList(sign),
      (list: readonly Value[]) => list.length,
    ),
  );
  return fn(name, ...one, ...two, ...many);
}
