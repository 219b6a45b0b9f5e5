import {isInteger, isNumber, isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {at, type Faults, shown} from './faults.js';
import {nearest} from './nearest.js';

/** What a field may hold. `any` is the user's free data and is not looked into. */
export type Shape =
  | {readonly type: 'any'}
  | {readonly type: 'string'; readonly values?: readonly string[]}
  | {readonly type: 'boolean'}
  | {readonly type: 'integer'; readonly min?: number; readonly max?: number; readonly message?: string}
  | {readonly type: 'list'; readonly items: Shape}
  | {readonly type: 'strings'}
  | {readonly type: 'map'; readonly values: Shape}
  | ObjectShape;

export interface ObjectShape {
  readonly type: 'object';
  readonly fields: Readonly<Record<string, Shape | (() => Shape)>>;
  /** Other keys belong to the user. */
  readonly open?: boolean;
}

/**
 * The part of `value` that has the right form: wrong types and unknown fields are reported and left out, null counts as
 * absent, so that later checks need not look at types again.
 */
export function readShape(value: Json | undefined, shape: Shape, path: string, faults: Faults): Json | undefined {
  if (value === undefined || value === null) return undefined;
  switch (shape.type) {
    case 'any':
      return value;
    case 'string':
      return readString(value, shape, path, faults);
    case 'boolean':
      return typeof value === 'boolean' ? value : wrongType(value, 'true or false', path, faults);
    case 'integer':
      return readInteger(value, shape, path, faults);
    case 'strings':
      return readList(value, {type: 'string'}, path, faults);
    case 'list':
      return readList(value, shape.items, path, faults);
    case 'map':
      return readMap(value, shape.values, path, faults);
    case 'object':
      return readObject(value, shape, path, faults);
  }
}

export function readObject(
  value: Json | undefined,
  shape: ObjectShape,
  path: string,
  faults: Faults,
): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return wrongType(value, 'an object', path, faults);
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = own(value, key)!;
    if (!Object.hasOwn(shape.fields, key)) {
      if (shape.open) setOwn(out, key, item);
      else unknownField(key, Object.keys(shape.fields), path, faults);
      continue;
    }
    const field = shape.fields[key]!;
    const read = readShape(item, typeof field === 'function' ? field() : field, at(path, key), faults);
    if (read !== undefined) out[key] = read;
  }
  return out;
}

function unknownField(key: string, known: readonly string[], path: string, faults: Faults): void {
  const near = nearest(key, known);
  const name = key.length > 80 ? `${key.slice(0, 80)}…` : key;
  faults.error(
    'unknown-field',
    at(path, key),
    `unknown field ${JSON.stringify(name)}`,
    near ? {hint: `did you mean "${near}"?`} : {},
  );
}

function wrongType(value: Json, expected: string, path: string, faults: Faults): undefined {
  faults.error('wrong-type', path, `expected ${expected}, found ${shown(value)}`);
  return undefined;
}

function readString(
  value: Json,
  shape: {readonly values?: readonly string[]},
  path: string,
  faults: Faults,
): string | undefined {
  if (typeof value !== 'string') return wrongType(value, 'a string', path, faults);
  if (shape.values && !shape.values.includes(value)) {
    faults.error(
      'unsupported-value',
      path,
      `Unsupported value: ${shown(value)}: supported values: ${shape.values.map(v => `"${v}"`).join(', ')}`,
    );
    return undefined;
  }
  return value;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly message?: string;
}

function readInteger(value: Json, range: Range, path: string, faults: Faults): number | undefined {
  if (!isNumber(value) || !isInteger(value)) return wrongType(value, 'an integer', path, faults);
  const number = Number(value);
  if ((range.min !== undefined && number < range.min) || (range.max !== undefined && number > range.max)) {
    faults.error(
      'out-of-range',
      path,
      range.message ?? `must be between ${range.min ?? 'any'} and ${range.max ?? 'any'}`,
    );
    return undefined;
  }
  return number;
}

/** Items that do not fit leave `null` behind only when free; others are dropped, so indexes in later paths may shift after an error. */
function readList(value: Json, items: Shape, path: string, faults: Faults): Json[] | undefined {
  if (!Array.isArray(value)) return wrongType(value, 'a list', path, faults);
  const out: Json[] = [];
  value.forEach((item, index) => {
    if (items.type === 'any') {
      out.push(item);
      return;
    }
    if (item === null) wrongType(item, items.type === 'string' ? 'a string' : 'a value', at(path, index), faults);
    const read = readShape(item, items, at(path, index), faults);
    // An object that does not fit keeps its place, so that later paths stay right.
    if (read !== undefined) out.push(read);
    else if (items.type === 'object') out.push({});
  });
  return out;
}

function readMap(value: Json, values: Shape, path: string, faults: Faults): JsonObject | undefined {
  if (!isObject(value)) return wrongType(value, 'an object', path, faults);
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const read = readShape(own(value, key), values, at(path, key), faults);
    if (read !== undefined) setOwn(out, key, read);
  }
  return out;
}
