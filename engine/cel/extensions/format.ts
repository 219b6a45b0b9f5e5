import {goQuote} from '../../values/go-quote.js';
import {CelError} from '../errors.js';
import type {CelHost} from '../library/library.js';
import {
  compareText,
  doubleText,
  durationText,
  isDouble,
  isInt,
  isMap,
  type MapValue,
  mapEntries,
  runtimeName,
  timestampText,
  toBigInt,
  toNumber,
  typeOfValue,
} from '../values/index.js';
import {Duration, Timestamp, TypeValue, Uint, type Value} from '../values/value.js';
import {type Clause, misfit, readFormat, type Verb} from './format-clauses.js';
import {fixedText, scientificText} from './format-number.js';

const defaultPrecision = 6;
const maxDepth = 512;

/** `"%s is %d".format([name, count])`. What is made counts against the budget's bytes while it is made. */
export function format(host: CelHost, text: string, args: readonly Value[]): string {
  const {budget} = host;
  const parts: string[] = [];
  const put = (part: string): void => {
    budget.bytes(part.length);
    parts.push(part);
  };
  readFormat(text, {
    argument(index, first) {
      if (first && index >= args.length) throw new CelError(`index ${index} out of range`);
    },
    literal: put,
    clause: (clause, index) => writeClause(clause, args[index]!, put, count => budget.bytes(count)),
  });
  return parts.join('');
}

type Put = (part: string) => void;

function writeClause({verb, precision}: Clause, value: Value, put: Put, reserve: (count: number) => void): void {
  if (verb === 's') writeString(value, put);
  else if (verb === 'f' || verb === 'e') {
    const number = doubleArgument(verb, value);
    // Counted before it is made: `%.9999999f` is eleven characters.
    if (precision !== undefined) reserve(precision);
    put(verb === 'f' ? fixedText(number, precision ?? defaultPrecision) : scientificText(number, precision ?? 0));
  } else put(integerText(verb, value));
}

function doubleArgument(verb: Verb, value: Value): number {
  if (isDouble(value)) return toNumber(value);
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY;
  throw new CelError(misfit(verb, nameOf(value)));
}

const bases: Partial<Record<Verb, number>> = {d: 10, b: 2, o: 8, x: 16, X: 16};

function integerText(verb: Verb, value: Value): string {
  const integer = isInt(value) ? toBigInt(value) : value instanceof Uint ? value.value : undefined;
  let text: string;
  if (integer !== undefined) text = integer.toString(bases[verb]);
  else if (verb === 'b' && typeof value === 'boolean') text = value ? '1' : '0';
  else if ((verb === 'x' || verb === 'X') && (typeof value === 'string' || value instanceof Uint8Array)) {
    text = hex(typeof value === 'string' ? new TextEncoder().encode(value) : value);
  } else throw new CelError(misfit(verb, nameOf(value)));
  return verb === 'X' ? text.toUpperCase() : text;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

function nameOf(value: Value): string {
  return runtimeName(typeOfValue(value));
}

/** `%s` of any value: lists and maps in CEL's notation, with sorted keys. */
function writeString(value: Value, put: Put): void {
  if (Array.isArray(value) || isMap(value)) writeNested(value, put, 0);
  else put(scalarText(value) ?? fail(misfit('s', nameOf(value))));
}

function writeNested(value: Value, put: Put, depth: number): void {
  if (depth > maxDepth) throw new CelError('error during formatting: value is nested too deeply');
  if (Array.isArray(value)) {
    put('[');
    for (let index = 0; index < value.length; index++) {
      if (index > 0) put(', ');
      writeNested(value[index]!, put, depth + 1);
    }
    put(']');
  } else if (isMap(value)) writeMap(value, put, depth);
  else put(elementText(value));
}

function writeMap(map: MapValue, put: Put, depth: number): void {
  const entries: Array<readonly [string, Value]> = [];
  for (const [key, item] of mapEntries(map)) entries.push([elementText(key), item]);
  entries.sort((a, b) => compareText(a[0], b[0]));
  put('{');
  for (const [index, [key, item]] of entries.entries()) {
    put(index > 0 ? `, ${key}:` : `${key}:`);
    writeNested(item, put, depth + 1);
  }
  put('}');
}

/** Inside lists and maps: as a literal of CEL, so far as that goes. */
function elementText(value: Value): string {
  if (typeof value === 'string') return goQuote(value);
  if (isDouble(value)) return doubleElement(toNumber(value));
  if (value instanceof Timestamp) return `timestamp(${goQuote(timestampText(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(durationText(value))})`;
  const text = scalarText(value);
  if (text === undefined) return fail(`error during formatting: no formatting function for ${nameOf(value)}`);
  return value instanceof Uint8Array ? `b${goQuote(text)}` : text;
}

function doubleElement(value: number): string {
  if (!Number.isFinite(value)) return `"${doubleText(value)}"`;
  return fixedText(value, defaultPrecision).replaceAll(',', '');
}

/** As `string(value)`; `undefined` for what has no text. */
function scalarText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || value === null || isInt(value)) return String(value);
  if (isDouble(value)) return doubleText(toNumber(value));
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return runtimeName(value.type);
  return undefined;
}

function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch {
    return fail(
      'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    );
  }
}

function fail(message: string): never {
  throw new CelError(message);
}
