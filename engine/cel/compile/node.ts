import type {CelError} from '../errors.js';
import type {Type} from '../types/type.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';

/**
 * As `Code`, but an error may come back instead of being thrown: a missing field is routine where `||`, `&&` and macros
 * absorb it, and throwing takes as long as ten selections.
 */
export type Attempt = (frame: Frame) => Value | CelError;

/** A compiled expression. */
export interface Node {
  readonly run: Code;
  /** Made when it is asked for; absent where nothing is gained. */
  readonly attempt?: () => Attempt;
  /** Of a selection: what it selects from, and the fields in their order. */
  readonly path?: {readonly root: Node; readonly fields: readonly string[]};
  /** Its value where that is known. */
  readonly constant?: Value;
  /**
   * Type that the value is sure to have, as far as the outermost level goes. Declared types of variables and their fields
   * are no warrant: what is bound may be any JSON.
   */
  readonly sure?: Type;
  /** Made of literals and functions of their arguments alone: may be evaluated once and for all. */
  readonly pure: boolean;
  /** Least and most cost units, of which `charge` is charged by who evaluates it, ahead. */
  readonly cost: Cost;
}

export interface Cost {
  readonly min: number;
  readonly max: number;
  /** Units of the node and its operands, without loops' rounds and what grows with values. */
  readonly charge: number;
}

export const unit: Cost = {min: 1, max: 1, charge: 1};
export const free: Cost = {min: 0, max: 0, charge: 0};

export function sum(costs: readonly Cost[], own: Cost = unit): Cost {
  let {min, max, charge} = own;
  for (const cost of costs) {
    min += cost.min;
    max += cost.max;
    charge += cost.charge;
  }
  return {min, max, charge};
}

/** `first` always, `rest` perhaps. */
export function perhaps(first: Cost, ...rest: readonly Cost[]): Cost {
  const all = sum([first, ...rest]);
  return {...all, min: first.min + 1};
}

export function attemptOf(node: Node): Attempt {
  return node.attempt?.() ?? node.run;
}

export function constantNode(value: Value, sure: Type): Node {
  return {run: () => value, constant: value, sure, pure: true, cost: free};
}
