import type {Diagnostic} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import {isObject, own} from '../json/types.js';
import {normalizeOperator} from './operator-name.js';

export interface RawCondition {
  readonly path: string;
  readonly operator: string;
  readonly key: Json;
  readonly value: Json;
  readonly message: string | undefined;
}

export interface RawConditions {
  readonly form: 'any-all' | 'legacy';
  readonly any: readonly RawCondition[] | undefined;
  readonly all: readonly RawCondition[] | undefined;
}

export interface ReadConditions {
  readonly conditions: RawConditions;
  /** Every fault of the shape, in document order. */
  readonly faults: readonly Diagnostic[];
}

const conditionFields = new Set(['key', 'operator', 'value', 'message']);

/** Reads the shape of `preconditions` or `deny.conditions` at `path`: an any/all object, or the old bare list. */
export function readConditions(raw: Json | undefined, path: string): ReadConditions {
  const faults: Diagnostic[] = [];
  if (raw === undefined || raw === null) return {conditions: {form: 'any-all', any: undefined, all: undefined}, faults};
  if (Array.isArray(raw)) {
    return {conditions: {form: 'legacy', any: undefined, all: readList(raw, path, faults)}, faults};
  }
  if (!isObject(raw)) {
    faults.push(shapeFault(path, 'conditions must be an object with any and all, or a list of conditions'));
    return {conditions: {form: 'any-all', any: undefined, all: undefined}, faults};
  }
  for (const key of Object.keys(raw)) {
    if (key !== 'any' && key !== 'all') faults.push(unknownField(`${path}.${key}`, key));
  }
  const any = readBlock(own(raw, 'any'), `${path}.any`, faults);
  const all = readBlock(own(raw, 'all'), `${path}.all`, faults);
  return {conditions: {form: 'any-all', any, all}, faults};
}

function readBlock(raw: Json | undefined, path: string, faults: Diagnostic[]): RawCondition[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (Array.isArray(raw)) return readList(raw, path, faults);
  faults.push(shapeFault(path, 'must be a list of conditions'));
  return undefined;
}

function readList(raw: readonly Json[], path: string, faults: Diagnostic[]): RawCondition[] {
  const conditions: RawCondition[] = [];
  for (const [index, entry] of raw.entries()) {
    const place = `${path}[${index}]`;
    if (isObject(entry)) conditions.push(readCondition(entry, place, faults));
    else faults.push(shapeFault(place, 'a condition must be an object with key, operator and value'));
  }
  return conditions;
}

function readCondition(entry: JsonObject, path: string, faults: Diagnostic[]): RawCondition {
  for (const field of Object.keys(entry)) {
    if (!conditionFields.has(field)) faults.push(unknownField(`${path}.${field}`, field));
  }
  const operator = own(entry, 'operator') ?? null;
  if (typeof operator !== 'string') {
    faults.push(operator === null ? missing(path, 'operator') : shapeFault(`${path}.operator`, 'must be a string'));
  } else if (normalizeOperator(operator) === undefined) {
    faults.push({
      code: 'condition-operator-unknown',
      message: `operator ${operator} is not supported`,
      path: `${path}.operator`,
    });
  }
  const key = own(entry, 'key') ?? null;
  const value = own(entry, 'value') ?? null;
  const message = own(entry, 'message') ?? undefined;
  if (key === null) faults.push(missing(path, 'key'));
  if (value === null) faults.push(missing(path, 'value'));
  if (message !== undefined && typeof message !== 'string') {
    faults.push(shapeFault(`${path}.message`, 'must be a string'));
  }
  return {
    path,
    operator: typeof operator === 'string' ? operator : '',
    key,
    value,
    message: typeof message === 'string' ? message : undefined,
  };
}

function shapeFault(path: string, message: string): Diagnostic {
  return {code: 'conditions-shape', message, path};
}

function missing(path: string, field: string): Diagnostic {
  return {code: 'condition-field-missing', message: `a condition needs a ${field}`, path: `${path}.${field}`};
}

function unknownField(path: string, field: string): Diagnostic {
  return {code: 'condition-field-unknown', message: `unknown field ${field}`, path};
}
