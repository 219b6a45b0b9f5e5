import {CelError} from '../errors.js';
import type {ObjectDeclaration} from '../library/library.js';
import {dynType, listOf, mapOf, type Type} from '../types/type.js';
import {makeMap, mapKey} from '../values/index.js';
import {Optional, type Value} from '../values/value.js';
import type {Code, Frame} from './frame.js';
import {type Node, sum} from './node.js';

export interface Item {
  readonly value: Node;
  readonly optional: boolean;
}

const anyList = listOf(dynType);
const anyMap = mapOf(dynType, dynType);

/** What an optional element adds: `undefined` for nothing. */
function held(value: Value): Value | undefined {
  if (value instanceof Optional) return value.value;
  throw new CelError('no such overload: optional element of a literal must be an optional');
}

/** `[a, ?b]`. */
export function list(items: readonly Item[]): Node {
  const codes = items.map(item => item.value.run);
  const optional = items.map(item => item.optional);
  const bytes = 16 + 8 * codes.length;
  const run: Code = optional.includes(true)
    ? frame => {
        const made: Value[] = [];
        for (let index = 0; index < codes.length; index++) {
          const value = codes[index]!(frame);
          const element = optional[index] ? held(value) : value;
          if (element !== undefined) made.push(element);
        }
        frame.grow(bytes);
        return made;
      }
    : frame => {
        const made: Value[] = new Array(codes.length);
        for (let index = 0; index < codes.length; index++) made[index] = codes[index]!(frame);
        frame.grow(bytes);
        return made;
      };
  return {
    run,
    sure: anyList,
    pure: items.every(item => item.value.pure),
    cost: sum(items.map(item => item.value.cost)),
  };
}

export interface Entry extends Item {
  readonly key: Node;
}

/** `{a: b, ?c: d}`; the last of equal keys wins, as in cel-go. */
export function map(entries: readonly Entry[]): Node {
  const bytes = 32 + 16 * entries.length;
  const run = (frame: Frame): Value => {
    const made: Array<[Value, Value]> = [];
    for (const {key, value, optional} of entries) {
      const name = key.run(frame);
      mapKey(name);
      const item = value.run(frame);
      const element = optional ? held(item) : item;
      if (element !== undefined) made.push([name, element]);
    }
    frame.grow(bytes);
    return makeMap(made);
  };
  const pure = entries.every(entry => entry.key.pure && entry.value.pure);
  return {run, sure: anyMap, pure, cost: sum(entries.flatMap(entry => [entry.key.cost, entry.value.cost]))};
}

export interface Field extends Item {
  readonly name: string;
}

/** `Name{field: value}`. */
export function message(declaration: ObjectDeclaration, fields: readonly Field[], type: Type): Node {
  const {construct} = declaration;
  const bytes = 32 + 16 * fields.length;
  const run = (frame: Frame): Value => {
    if (construct === undefined) throw new CelError(`type '${declaration.name}' cannot be made by an expression`);
    const made: Array<readonly [string, Value]> = [];
    for (const {name, value, optional} of fields) {
      const item = value.run(frame);
      const element = optional ? held(item) : item;
      if (element !== undefined) made.push([name, element]);
    }
    frame.grow(bytes);
    return construct(made);
  };
  return {run, sure: type, pure: false, cost: sum(fields.map(field => field.value.cost))};
}
