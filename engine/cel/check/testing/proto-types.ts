import {getTestRegistry} from '@bufbuild/cel-spec/testdata/registry.js';
import {type DescField, type DescMessage, ScalarType} from '@bufbuild/protobuf';
import type {FunctionDeclaration, Library, ObjectDeclaration} from '../../library/library.js';
import {
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  objectType,
  opaque,
  param,
  stringType,
  type Type,
  timestampType,
  uintType,
} from '../../types/type.js';

/** Types that have no counterpart: protobuf's wrappers of numbers and texts that may be null. */
export class NoCounterpart {
  constructor(readonly name: string) {}
}

const wellKnown: Readonly<Record<string, Type>> = {
  'google.protobuf.Any': anyType,
  'google.protobuf.Duration': durationType,
  'google.protobuf.Timestamp': timestampType,
  'google.protobuf.Struct': mapOf(stringType, dynType),
  'google.protobuf.Value': dynType,
  'google.protobuf.ListValue': listOf(dynType),
};

const scalars: Readonly<Partial<Record<ScalarType, Type>>> = {
  [ScalarType.BOOL]: boolType,
  [ScalarType.BYTES]: bytesType,
  [ScalarType.DOUBLE]: doubleType,
  [ScalarType.FLOAT]: doubleType,
  [ScalarType.STRING]: stringType,
  [ScalarType.UINT32]: uintType,
  [ScalarType.UINT64]: uintType,
  [ScalarType.FIXED32]: uintType,
  [ScalarType.FIXED64]: uintType,
};

const scalar = (type: ScalarType): Type => scalars[type] ?? intType;

type Rename = (name: string) => string;

function messageType(name: string, rename: Rename = same => same): Type {
  const known = wellKnown[name];
  if (known !== undefined) return known;
  if (name.endsWith('Value') && name.startsWith('google.protobuf.')) throw new NoCounterpart(name);
  return objectType(rename(name));
}

function fieldType(field: DescField, rename: Rename): Type {
  const nested = (message: DescMessage): Type => messageType(message.typeName, rename);
  switch (field.fieldKind) {
    case 'scalar':
      return scalar(field.scalar);
    case 'enum':
      return intType;
    case 'message':
      return nested(field.message);
    case 'list':
      if (field.listKind === 'scalar') return listOf(scalar(field.scalar));
      return listOf(field.listKind === 'enum' ? intType : nested(field.message));
    case 'map': {
      const key = scalar(field.mapKey);
      if (field.mapKind === 'scalar') return mapOf(key, scalar(field.scalar));
      return mapOf(key, field.mapKind === 'enum' ? intType : nested(field.message));
    }
  }
}

function objectOf(message: DescMessage, rename: Rename): ObjectDeclaration {
  return {
    name: rename(message.typeName),
    field(name) {
      const field = message.fields.find(one => one.name === name);
      return field === undefined ? undefined : fieldType(field, rename);
    },
    construct: () => null,
  };
}

/** The message types that the public checker cases use. */
export function protoLibrary(): Library {
  const registry = getTestRegistry();
  const messages = [...registry]
    .filter((one): one is DescMessage => one.kind === 'message')
    .filter(one => wellKnown[one.typeName] === undefined);
  return {
    name: 'test.proto',
    objects: [undefined, '2', '3'].flatMap(version => messages.map(one => objectOf(one, oldNames(version)))),
  };
}

/** The checker's cases name the same messages as cel-go did before they moved to the specification. */
function oldNames(version: string | undefined): Rename {
  return name => name.replace(`cel.expr.conformance.proto${version}.`, `google.expr.proto${version}.test.`);
}

/** A type as the cases write it: JSON of `cel.expr.Type`. */
export interface WrittenType {
  readonly primitive?: string;
  readonly wellKnown?: string;
  readonly messageType?: string;
  readonly typeParam?: string;
  readonly wrapper?: string;
  readonly dyn?: unknown;
  readonly null?: unknown;
  readonly listType?: {readonly elemType: WrittenType};
  readonly mapType?: {readonly keyType: WrittenType; readonly valueType: WrittenType};
  readonly abstractType?: {readonly name: string; readonly parameterTypes?: readonly WrittenType[]};
}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
  ANY: anyType,
  TIMESTAMP: timestampType,
  DURATION: durationType,
};

export function readType(type: WrittenType): Type {
  if (type.primitive !== undefined) return primitives[type.primitive]!;
  if (type.wellKnown !== undefined) return primitives[type.wellKnown]!;
  if (type.messageType !== undefined) return messageType(type.messageType);
  if (type.typeParam !== undefined) return param(type.typeParam);
  if (type.listType !== undefined) return listOf(readType(type.listType.elemType));
  if (type.mapType !== undefined) return mapOf(readType(type.mapType.keyType), readType(type.mapType.valueType));
  if (type.dyn !== undefined) return dynType;
  if (type.null !== undefined) return nullType;
  if (type.abstractType !== undefined && type.abstractType.parameterTypes === undefined) {
    return opaque(type.abstractType.name);
  }
  throw new NoCounterpart(JSON.stringify(type));
}

/** A declaration as the cases write it. */
export interface WrittenDeclaration {
  readonly name: string;
  readonly ident?: {readonly type: WrittenType};
  readonly function?: {
    readonly overloads: ReadonlyArray<{
      readonly overloadId: string;
      readonly params?: readonly WrittenType[];
      readonly resultType: WrittenType;
      readonly isInstanceFunction?: boolean;
    }>;
  };
}

export function readDeclarations(declarations: readonly WrittenDeclaration[]): Library {
  const variables: Record<string, Type> = {};
  const functions: FunctionDeclaration[] = [];
  for (const {name, ident, function: declared} of declarations) {
    if (ident !== undefined) variables[name] = readType(ident.type);
    if (declared !== undefined) {
      functions.push({
        name,
        overloads: declared.overloads.map(one => ({
          id: one.overloadId,
          receiver: one.isInstanceFunction ?? false,
          params: (one.params ?? []).map(readType),
          result: readType(one.resultType),
          call: () => null,
        })),
      });
    }
  }
  return {name: 'test.declared', variables, functions};
}
