import {CelError} from '../errors.js';
import {boolType} from '../types/type.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Attempt, attemptOf, type Node, perhaps, sum} from './node.js';

/** What stands for a bool but is none. */
export const noOverload = new CelError('no such overload');

/** `a && b && …` (`decisive` false) or `a || b || …` (true): a decisive operand absorbs errors on either side. */
export function junction(operands: readonly Node[], decisive: boolean): Node {
  const [first, ...rest] = operands;
  const pure = operands.every(operand => operand.pure);
  const cost = perhaps(first!.cost, ...rest.map(operand => operand.cost));
  const attempts = operands.map(attemptOf);
  const [a, b, c] = attempts;
  const attempt =
    attempts.length === 2
      ? pair(a!, b!, decisive)
      : attempts.length === 3
        ? pair(a!, pair(b!, c!, decisive), decisive)
        : many(attempts, decisive);
  return {run: throwing(attempt), attempt: () => attempt, sure: boolType, pure, cost};
}

/** The same with errors thrown, of what comes to a bool or to an error. */
export function throwing(attempt: Attempt): Code {
  return frame => {
    const value = attempt(frame);
    if (value === true || value === false) return value;
    throw value;
  };
}

/** What came of an operand that is neither true nor false. */
export const failureOf = (value: Value | CelError): CelError => (value instanceof CelError ? value : noOverload);

function pair(left: Attempt, right: Attempt, decisive: boolean): Attempt {
  const neutral = !decisive;
  return frame => {
    let value: Value | CelError;
    try {
      value = left(frame);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      value = error;
    }
    if (value === decisive) return decisive;
    if (value !== neutral) return decides(right, frame, decisive) ? decisive : failureOf(value);
    value = right(frame);
    return value === true || value === false ? value : failureOf(value);
  };
}

/** Whether an operand decides in spite of an error elsewhere; its own error is less than the first. */
function decides(operand: Attempt, frame: Frame, decisive: boolean): boolean {
  try {
    return operand(frame) === decisive;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function many(operands: readonly Attempt[], decisive: boolean): Attempt {
  const count = operands.length;
  const neutral = !decisive;
  return frame => {
    let failure: CelError | undefined;
    for (let index = 0; index < count; index++) {
      try {
        const value = operands[index]!(frame);
        if (value === decisive) return decisive;
        if (value !== neutral) failure ??= failureOf(value);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    return failure ?? neutral;
  };
}

export function not(operand: Node): Node {
  const get = attemptOf(operand);
  const attempt: Attempt = frame => {
    const value = get(frame);
    if (value === true) return false;
    return value === false ? true : failureOf(value);
  };
  return {
    run: throwing(attempt),
    attempt: () => attempt,
    sure: boolType,
    pure: operand.pure,
    cost: sum([operand.cost]),
  };
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
