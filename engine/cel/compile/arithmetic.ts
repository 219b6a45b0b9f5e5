import {add, divide, modulo, multiply, negate, subtract} from '../standard/index.js';
import type {Type} from '../types/type.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Node, sum} from './node.js';

export type Arithmetic = '_+_' | '_-_' | '_*_' | '_/_' | '_%_';

/** `a + b` and the like; ints that stay safe are added in place, the rest by the general operation. */
export function arithmetic(name: Arithmetic, a: Node, b: Node, result: Type | undefined): Node {
  const code =
    name === '_+_' ? sumCode(a, b) : name === '_-_' ? differenceCode(a.run, b.run) : general[name](a.run, b.run);
  return {run: code, ...(result && {sure: result}), pure: a.pure && b.pure, cost: sum([a.cost, b.cost])};
}

function sumCode(a: Node, b: Node): Code {
  const left = a.run;
  const right = b.run;
  if (typeof b.constant === 'string') return frame => joined(frame, left(frame), b.constant as string);
  return frame => {
    const x = left(frame);
    const y = right(frame);
    if (typeof x === 'string' && typeof y === 'string') return joined(frame, x, y);
    if (typeof x === 'number' && typeof y === 'number' && Number.isInteger(x) && Number.isInteger(y)) {
      const total = x + y;
      if (Number.isSafeInteger(total)) return total;
    }
    return grown(frame, add(x, y));
  };
}

function joined(frame: Frame, x: Value, y: string): Value {
  if (typeof x !== 'string') return add(x, y);
  frame.grow(x.length + y.length);
  return x + y;
}

function grown(frame: Frame, value: Value): Value {
  if (Array.isArray(value)) {
    frame.spend(value.length >> 3);
    frame.grow(8 * value.length);
  } else if (value instanceof Uint8Array) frame.grow(value.length);
  return value;
}

function differenceCode(left: Code, right: Code): Code {
  return frame => {
    const x = left(frame);
    const y = right(frame);
    if (typeof x === 'number' && typeof y === 'number' && Number.isInteger(x) && Number.isInteger(y)) {
      const difference = x - y;
      if (Number.isSafeInteger(difference)) return difference;
    }
    return subtract(x, y);
  };
}

const general: Readonly<Record<'_*_' | '_/_' | '_%_', (left: Code, right: Code) => Code>> = {
  '_*_': (left, right) => frame => multiply(left(frame), right(frame)),
  '_/_': (left, right) => frame => divide(left(frame), right(frame)),
  '_%_': (left, right) => frame => modulo(left(frame), right(frame)),
};

export function negation(operand: Node, result: Type | undefined): Node {
  const get = operand.run;
  const run = (frame: Frame): Value => negate(get(frame));
  return {run, ...(result && {sure: result}), pure: operand.pure, cost: sum([operand.cost])};
}
