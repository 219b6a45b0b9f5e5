import {Float, isObject, type Json, setOwn, toDouble} from '../../json/types.js';
import {doubleOf} from '../values/index.js';

/**
 * The same with every number a double, as CEL sees JSON that came as text (`json.unmarshal`, answers of services).
 * Parts without ints are shared with what was given.
 */
export function withDoubles(value: Json): Json {
  if (typeof value === 'number' || typeof value === 'bigint') return doubleOf(toDouble(value));
  if (Array.isArray(value)) return listWithDoubles(value);
  if (value instanceof Float || !isObject(value)) return value;
  let copy: {[key: string]: Json} | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key]!;
    const changed = withDoubles(item);
    if (changed === item) continue;
    copy ??= {...value};
    setOwn(copy, key, changed);
  }
  return copy ?? value;
}

function listWithDoubles(list: Json[]): Json {
  let copy: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index]!;
    const changed = withDoubles(item);
    if (changed === item) continue;
    copy ??= [...list];
    copy[index] = changed;
  }
  return copy ?? list;
}
