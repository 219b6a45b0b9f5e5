import {CelError} from '../errors.js';
import {boolType} from '../types/type.js';
import {equals, isInt} from '../values/index.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Attempt, attemptOf, type Node, sum} from './node.js';

/** `a == b`, or `!=` with `wanted` false. Literals of one type only are compared by identity. */
export function equality(a: Node, b: Node, wanted: boolean): Node {
  const literal = b.constant === undefined ? a.constant : b.constant;
  const other = b.constant === undefined ? b : a;
  const common = {sure: boolType, pure: a.pure && b.pure, cost: sum([a.cost, b.cost])};
  const make = literal === undefined ? undefined : withLiteral(literal, wanted);
  if (make === undefined) return {run: general(a.run, b.run, wanted), ...common};
  // Nothing but a value comes of an operand that throws its errors.
  return {run: make(other.run) as Code, attempt: () => make(attemptOf(other)), ...common};
}

function withLiteral(literal: Value, wanted: boolean): ((get: Attempt) => Attempt) | undefined {
  if (literal === null || typeof literal === 'boolean' || typeof literal === 'string') {
    return get => frame => {
      const value = get(frame);
      if (value === literal) return wanted;
      return value instanceof CelError ? value : !wanted;
    };
  }
  if (typeof literal !== 'number' || !isInt(literal)) return undefined;
  return get => frame => {
    const value = get(frame);
    if (typeof value === 'number') return (value === literal) === wanted;
    return value instanceof CelError ? value : equals(value, literal) === wanted;
  };
}

/** Texts from this length on cost what comparing them takes. */
const longText = 256;

function general(a: Code, b: Code, wanted: boolean): Code {
  return frame => {
    const left = a(frame);
    const right = b(frame);
    if (typeof left === 'string') {
      if (left.length > longText) frame.spend(left.length >> 5);
      return (left === right) === wanted;
    }
    if (typeof left === 'number' && typeof right === 'number') return (left === right) === wanted;
    return equals(left, right, frame) === wanted;
  };
}

/** `value in list` by value. */
export function listHolds(list: readonly Value[], value: Value, frame: Frame): boolean {
  frame.spend(list.length >> 3);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return list.includes(value);
  for (let index = 0; index < list.length; index++) if (equals(value, list[index]!, frame)) return true;
  return false;
}
