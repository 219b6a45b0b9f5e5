import {CelError} from '../errors.js';
import type {Overload} from '../library/library.js';
import {runtimeName, typeOfValue} from '../values/index.js';
import type {Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {covers, type Guard, guardOf, sureType} from './guard.js';
import {type Node, sum} from './node.js';

/** A signature with what has to be looked at in its arguments before it may be called. */
interface Candidate {
  readonly overload: Overload;
  readonly guards: ReadonlyArray<Guard | undefined>;
}

/** A call of a function by its signatures; what is not sure of the arguments' types is checked before the call. */
export function call(name: string, overloads: readonly Overload[], args: readonly Node[]): Node {
  const candidates = overloads
    .filter(overload => overload.params.length === args.length)
    .map(overload => ({
      overload,
      guards: overload.params.map((type, index) => (covers(args[index]!.sure, type) ? undefined : guardOf(type))),
    }));
  const [only] = candidates;
  const codes = args.map(arg => arg.run);
  const run = candidates.length === 1 && only ? single(name, only, codes) : dispatch(name, candidates, codes);
  const sure = commonResult(overloads);
  const pure = overloads.every(overload => !overload.host) && args.every(arg => arg.pure);
  return {run, ...(sure && {sure}), pure, cost: callCost(overloads, args)};
}

function commonResult(overloads: readonly Overload[]): Node['sure'] {
  const [first, ...others] = overloads;
  const sure = first && sureType(first.result);
  if (sure === undefined || 'name' in sure) return overloads.length === 1 ? sure : undefined;
  return others.every(other => other.result.kind === sure.kind) ? sure : undefined;
}

function callCost(overloads: readonly Overload[], args: readonly Node[]): Node['cost'] {
  const cost = sum(args.map(arg => arg.cost));
  return overloads.some(overload => overload.cost) ? {...cost, max: Number.POSITIVE_INFINITY} : cost;
}

/** One signature: arguments are passed on without an array in between. */
function single(name: string, {overload, guards}: Candidate, codes: readonly Code[]): Code {
  if (overload.host || codes.length > 3) return dispatch(name, [{overload, guards}], codes);
  const {call: implementation, cost} = overload;
  const [a, b, c] = codes;
  const [guardA, guardB, guardC] = guards;
  if (a === undefined) return frame => made(frame, implementation());
  if (b === undefined) {
    return frame => {
      const x = a(frame);
      if (guardA !== undefined && !guardA(x)) throw unfit(name, [x]);
      if (cost !== undefined) frame.spend(cost(x));
      return made(frame, implementation(x));
    };
  }
  if (c === undefined) {
    return frame => {
      const x = a(frame);
      const y = b(frame);
      if ((guardA !== undefined && !guardA(x)) || (guardB !== undefined && !guardB(y))) throw unfit(name, [x, y]);
      if (cost !== undefined) frame.spend(cost(x, y));
      return made(frame, implementation(x, y));
    };
  }
  return frame => {
    const x = a(frame);
    const y = b(frame);
    const z = c(frame);
    if (
      (guardA !== undefined && !guardA(x)) ||
      (guardB !== undefined && !guardB(y)) ||
      (guardC !== undefined && !guardC(z))
    ) {
      throw unfit(name, [x, y, z]);
    }
    if (cost !== undefined) frame.spend(cost(x, y, z));
    return made(frame, implementation(x, y, z));
  };
}

/** The first signature that takes the values. */
function dispatch(name: string, candidates: readonly Candidate[], codes: readonly Code[]): Code {
  return frame => {
    const values = codes.map(code => code(frame));
    for (const {overload, guards} of candidates) {
      if (!guards.every((guard, index) => guard === undefined || guard(values[index]!))) continue;
      if (overload.cost !== undefined) frame.spend(overload.cost(...values));
      return made(frame, overload.host ? overload.call(frame.host, ...values) : overload.call(...values));
    }
    throw unfit(name, values);
  };
}

/** Accounts for what a function returned. */
export function made(frame: Frame, value: Value): Value {
  if (typeof value === 'string') frame.grow(value.length);
  else if (typeof value === 'object') {
    if (Array.isArray(value)) frame.grow(8 * value.length);
    else if (value instanceof Uint8Array) frame.grow(value.length);
  }
  return value;
}

export function unfit(name: string, values: readonly Value[]): CelError {
  const types = values.map(value => runtimeName(typeOfValue(value)));
  return new CelError(`no such overload: ${name}(${types.join(', ')})`);
}
