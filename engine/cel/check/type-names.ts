import type {FunctionDeclaration} from '../library/library.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  type Type,
  timestampType,
  typeOf,
  uintType,
} from '../types/type.js';

/** Types that expressions may name, as in `type(x) == string`. */
export const standardTypes: ReadonlyArray<readonly [string, Type]> = [
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['google.protobuf.Duration', durationType],
  ['google.protobuf.Timestamp', timestampType],
  ['int', intType],
  ['list', listOf(dynType)],
  ['map', mapOf(dynType, dynType)],
  ['null_type', nullType],
  ['optional_type', optionalOf(dynType)],
  ['string', stringType],
  ['type', typeOf()],
  ['uint', uintType],
];

/** Opaque types that functions take or give can be named too: `type(x) == net.IP`. */
export function opaqueTypes(functions: Iterable<FunctionDeclaration>): Map<string, Type> {
  const found = new Map<string, Type>();
  for (const {overloads} of functions) {
    for (const {params, result} of overloads) {
      for (const type of params) collect(type, found);
      collect(result, found);
    }
  }
  return found;
}

function collect(type: Type, found: Map<string, Type>): void {
  switch (type.kind) {
    case 'opaque':
      found.set(type.name, type);
      break;
    case 'list':
      collect(type.element, found);
      break;
    case 'map':
      collect(type.key, found);
      collect(type.value, found);
      break;
    case 'optional':
      collect(type.value, found);
      break;
    case 'type':
      if (type.of !== undefined) collect(type.of, found);
      break;
    default:
  }
}
