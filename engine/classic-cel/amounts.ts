import {CelError} from '../cel/errors.js';
import type {FunctionDeclaration, Library} from '../cel/library/library.js';
import {boolType, dynType} from '../cel/types/type.js';
import {compare} from '../cel/values/index.js';
import {OpaqueValue, type Value} from '../cel/values/value.js';
import {isNumber, type Json} from '../json/types.js';
import {compareQuantities, parseQuantity, type Quantity, quantityFromNumber} from '../values/quantity.js';

/** A product of a quantity; only to be compared. */
class Amount extends OpaqueValue {
  readonly typeName = 'kyverno.amount';

  constructor(readonly quantity: Quantity) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Amount && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

/** What an operator becomes where an operand is the value of a quantity field. */
export const amountFunctions: ReadonlyMap<string, string> = new Map([
  ['_<_', 'amount_less'],
  ['_<=_', 'amount_less_equals'],
  ['_>_', 'amount_greater'],
  ['_>=_', 'amount_greater_equals'],
  ['_*_', 'amount_times'],
]);

/** Operators that take quantities, numbers and texts of quantities by amount, and everything else as CEL does. */
export const amountLibrary: Library = {
  name: 'kyverno.amounts',
  functions: [
    ordering('amount_less', order => order < 0),
    ordering('amount_less_equals', order => order <= 0),
    ordering('amount_greater', order => order > 0),
    ordering('amount_greater_equals', order => order >= 0),
    {
      name: 'amount_times',
      overloads: [
        {id: 'amount_times_dyn_dyn', receiver: false, params: [dynType, dynType], result: dynType, call: times},
      ],
    },
  ],
};

function ordering(name: string, holds: (order: number) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [
      {
        id: `${name}_dyn_dyn`,
        receiver: false,
        params: [dynType, dynType],
        result: boolType,
        call: (a: Value, b: Value) => holds(order(a, b)),
      },
    ],
  };
}

function order(a: Value, b: Value): number {
  const [left, right] = [quantityOf(a), quantityOf(b)];
  return left !== undefined && right !== undefined ? compareQuantities(left, right) : compare(a, b);
}

function times(a: Value, b: Value): Value {
  const [left, right] = [quantityOf(a), quantityOf(b)];
  if (left === undefined || right === undefined) throw new CelError('no such overload');
  return new Amount({digits: left.digits * right.digits, scale: left.scale + right.scale, format: left.format});
}

function quantityOf(value: Value): Quantity | undefined {
  if (typeof value === 'string') return parseQuantity(value);
  if (value instanceof Amount) return value.quantity;
  if (!isNumber(value as Json)) return undefined;
  return typeof value === 'number' && !Number.isFinite(value) ? undefined : quantityFromNumber(value as number);
}
