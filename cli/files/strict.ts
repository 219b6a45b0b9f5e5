import {type Json, type JsonObject, isInteger, isObject, own, setOwn} from '../../engine/json/types.js';
import {FileError} from './file-error.js';

/** Reads one value of a file; `at` is its place, e.g. `results[0].resources`. Throws `FileError`. */
export type Decoder<T> = (value: Json, at: string) => T;

type Fields = Readonly<Record<string, Decoder<unknown>>>;
export type Struct<F extends Fields> = {readonly [K in keyof F]?: ReturnType<F[K]>};

function wrong(at: string, wanted: string, value: Json): FileError {
  const found = Array.isArray(value)
    ? 'a list'
    : isObject(value)
      ? 'an object'
      : value === null
        ? 'null'
        : `a ${typeof value}`;
  return new FileError(`${at}: expected ${wanted}, found ${found}`);
}

export const text: Decoder<string> = (value, at) => {
  if (typeof value !== 'string') throw wrong(at, 'a string', value);
  return value;
};

export const flag: Decoder<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(at, 'true or false', value);
  return value;
};

export const integer: Decoder<number> = (value, at) => {
  if (!isInteger(value)) throw wrong(at, 'an integer', value);
  return Number(value);
};

export const json: Decoder<Json> = value => value;

export const object: Decoder<JsonObject> = (value, at) => {
  if (!isObject(value)) throw wrong(at, 'an object', value);
  return value;
};

export function list<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return (value, at) => {
    if (value === null) return [];
    if (!Array.isArray(value)) throw wrong(at, 'a list', value);
    return value.map((element, index) => item(element, `${at}[${index}]`));
  };
}

export function map<T>(item: Decoder<T>): Decoder<Readonly<Record<string, T>>> {
  return (value, at) => {
    if (value === null) return {};
    if (!isObject(value)) throw wrong(at, 'an object', value);
    return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, item(element, `${at}.${key}`)]));
  };
}

/**
 * An object with exactly these fields. Names match as Kubernetes' JSON reader matches them: exactly, else without
 * regard to case. `null` is the same as absent; anything else is an error.
 */
export function struct<F extends Fields>(fields: F): Decoder<Struct<F>> {
  const folded = new Map(Object.keys(fields).map(name => [name.toLowerCase(), name]));
  return (value, at) => {
    if (!isObject(value)) throw wrong(at || 'the document', 'an object', value);
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const name = Object.hasOwn(fields, key) ? key : folded.get(key.toLowerCase());
      if (name === undefined)
        throw new FileError(`json: unknown field ${JSON.stringify(key)}${at === '' ? '' : ` in ${at}`}`);
      // An exact name wins over a twin that differs in case.
      if (name !== key && Object.hasOwn(value, name)) continue;
      const element = own(value, key);
      if (element === null || element === undefined) continue;
      result[name] = fields[name]!(element, at === '' ? name : `${at}.${name}`);
    }
    return result as Struct<F>;
  };
}

/** Object metadata: only names and the maps matter here; the rest is taken as it is. */
export const metadata: Decoder<JsonObject> = object;

/** Builds nested objects from a dotted path; see `splitPath`. */
export function setPath(target: JsonObject, path: readonly string[], value: Json): void {
  let current = target;
  path.forEach((key, index) => {
    if (index === path.length - 1) {
      setOwn(current, key, value);
      return;
    }
    const next = own(current, key);
    const inner: JsonObject = isObject(next) ? next : {};
    if (inner !== next) setOwn(current, key, inner);
    current = inner;
  });
}
