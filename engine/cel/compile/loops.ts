import {CelError} from '../errors.js';
import {sortByKeys, sortCost} from '../extensions/index.js';
import type {LoopName} from '../syntax/ast.js';
import {boolType, dynType, listOf, mapOf, optionalOf} from '../types/type.js';
import {
  isMap,
  keyText,
  makeMap,
  mapEntries,
  mapGet,
  mapKey,
  mapKeys,
  runtimeName,
  typeOfValue,
} from '../values/index.js';
import {type MapKey, Optional, type Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {failureOf, noOverload, throwing} from './logic.js';
import {type Attempt, attemptOf, type Cost, type Node, sum} from './node.js';

/** A macro with its operands compiled; `slots` are where its names are bound. */
export interface LoopParts {
  readonly range: Node;
  readonly slots: readonly number[];
  readonly filter: Node | undefined;
  readonly body: Node;
}

type Make = (parts: LoopParts, round: number) => Code;

/** Calls `visit` per element until it returns true. Each round costs `round` units. */
type Walk = (frame: Frame, range: Value, visit: (frame: Frame, key: Value) => boolean) => void;

function iterable(range: Value): readonly Value[] {
  if (Array.isArray(range)) return range;
  if (isMap(range)) return mapKeys(range);
  throw new CelError(`got '${runtimeName(typeOfValue(range))}', expected iterable type`);
}

/** Binds one name per element or key, or two: index and element, key and value. `visit` gets what a map's key would be. */
function walker(slots: readonly number[], round: number): Walk {
  const [first = 0, second] = slots;
  if (second === undefined) {
    return (frame, range, visit) => {
      const items = iterable(range);
      const {locals} = frame;
      for (let index = 0; index < items.length; index++) {
        frame.spend(round);
        locals[first] = items[index]!;
        if (visit(frame, index)) return;
      }
    };
  }
  return (frame, range, visit) => {
    const {locals} = frame;
    const keys = iterable(range);
    const isList = Array.isArray(range);
    for (let index = 0; index < keys.length; index++) {
      frame.spend(round);
      const key = isList ? index : keys[index]!;
      locals[first] = key;
      locals[second] = isList ? keys[index]! : mapGet(range as never, key)!;
      if (visit(frame, key)) return;
    }
  };
}

function truth(value: Value): boolean {
  if (value === true) return true;
  if (value === false) return false;
  throw noOverload;
}

/** `all` and `exists`: a decisive round absorbs the errors of others. */
function quantifier({range, slots, body}: LoopParts, round: number, decisive: boolean): Attempt {
  const getRange = attemptOf(range);
  const test = attemptOf(body);
  const [first = 0, second] = slots;
  const neutral = !decisive;
  if (second !== undefined) return pairQuantifier(getRange, test, walker(slots, round), decisive);
  return frame => {
    const found = getRange(frame);
    if (found instanceof CelError) return found;
    const items = iterable(found);
    const {locals} = frame;
    let failure: CelError | undefined;
    for (let index = 0; index < items.length; index++) {
      frame.spend(round);
      locals[first] = items[index]!;
      try {
        const value = test(frame);
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

function pairQuantifier(getRange: Attempt, test: Attempt, walk: Walk, decisive: boolean): Attempt {
  const neutral = !decisive;
  return frame => {
    const found = getRange(frame);
    if (found instanceof CelError) return found;
    let failure: CelError | undefined;
    let decided = false;
    walk(frame, found, () => {
      try {
        const value = test(frame);
        decided = value === decisive;
        if (!decided && value !== neutral) failure ??= failureOf(value);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
      return decided;
    });
    return decided ? decisive : (failure ?? neutral);
  };
}

const existsOne: Make = ({range, slots, body}, round) => {
  const walk = walker(slots, round);
  return frame => {
    let count = 0;
    walk(frame, range.run(frame), () => {
      if (truth(body.run(frame))) count++;
      return false;
    });
    return count === 1;
  };
};

/** `map` and `transformList`, with or without filter; `filter` with the element itself for a body. */
const collect: Make = ({range, slots, filter, body}, round) => {
  const walk = walker(slots, round);
  const getRange = range.run;
  const keep = filter?.run;
  const make = body.run;
  return frame => {
    const made: Value[] = [];
    walk(frame, getRange(frame), () => {
      if (keep === undefined || truth(keep(frame))) made.push(make(frame));
      return false;
    });
    frame.grow(8 * made.length);
    return made;
  };
};

const filterList: Make = ({range, slots, body}, round) => {
  const getRange = range.run;
  const test = body.run;
  const [first = 0] = slots;
  return frame => {
    const items = iterable(getRange(frame));
    const {locals} = frame;
    const made: Value[] = [];
    for (let index = 0; index < items.length; index++) {
      frame.spend(round);
      const item = items[index]!;
      locals[first] = item;
      if (truth(test(frame))) made.push(item);
    }
    frame.grow(8 * made.length);
    return made;
  };
};

const transformMap: Make = ({range, slots, filter, body}, round) => {
  const walk = walker(slots, round);
  return frame => {
    const entries: Array<[Value, Value]> = [];
    walk(frame, range.run(frame), (_, key) => {
      if (filter === undefined || truth(filter.run(frame))) entries.push([key, body.run(frame)]);
      return false;
    });
    frame.grow(16 * entries.length);
    return makeMap(entries);
  };
};

const transformMapEntry: Make = ({range, slots, filter, body}, round) => {
  const walk = walker(slots, round);
  return frame => {
    const entries: Array<[Value, Value]> = [];
    const seen = new Set<MapKey>();
    walk(frame, range.run(frame), () => {
      if (filter !== undefined && !truth(filter.run(frame))) return false;
      const made = body.run(frame);
      if (!isMap(made)) throw noOverload;
      for (const [key, value] of mapEntries(made)) {
        frame.spend(1);
        if (seen.has(mapKey(key))) throw new CelError(`insert failed: key ${keyText(key)} already exists`);
        seen.add(mapKey(key));
        entries.push([key, value]);
      }
      return false;
    });
    frame.grow(16 * entries.length);
    return makeMap(entries);
  };
};

const sortBy: Make = ({range, slots, body}, round) => {
  const walk = walker(slots, round);
  return frame => {
    const list = range.run(frame);
    if (!Array.isArray(list)) throw noOverload;
    const keys: Value[] = [];
    walk(frame, list, () => {
      keys.push(body.run(frame));
      return false;
    });
    frame.spend(sortCost(list));
    frame.grow(16 * list.length);
    return sortByKeys(list, keys);
  };
};

/** `optMap` and `optFlatMap`: the name is bound to what the optional holds. */
function optionalMap(flat: boolean): Make {
  return ({range, slots, body}, round) => {
    const [slot = 0] = slots;
    return frame => {
      const optional = range.run(frame);
      if (!(optional instanceof Optional)) {
        throw new CelError(`no such overload: hasValue(${runtimeName(typeOfValue(optional))})`);
      }
      if (optional.value === undefined) return optional;
      frame.spend(round);
      frame.locals[slot] = optional.value;
      const value = body.run(frame);
      if (!flat) return new Optional(value);
      if (value instanceof Optional) return value;
      throw noOverload;
    };
  };
}

const anyList = listOf(dynType);
const anyMap = mapOf(dynType, dynType);
const anyOptional = optionalOf(dynType);

const loops = {
  existsOne: [existsOne, boolType],
  map: [collect, anyList],
  filter: [filterList, anyList],
  transformList: [collect, anyList],
  transformMap: [transformMap, anyMap],
  transformMapEntry: [transformMapEntry, anyMap],
  sortBy: [sortBy, anyList],
  optMap: [optionalMap(false), anyOptional],
  optFlatMap: [optionalMap(true), anyOptional],
} as const;

export function loop(name: LoopName, parts: LoopParts): Node {
  // With a unit for the round itself.
  const inner = sum(parts.filter ? [parts.filter.cost, parts.body.cost] : [parts.body.cost]);
  const common = {pure: false, cost: loopCost(parts.range, inner)};
  if (name === 'all' || name === 'exists') {
    const attempt = quantifier(parts, inner.charge, name === 'exists');
    return {run: throwing(attempt), attempt: () => attempt, sure: boolType, ...common};
  }
  const [make, sure] = loops[name];
  return {run: make(parts, inner.charge), sure, ...common};
}

/** A round is charged when it starts; what the range has is known for literals only. */
function loopCost(range: Node, inner: Cost): Cost {
  const known = range.constant;
  const rounds = Array.isArray(known) ? known.length : isMap(known) ? mapKeys(known).length : undefined;
  return {
    min: range.cost.min + 1,
    max: rounds === undefined ? Number.POSITIVE_INFINITY : range.cost.max + 1 + rounds * inner.max,
    charge: range.cost.charge + 1,
  };
}
