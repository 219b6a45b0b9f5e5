import {CelError} from '../errors.js';
import {boolType} from '../types/type.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Node, perhaps, sum} from './node.js';

/** What stands for a bool but is none. */
export const noOverload = new CelError('no such overload');

/** `a && b && …` (`decisive` false) or `a || b || …` (true): a decisive operand absorbs errors on either side. */
export function junction(operands: readonly Node[], decisive: boolean): Node {
  const [first, ...rest] = operands;
  const pure = operands.every(operand => operand.pure);
  const cost = perhaps(first!.cost, ...rest.map(operand => operand.cost));
  const codes = operands.map(operand => operand.run);
  const run = codes.length === 2 ? pair(codes[0]!, codes[1]!, decisive) : many(codes, decisive);
  return {run, sure: boolType, pure, cost};
}

function pair(left: Code, right: Code, decisive: boolean): Code {
  const neutral = !decisive;
  return frame => {
    let value: Value;
    try {
      value = left(frame);
    } catch (error) {
      return afterError(error, right, frame, decisive);
    }
    if (value === decisive) return decisive;
    if (value !== neutral) return afterError(noOverload, right, frame, decisive);
    value = right(frame);
    if (value === true || value === false) return value;
    throw noOverload;
  };
}

function afterError(error: unknown, right: Code, frame: Frame, decisive: boolean): boolean {
  if (!(error instanceof CelError)) throw error;
  if (decides(right, frame, decisive)) return decisive;
  throw error;
}

/** Whether an operand decides in spite of an error elsewhere; its own error is less than the first. */
function decides(code: Code, frame: Frame, decisive: boolean): boolean {
  try {
    return code(frame) === decisive;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function many(codes: readonly Code[], decisive: boolean): Code {
  const count = codes.length;
  const neutral = !decisive;
  return frame => {
    let failure: CelError | undefined;
    for (let index = 0; index < count; index++) {
      try {
        const value = codes[index]!(frame);
        if (value === decisive) return decisive;
        if (value !== neutral) failure ??= noOverload;
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return neutral;
  };
}

export function not(operand: Node): Node {
  const get = operand.run;
  const run = (frame: Frame): boolean => {
    const value = get(frame);
    if (value === true) return false;
    if (value === false) return true;
    throw noOverload;
  };
  return {run, sure: boolType, pure: operand.pure, cost: sum([operand.cost])};
}

export function conditional(test: Node, yes: Node, no: Node): Node {
  const decide = test.run;
  const then = yes.run;
  const otherwise = no.run;
  const run = (frame: Frame): Value => {
    const value = decide(frame);
    if (value === true) return then(frame);
    if (value === false) return otherwise(frame);
    throw noOverload;
  };
  const all = sum([test.cost, yes.cost, no.cost]);
  const cost = {
    min: test.cost.min + 1 + Math.min(yes.cost.min, no.cost.min),
    max: test.cost.max + 1 + Math.max(yes.cost.max, no.cost.max),
    charge: all.charge,
  };
  const sure =
    yes.sure !== undefined && yes.sure.kind === no.sure?.kind && !('name' in yes.sure) ? yes.sure : undefined;
  return {run, ...(sure && {sure}), pure: test.pure && yes.pure && no.pure, cost};
}
