import {CelError} from '../errors.js';
import {boolType} from '../types/type.js';
import {compare, runtimeName, typeOfValue} from '../values/index.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Node, sum} from './node.js';

export type Comparison = '_<_' | '_<=_' | '_>_' | '_>=_';

/** Plain numbers are compared in place, whether ints or doubles; all else by the general order. */
const codes: Readonly<Record<Comparison, (a: Code, b: Code) => Code>> = {
  '_<_': (a, b) => frame => {
    const left = a(frame);
    const right = b(frame);
    if (typeof left === 'number' && typeof right === 'number') {
      if (left < right) return true;
      if (left >= right) return false;
    }
    return order('_<_', left, right, frame) < 0;
  },
  '_<=_': (a, b) => frame => {
    const left = a(frame);
    const right = b(frame);
    if (typeof left === 'number' && typeof right === 'number') {
      if (left <= right) return true;
      if (left > right) return false;
    }
    return order('_<=_', left, right, frame) <= 0;
  },
  '_>_': (a, b) => frame => {
    const left = a(frame);
    const right = b(frame);
    if (typeof left === 'number' && typeof right === 'number') {
      if (left > right) return true;
      if (left <= right) return false;
    }
    return order('_>_', left, right, frame) > 0;
  },
  '_>=_': (a, b) => frame => {
    const left = a(frame);
    const right = b(frame);
    if (typeof left === 'number' && typeof right === 'number') {
      if (left >= right) return true;
      if (left < right) return false;
    }
    return order('_>=_', left, right, frame) >= 0;
  },
};

export function comparison(name: Comparison, a: Node, b: Node): Node {
  return {run: codes[name](a.run, b.run), sure: boolType, pure: a.pure && b.pure, cost: sum([a.cost, b.cost])};
}

const unordered: ReadonlySet<string> = new Set(['null_type', 'list', 'map', 'type', 'optional_type']);

function order(name: Comparison, left: Value, right: Value, frame: Frame): number {
  if (typeof left === 'string' && left.length > 256) frame.spend(left.length >> 5);
  // cel-go names the operator where the left type has no order at all.
  if (unordered.has(runtimeName(typeOfValue(left)))) throw new CelError(`no such overload: ${name}`);
  return compare(left, right);
}
