import {EvalError} from '../../diagnostic.js';
import {isNumber, type Json, type JsonNumber} from '../../json/types.js';
import {parseDuration} from '../../values/duration.js';
import {parseQuantity, type Quantity} from '../../values/quantity.js';

/** What arithmetic works on: a number, or a text read as a quantity and, failing that, as a duration. */
export type Operand =
  | {readonly kind: 'scalar'; readonly value: JsonNumber}
  | {readonly kind: 'quantity'; readonly value: Quantity}
  | {readonly kind: 'duration'; readonly value: bigint};

/** Exponents beyond this are no amounts; they only cost memory when aligned. */
const maxScale = 400;

export function operandOf(value: Json): Operand {
  if (isNumber(value)) return {kind: 'scalar', value};
  if (typeof value === 'string') {
    const quantity = parseQuantity(value);
    if (quantity && Math.abs(quantity.scale) <= maxScale) return {kind: 'quantity', value: quantity};
    const duration = parseDuration(value);
    if (duration !== undefined) return {kind: 'duration', value: duration};
  }
  throw new EvalError('invalid operand');
}
