import {Float} from '../../json/types.js';
import {CelError} from '../errors.js';
import {optionalFrom} from '../standard/index.js';
import {boolType, dynType, optionalOf} from '../types/type.js';
import {isMap, mapGet} from '../values/index.js';
import {Boxed, ObjectValue, Optional, type Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Attempt, attemptOf, type Node, sum} from './node.js';

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

const isQuick = (field: string): boolean => !builtinNames.has(field) && !isIndexLike(field);

/** `operand.field`; a chain of selections is walked in one go. */
export function select(operand: Node, field: string): Node {
  const {root, fields} = operand.path ?? {root: operand, fields: []};
  const path = {root, fields: [...fields, field]};
  const steps = path.fields.map(name => ({name, quick: isQuick(name), missing: new CelError(`no such key: ${name}`)}));
  const run = steps.length === 1 ? oneField(root, steps[0]!) : manyFields(root, steps);
  return {
    run,
    attempt: () => attemptFields(attemptOf(root), steps),
    path,
    pure: operand.pure,
    cost: sum([operand.cost]),
  };
}

interface Step {
  readonly name: string;
  /** Whether what answers to the name holds it as a key, unless it is a `Boxed`. */
  readonly quick: boolean;
  readonly missing: CelError;
}

function oneField(root: Node, {name, quick, missing}: Step): Code {
  const get = root.run;
  if (!quick) return frame => slowSelect(get(frame), name, missing);
  return frame => {
    const holder = get(frame);
    if (typeof holder === 'object' && holder !== null && !(holder instanceof Boxed)) {
      const value = (holder as Holder)[name];
      if (value !== undefined) return value;
    }
    return slowSelect(holder, name, missing);
  };
}

function manyFields(root: Node, steps: readonly Step[]): Code {
  const get = root.run;
  const count = steps.length;
  return frame => {
    let holder = get(frame);
    for (let index = 0; index < count; index++) {
      const {name, quick, missing} = steps[index]!;
      if (quick && typeof holder === 'object' && holder !== null && !(holder instanceof Boxed)) {
        const value = (holder as Holder)[name] as Value | undefined;
        if (value !== undefined) {
          holder = value;
          continue;
        }
      }
      holder = slowSelect(holder, name, missing);
    }
    return holder;
  };
}

function attemptFields(get: Attempt, steps: readonly Step[]): Attempt {
  const count = steps.length;
  return frame => {
    let holder = get(frame);
    for (let index = 0; index < count; index++) {
      const {name, quick, missing} = steps[index]!;
      if (quick && typeof holder === 'object' && holder !== null && !(holder instanceof Boxed)) {
        const value = (holder as Holder)[name] as Value | undefined;
        if (value !== undefined) {
          holder = value;
          continue;
        }
      }
      const found = slowAttempt(holder, name, missing);
      if (found instanceof CelError) return found;
      holder = found;
    }
    return holder;
  };
}

function slowSelect(holder: Value, field: string, missing: CelError): Value {
  const value = slowAttempt(holder, field, missing);
  if (value instanceof CelError) throw value;
  return value;
}

function slowAttempt(holder: Value | CelError, field: string, missing: CelError): Value | CelError {
  if (holder instanceof CelError) return holder;
  if (holder instanceof Optional) return selectInOptional(holder, field, missing);
  const value = findField(holder, field);
  return value === undefined ? missing : value;
}

/** A field of what an optional holds; a missing one is none, but what has no fields is an error. */
function selectInOptional(optional: Optional, field: string, missing: CelError): Value | CelError {
  const held = optional.value;
  if (held === undefined) return Optional.none;
  if (!isMap(held) && !(held instanceof ObjectValue) && !Array.isArray(held)) return missing;
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
  const attempt = (): Attempt => hasField(attemptOf(operand), field);
  // Nothing but a value comes of an operand that throws its errors.
  const run = hasField(operand.run, field) as Code;
  return {run, attempt, sure: boolType, pure: operand.pure, cost: operand.cost};
}

function hasField(get: Attempt, field: string): Attempt {
  if (!isQuick(field)) return frame => slowHas(get(frame), field);
  return frame => {
    const holder = get(frame);
    if (typeof holder === 'object' && holder !== null && !(holder instanceof Boxed)) {
      if ((holder as Holder)[field] !== undefined) return true;
    }
    return slowHas(holder, field);
  };
}

function slowHas(holder: Value | CelError, field: string): boolean | CelError {
  if (holder instanceof CelError) return holder;
  const held = holder instanceof Optional ? holder.value : holder;
  if (held === undefined) return false;
  if (held instanceof ObjectValue) return held.has(field);
  return findField(held, field) !== undefined;
}
