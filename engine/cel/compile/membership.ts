import {boolType} from '../types/type.js';
import {isMap, mapHas} from '../values/index.js';
import type {Value} from '../values/value.js';
import {listHolds} from './equality.js';
import type {Code, Frame} from './frame.js';
import {noOverload} from './logic.js';
import {type Node, sum} from './node.js';

/** `value in container`; a literal list of strings becomes a set. */
export function membership(value: Node, container: Node): Node {
  const texts = literalTexts(container.constant);
  const run = texts ? inTexts(value.run, texts) : inAny(value.run, container.run);
  return {run, sure: boolType, pure: value.pure && container.pure, cost: sum([value.cost, container.cost])};
}

function literalTexts(list: Value | undefined): ReadonlySet<Value> | undefined {
  return Array.isArray(list) && list.every(item => typeof item === 'string') ? new Set<Value>(list) : undefined;
}

function inTexts(get: Code, texts: ReadonlySet<Value>): Code {
  return frame => texts.has(get(frame));
}

function inAny(get: Code, getContainer: Code): Code {
  return (frame: Frame): boolean => {
    const value = get(frame);
    const container = getContainer(frame);
    if (Array.isArray(container)) return listHolds(container, value, frame);
    if (isMap(container)) return mapHas(container, value);
    throw noOverload;
  };
}
