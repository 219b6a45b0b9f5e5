import {CelError} from '../errors.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Node, sum} from './node.js';

/** Why a bound value could not be had; told again wherever the name is used. */
class Failed {
  constructor(readonly error: CelError) {}
}

/** The name that `cel.bind` binds: evaluated at its first use, error or value kept for the others. */
export function boundName(init: Node, slot: number): Code {
  const evaluate = init.run;
  const {charge} = init.cost;
  return frame => {
    const known = frame.locals[slot] as Value | Failed | undefined;
    if (known === undefined) return first(frame);
    if (known instanceof Failed) throw known.error;
    return known;
  };
  function first(frame: Frame): Value {
    frame.spend(charge);
    try {
      return (frame.locals[slot] = evaluate(frame));
    } catch (error) {
      if (error instanceof CelError) frame.locals[slot] = new Failed(error) as never;
      throw error;
    }
  }
}

/** `cel.bind(name, init, body)`: forgets what an earlier round of a loop around it bound. */
export function bind(init: Node, slot: number, body: Node): Node {
  const get = body.run;
  const run = (frame: Frame): Value => {
    frame.locals[slot] = undefined;
    return get(frame);
  };
  const cost = {min: body.cost.min + 1, max: init.cost.max + body.cost.max + 1, charge: sum([body.cost]).charge};
  return {run, ...(body.sure && {sure: body.sure}), pure: false, cost};
}
