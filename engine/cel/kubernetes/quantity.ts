import {CelError} from '../errors.js';
import {fn, global, method, walk} from '../library/declare.js';
import type {FunctionDeclaration, Library} from '../library/library.js';
import {boolType, doubleType, intType, opaque, stringType} from '../types/type.js';
import {type DoubleValue, doubleOf, type IntValue, intOf, toBigInt} from '../values/index.js';
import {parseQuantityValue, type QuantityValue, quantityOfInt} from './quantity-value.js';
import {succeeds} from './succeeds.js';

const type = opaque('kubernetes.Quantity');

export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  functions: [
    fn('quantity', global('string_to_quantity', [[stringType], type], parseQuantityValue, walk)),
    fn('isQuantity', global('is_quantity_string', [[stringType], boolType], succeeds(parseQuantityValue), walk)),
    fn(
      'sign',
      global('quantity_sign', [[type], intType], (value: QuantityValue) => value.sign()),
    ),
    comparison('isGreaterThan', 'quantity_is_greater_than', order => order === 1),
    comparison('isLessThan', 'quantity_is_less_than', order => order === -1),
    fn(
      'compareTo',
      method('quantity_compare_to', [[type, type], intType], (a: QuantityValue, b: QuantityValue) => a.compareTo(b)),
    ),
    fn('asApproximateFloat', method('quantity_get_float', [[type], doubleType], asFloat)),
    fn('asInteger', method('quantity_get_int', [[type], intType], asInteger)),
    fn(
      'isInteger',
      method('quantity_is_integer', [[type], boolType], (value: QuantityValue) => value.asInteger() !== undefined),
    ),
    arithmetic('add', 1),
    arithmetic('sub', -1),
  ],
};

function comparison(name: string, id: string, test: (order: number) => boolean): FunctionDeclaration {
  const call = (a: QuantityValue, b: QuantityValue): boolean => test(a.compareTo(b));
  return fn(name, method(id, [[type, type], boolType], call));
}

function arithmetic(name: string, sign: 1 | -1): FunctionDeclaration {
  const add = (a: QuantityValue, b: QuantityValue): QuantityValue => a.add(b, sign);
  const addInt = (a: QuantityValue, b: IntValue): QuantityValue => a.add(quantityOfInt(toBigInt(b)), sign);
  return fn(
    name,
    method(`quantity_${name}`, [[type, type], type], add),
    method(`quantity_${name}_int`, [[type, intType], type], addInt),
  );
}

function asFloat(value: QuantityValue): DoubleValue {
  return doubleOf(value.asFloat());
}

function asInteger(value: QuantityValue): IntValue {
  const integer = value.asInteger();
  if (integer === undefined) throw new CelError('cannot convert value to integer');
  return intOf(integer);
}
