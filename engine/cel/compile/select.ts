import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {optionalFrom} from '../standard/index.js';
import {boolType, dynType, optionalOf} from '../types/type.js';
import {isMap, mapGet} from '../values/index.js';
import {Boxed, ObjectValue, Optional, type Value} from '../values/value.js';
import type {Frame} from './frame.js';
import {type Node, sum} from './node.js';

/**
 * Names that some class of values answers to without holding them as a key. A field of another name that an object which
 * is no `Boxed` answers to is its own.
 */
const builtinNames: ReadonlySet<string> = new Set(
  [
    Object.prototype,
    Array.prototype,
    Map.prototype,
    Uint8Array.prototype,
    Object.getPrototypeOf(Uint8Array.prototype),
    Float.prototype,
  ]
    .flatMap(prototype => Object.getOwnPropertyNames(prototype))
    .concat('value', 'length'),
);

const isIndexLike = (field: string): boolean => /^\d/.test(field);

type Holder = {readonly [key: string]: Value | undefined};

/** `operand.field`. */
export function select(operand: Node, field: string): Node {
  const get = operand.run;
  const missing = new CelError(`no such key: ${field}`);
  const quick = !builtinNames.has(field) && !isIndexLike(field);
  const run = quick
    ? (frame: Frame): Value => {
        const holder = get(frame);
        if (typeof holder === 'object' && holder !== null && !(holder instanceof Boxed)) {
          const value = (holder as Holder)[field];
          if (value !== undefined) return value;
        }
        return slowSelect(holder, field, missing);
      }
    : (frame: Frame): Value => slowSelect(get(frame), field, missing);
  return {run, pure: operand.pure, cost: sum([operand.cost])};
}

function slowSelect(holder: Value, field: string, missing: CelError): Value {
  if (holder instanceof Optional) return selectInOptional(holder, field, missing);
  const value = findField(holder, field);
  if (value === undefined) throw missing;
  return value;
}

/** A field of what an optional holds; a missing one is none, but what has no fields is an error. */
function selectInOptional(optional: Optional, field: string, missing: CelError): Value {
  const held = optional.value;
  if (held === undefined) return Optional.none;
  if (!isMap(held) && !(held instanceof ObjectValue) && !Array.isArray(held)) throw missing;
  return optionalFrom(findField(held, field));
}

/** `undefined` when it is not there or the value has no fields. Throws for lists, as cel-go. */
function findField(holder: Value, field: string): Value | undefined {
  if (isMap(holder)) return mapGet(holder, field);
  if (holder instanceof ObjectValue) return holder.get(field);
  if (Array.isArray(holder)) throw new CelError("unsupported index type 'string' in list");
  return undefined;
}

/** `operand.?field`. */
export function selectOptional(operand: Node, field: string): Node {
  const get = operand.run;
  const run = (frame: Frame): Value => {
    let holder = get(frame);
    if (holder instanceof Optional) {
      if (holder.value === undefined) return holder;
      holder = holder.value;
    }
    return optionalFrom(findField(holder, field));
  };
  return {run, sure: optionalOf(dynType), pure: operand.pure, cost: sum([operand.cost])};
}

/** `has(operand.field)`: of what an optional holds, too. */
export function has(operand: Node, field: string): Node {
  const get = operand.run;
  const quick = !builtinNames.has(field) && !isIndexLike(field);
  const run = quick
    ? (frame: Frame): boolean => {
        const holder = get(frame);
        if (typeof holder === 'object' && holder !== null && !(holder instanceof Boxed)) {
          if ((holder as Holder)[field] !== undefined) return true;
        }
        return slowHas(holder, field);
      }
    : (frame: Frame): boolean => slowHas(get(frame), field);
  return {run, sure: boolType, pure: operand.pure, cost: operand.cost};
}

function slowHas(holder: Value, field: string): boolean {
  const held = holder instanceof Optional ? holder.value : holder;
  if (held === undefined) return false;
  if (held instanceof ObjectValue) return held.has(field);
  return findField(held, field) !== undefined;
}
