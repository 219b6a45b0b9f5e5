import type {Budget} from '../budget.js';
import {EvalError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import {prepareEquality} from './equality.js';
import type {KeyTest} from './key-test.js';
import {prepareMembership} from './membership.js';
import {isOrderOperator, normalizeOperator} from './operator-name.js';
import type {OrderOperator} from './ordering.js';
import {prepareDurationOrdering, prepareOrdering} from './ordering.js';

/** Puts a value behind an operator. `reuse`: the value is the same for every request. */
export type PrepareValue = (value: Json, reuse: boolean) => KeyTest;

/** `undefined` when there is no such operator. Order operators in another spelling of case are known but never hold. */
export function compileOperator(operator: string): PrepareValue | undefined {
  const name = normalizeOperator(operator);
  if (name === undefined) return undefined;
  if (isOrderOperator(name) && name !== operator) return () => () => false;
  switch (name) {
    case 'Equals':
      return (value, reuse) => prepareEquality(value, {negate: false, reuse});
    case 'NotEquals':
      return (value, reuse) => prepareEquality(value, {negate: true, reuse});
    case 'AnyIn':
    case 'AllIn':
    case 'AnyNotIn':
    case 'AllNotIn':
    case 'In':
    case 'NotIn':
      return (value, reuse) => prepareMembership(name, value, reuse);
    case 'GreaterThan':
    case 'GreaterThanOrEquals':
    case 'LessThan':
    case 'LessThanOrEquals':
      return value => prepareOrdering(name, value);
    default: {
      const order = name.slice('Duration'.length) as OrderOperator;
      return value => prepareDurationOrdering(order, value);
    }
  }
}

/** One comparison. Throws `EvalError` for an unknown operator. */
export function evaluateOperator(operator: string, key: Json, value: Json, budget?: Budget): boolean {
  const prepare = compileOperator(operator);
  if (!prepare) throw new EvalError(`operator ${operator} is not supported`, 'operator-unknown');
  return prepare(value, false)(key, budget);
}
