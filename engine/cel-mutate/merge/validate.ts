import type {Budget} from '../../budget.js';
import {isNumber, isObject, type Json, type JsonObject, own} from '../../json/types.js';
import type {ListType, MapType, Scalar, StructuralType} from '../schema/types.js';
import {type FieldError, shown} from './field-errors.js';
import {itemIdentity} from './list-items.js';

/** Told of fields that a type does not declare. */
export const undeclared = 'field not declared in schema';

/** All places where a configuration is not of its type. */
export function validateValue(value: Json, type: StructuralType, budget: Budget): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, type, {budget, errors}, '');
  return errors;
}

interface Visit {
  readonly budget: Budget;
  readonly errors: FieldError[];
}

function visit(value: Json, type: StructuralType, state: Visit, path: string): void {
  state.budget.step();
  if (isObject(value) && type.map !== undefined) visitMap(value, type.map, state, path);
  else if (Array.isArray(value) && type.list !== undefined) visitList(value, type.list, state, path);
  else if (type.scalar === undefined || !fitsScalar(value, type.scalar))
    state.errors.push({path, message: mismatch(value, type)});
}

function fitsScalar(value: Json, scalar: Scalar): boolean {
  const isScalar = typeof value === 'string' || typeof value === 'boolean' || isNumber(value);
  if (scalar === 'untyped') return isScalar;
  return scalar === 'numeric' ? isNumber(value) : typeof value === scalar;
}

/** What a value of another form is told. */
export function mismatch(value: Json, type: StructuralType): string {
  if (type.map !== undefined) return `expected map, got ${shown(value)}`;
  if (type.list !== undefined) return `expected list, got ${shown(value)}`;
  const names = {string: 'string', numeric: 'numeric (int or float)', boolean: 'boolean', untyped: 'any scalar'};
  return `expected ${names[type.scalar ?? 'untyped']}, got ${shown(value)}`;
}

function visitMap(value: JsonObject, type: MapType, state: Visit, path: string): void {
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key) ?? type.element;
    const at = `${path}.${key}`;
    if (field !== undefined) visit(own(value, key)!, field, state, at);
    else state.errors.push({path: at, message: undeclared});
  }
}

function visitList(value: readonly Json[], type: ListType, state: Visit, path: string): void {
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    if (type.merge === 'atomic') {
      visit(item, type.element, state, `${path}[${index}]`);
      continue;
    }
    const identity = itemIdentity(type, item);
    if ('fault' in identity) {
      state.errors.push({path, message: `element ${index}: ${identity.fault}`});
      continue;
    }
    if (seen.has(identity.id)) {
      state.errors.push({path, message: `duplicate entries for key ${identity.path()}`});
    }
    seen.add(identity.id);
    visit(item, type.element, state, `${path}${identity.path()}`);
  }
}
