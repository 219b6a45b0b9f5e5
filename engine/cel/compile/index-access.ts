import {findIndex, indexAny, optionalFrom} from '../standard/index.js';
import {dynType, optionalOf} from '../types/type.js';
import {Optional, type Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Node, sum} from './node.js';

/** `container[key]`, of what an optional holds, too. */
export function index(container: Node, key: Node): Node {
  const cost = sum([container.cost, key.cost]);
  const pure = container.pure && key.pure;
  return {run: indexCode(container.run, key), pure, cost};
}

function indexCode(get: Code, key: Node): Code {
  const {constant} = key;
  if (typeof constant === 'number' && Number.isInteger(constant) && constant >= 0) {
    return frame => {
      const list = get(frame);
      if (Array.isArray(list) && constant < list.length) return list[constant] as Value;
      return slowIndex(list, constant);
    };
  }
  const getKey = key.run;
  return frame => slowIndex(get(frame), getKey(frame));
}

function slowIndex(container: Value, key: Value): Value {
  if (!(container instanceof Optional)) return indexAny(container, key);
  return container.value === undefined ? container : optionalFrom(findIndex(container.value, key));
}

/** `container[?key]`. */
export function indexOptional(container: Node, key: Node): Node {
  const get = container.run;
  const getKey = key.run;
  const run = (frame: Frame): Value => {
    let holder = get(frame);
    const at = getKey(frame);
    if (holder instanceof Optional) {
      if (holder.value === undefined) return holder;
      holder = holder.value;
    }
    return optionalFrom(findIndex(holder, at));
  };
  return {run, sure: optionalOf(dynType), pure: container.pure && key.pure, cost: sum([container.cost, key.cost])};
}
