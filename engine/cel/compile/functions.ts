import type {RegexEngine} from '../../regex/types.js';
import {CelError} from '../errors.js';
import {search} from '../library/declare.js';
import type {Overload} from '../library/library.js';
import {standardLibrary} from '../standard/index.js';
import {compileRegex, matchCost} from '../standard/regex.js';
import {boolType, intType} from '../types/type.js';
import {codePoints, isMap, mapSize} from '../values/index.js';
import {Optional, type Value} from '../values/value.js';
import {unfit} from './call.js';
import type {Code, Frame} from './frame.js';
import {noOverload} from './logic.js';
import {type Node, sum} from './node.js';

/** Functions that are compiled in place instead of called; of the standard library's own signatures only. */
type Inline = (args: readonly Node[], regex: RegexEngine) => Node | undefined;

const standard: ReadonlySet<Overload> = new Set(
  standardLibrary.functions?.flatMap(declaration => declaration.overloads),
);

export function inline(
  name: string,
  overloads: readonly Overload[],
  args: readonly Node[],
  regex: RegexEngine,
): Node | undefined {
  const make = inlines.get(name);
  return make && overloads.every(overload => standard.has(overload)) ? make(args, regex) : undefined;
}

/** A method of a text with a text, cost by length of both. */
function textTest(
  test: (text: string, part: string) => boolean,
  units: (text: string, part: string) => number,
): Inline {
  return ([text, part]) => {
    if (!text || !part) return undefined;
    const get = text.run;
    const literal = part.constant;
    const getPart = part.run;
    const run: Code =
      typeof literal === 'string'
        ? frame => {
            const value = get(frame);
            if (typeof value !== 'string') throw noOverload;
            if (value.length > 64) frame.spend(units(value, literal));
            return test(value, literal);
          }
        : frame => {
            const value = get(frame);
            const other = getPart(frame);
            if (typeof value !== 'string' || typeof other !== 'string') throw noOverload;
            if (value.length > 64) frame.spend(units(value, other));
            return test(value, other);
          };
    return {run, sure: boolType, pure: text.pure && part.pure, cost: unbounded([text, part])};
  };
}

const unbounded = (args: readonly Node[]): Node['cost'] => ({
  ...sum(args.map(arg => arg.cost)),
  max: Number.POSITIVE_INFINITY,
});

const size: Inline = ([operand]) => {
  if (!operand) return undefined;
  const get = operand.run;
  const run = (frame: Frame): Value => {
    const value = get(frame);
    if (Array.isArray(value)) return value.length;
    if (typeof value === 'string') {
      if (value.length > 64) frame.spend(value.length >> 4);
      return codePoints(value);
    }
    if (isMap(value)) {
      const count = mapSize(value);
      if (count > 8) frame.spend(count >> 3);
      return count;
    }
    if (value instanceof Uint8Array) return value.length;
    throw unfit('size', [value]);
  };
  return {run, sure: intType, pure: operand.pure, cost: unbounded([operand])};
};

/** A literal pattern is compiled once; one that is not valid is the call's error. */
const matches: Inline = ([text, pattern], regex) => {
  if (!text || !pattern || typeof pattern.constant !== 'string') return undefined;
  const source = pattern.constant;
  const get = text.run;
  const compiled = compileLiteral(regex, source);
  const run: Code =
    compiled instanceof CelError
      ? () => {
          throw compiled;
        }
      : frame => {
          const value = get(frame);
          if (typeof value !== 'string') throw noOverload;
          frame.spend(matchCost(value, source));
          return compiled.test(value);
        };
  return {run, sure: boolType, pure: text.pure, cost: unbounded([text])};
};

function compileLiteral(regex: RegexEngine, pattern: string): ReturnType<RegexEngine['compile']> | CelError {
  try {
    return compileRegex(regex, pattern);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** `a.orValue(b)`, `a.or(b)`: the alternative is evaluated only when nothing is there. */
function alternative(of: (optional: Optional) => Value, lenient: boolean): Inline {
  return ([optional, other]) => {
    if (!optional || !other) return undefined;
    const get = optional.run;
    const otherwise = other.run;
    const run: Code = frame => {
      const value = get(frame);
      if (value instanceof Optional) return value.value === undefined ? otherwise(frame) : of(value);
      if (lenient) return value;
      throw noOverload;
    };
    const cost = {...sum([optional.cost, other.cost]), min: optional.cost.min + 1};
    return {run, pure: optional.pure && other.pure, cost};
  };
}

const hasValue: Inline = ([optional]) => {
  if (!optional) return undefined;
  const get = optional.run;
  const run = (frame: Frame): boolean => {
    const value = get(frame);
    if (value instanceof Optional) return value.value !== undefined;
    throw unfit('hasValue', [value]);
  };
  return {run, sure: boolType, pure: optional.pure, cost: sum([optional.cost])};
};

const inlines: ReadonlyMap<string, Inline> = new Map([
  ['size', size],
  ['contains', textTest((text, part) => text.includes(part), search)],
  [
    'startsWith',
    textTest(
      (text, part) => text.startsWith(part),
      (_, part) => part.length >> 4,
    ),
  ],
  [
    'endsWith',
    textTest(
      (text, part) => text.endsWith(part),
      (_, part) => part.length >> 4,
    ),
  ],
  ['matches', matches],
  ['hasValue', hasValue],
  ['or', alternative(optional => optional, false)],
  ['orValue', alternative(optional => optional.value!, false)],
]);

/** `x.orValue(d)` where any `x` will do. */
export const lenientOrValue: Inline = alternative(optional => optional.value!, true);
