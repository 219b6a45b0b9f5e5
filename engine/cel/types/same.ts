import type {Type} from './type.js';

/** Whether two types are one, parameters included. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'list':
      return sameType(a.element, (b as typeof a).element);
    case 'map':
      return sameType(a.key, (b as typeof a).key) && sameType(a.value, (b as typeof a).value);
    case 'optional':
      return sameType(a.value, (b as typeof a).value);
    case 'type': {
      const other = (b as typeof a).of;
      return a.of === undefined || other === undefined ? a.of === other : sameType(a.of, other);
    }
    case 'opaque':
    case 'object':
    case 'param':
      return a.name === (b as typeof a).name;
    default:
      return true;
  }
}

/** Fits everywhere: its values are looked at when they are there. */
export const isDyn = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'any';

export const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === 'error';

/** Whether the type holds a type parameter. */
export function hasParameters(type: Type): boolean {
  switch (type.kind) {
    case 'param':
      return true;
    case 'list':
      return hasParameters(type.element);
    case 'map':
      return hasParameters(type.key) || hasParameters(type.value);
    case 'optional':
      return hasParameters(type.value);
    case 'type':
      return type.of !== undefined && hasParameters(type.of);
    default:
      return false;
  }
}

/** The same type with its parameters replaced; the type itself where it has none. */
export function mapParameters(type: Type, replace: (parameter: Type & {kind: 'param'}) => Type): Type {
  switch (type.kind) {
    case 'param':
      return replace(type);
    case 'list': {
      const element = mapParameters(type.element, replace);
      return element === type.element ? type : {kind: 'list', element};
    }
    case 'map': {
      const key = mapParameters(type.key, replace);
      const value = mapParameters(type.value, replace);
      return key === type.key && value === type.value ? type : {kind: 'map', key, value};
    }
    case 'optional': {
      const value = mapParameters(type.value, replace);
      return value === type.value ? type : {kind: 'optional', value};
    }
    case 'type': {
      if (type.of === undefined) return type;
      const of = mapParameters(type.of, replace);
      return of === type.of ? type : {kind: 'type', of};
    }
    default:
      return type;
  }
}
