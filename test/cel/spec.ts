import {tests as conformance} from '@bufbuild/cel-spec/testdata/conformance.js';
import {CelError} from '../../engine/cel/errors.js';
import type {FunctionDeclaration} from '../../engine/cel/library/library.js';
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
  opaque,
  optionalOf,
  param,
  stringType,
  type Type,
  timestampType,
  typeOf,
  uintType,
} from '../../engine/cel/types/type.js';
import {
  doubleOf,
  equals,
  intOf,
  isDouble,
  isInt,
  isMap,
  makeMap,
  mapEntries,
  mapGet,
  mapSize,
  parseDurationText,
  parseTimestamp,
  runtimeName,
  toNumber,
} from '../../engine/cel/values/index.js';
import {Duration, Timestamp, TypeValue, Uint, type Value} from '../../engine/cel/values/value.js';
import {Float} from '../../engine/json/types.js';

/** A case of the public conformance data, as far as this project reads it. */
export interface SpecCase {
  /** `section/group/name`. */
  readonly id: string;
  readonly section: string;
  readonly expr: string;
  readonly twoVariables: boolean;
  readonly checked: boolean;
  readonly variables: Readonly<Record<string, Type>>;
  readonly bindings: Readonly<Record<string, Value>>;
  /** Functions that the case declares, to be checked only. */
  readonly functions: readonly FunctionDeclaration[];
  readonly expected: {readonly error: true} | {readonly value: Value} | {readonly type: Type};
  /** Type that the checker is to find, where the case names one. */
  readonly type: Type | undefined;
}

type Raw = Readonly<Record<string, unknown>>;
interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: ReadonlyArray<{readonly original: Raw & {readonly expr: string; readonly name?: string}}>;
}

/** Sections whose every case is about protobuf, or about what evaluators keep to themselves. */
export const skippedSections: Readonly<Record<string, string>> = {
  proto2: 'protobuf messages',
  proto2_ext: 'protobuf extensions',
  proto3: 'protobuf messages',
  enums: 'protobuf enums',
  wrappers: 'protobuf wrappers',
  dynamic: 'protobuf Any, Struct and wrappers',
  block_ext: 'an optimiser’s output form, of no user’s writing',
  unknowns: 'partial evaluation; without cases',
  namespace: 'containers, which no environment here has',
};

/** Thrown while a case is read that needs a protobuf message. */
class NeedsProtobuf extends Error {}

export interface SpecData {
  readonly cases: readonly SpecCase[];
  /** Cases of other sections that need protobuf messages, by section. */
  readonly needProtobuf: ReadonlyMap<string, number>;
}

export function readSpec(): SpecData {
  const cases: SpecCase[] = [];
  const needProtobuf = new Map<string, number>();
  for (const section of (conformance as unknown as Suite).suites ?? []) {
    if (Object.hasOwn(skippedSections, section.name)) continue;
    for (const group of section.suites ?? []) {
      for (const {original} of group.tests ?? []) {
        try {
          cases.push(readCase(section.name, group.name, original));
        } catch (error) {
          if (!(error instanceof NeedsProtobuf)) throw error;
          needProtobuf.set(section.name, (needProtobuf.get(section.name) ?? 0) + 1);
        }
      }
    }
  }
  return {cases, needProtobuf};
}

const messages = /TestAllTypes|TestRequired|NestedTestAllTypes|GlobalEnum|google\.protobuf\.(?!Timestamp|Duration)/;

function readCase(
  section: string,
  group: string,
  raw: Raw & {readonly expr: string; readonly name?: string},
): SpecCase {
  const {
    expr,
    name = expr,
    value,
    evalError,
    typedResult,
    typeEnv = [],
    bindings = {},
    container,
  } = raw as Raw & {
    expr: string;
    name?: string;
    value?: Raw;
    evalError?: unknown;
    typedResult?: {result?: Raw; deducedType?: Raw};
    typeEnv?: ReadonlyArray<{name: string; ident?: {type?: Raw}; function?: {overloads: readonly RawOverload[]}}>;
    bindings?: Readonly<Record<string, {value?: Raw}>>;
    container?: string;
  };
  if (messages.test(expr) || /proto[23]/.test(container ?? '')) throw new NeedsProtobuf();
  const variables: Record<string, Type> = {};
  for (const variable of Object.keys(bindings)) variables[variable] = dynType;
  for (const declared of typeEnv) if (declared.ident?.type) variables[declared.name] = readType(declared.ident.type);
  const bound = Object.entries(bindings).map(([key, {value: given}]) => [key, readValue(given!)] as const);
  const result = typedResult?.result ?? value;
  const type = typedResult?.deducedType ? readType(typedResult.deducedType) : undefined;
  return {
    id: `${section}/${group}/${name}`,
    section,
    expr,
    twoVariables: section === 'macros2',
    checked: raw['disableCheck'] !== true,
    variables,
    bindings: Object.fromEntries(bound),
    functions: typeEnv.flatMap(({name, function: declared}) =>
      declared ? [readFunction(name, declared.overloads)] : [],
    ),
    expected: expectedOf(evalError !== undefined, result, type),
    type,
  };
}

/** A case without any expectation is to be true. */
function expectedOf(error: boolean, result: Raw | undefined, type: Type | undefined): SpecCase['expected'] {
  if (error) return {error: true};
  if (result !== undefined) return {value: readValue(result)};
  return type === undefined ? {value: true} : {type};
}

interface RawOverload {
  readonly overloadId: string;
  readonly params?: readonly Raw[];
  readonly resultType: Raw;
  readonly isInstanceFunction?: boolean;
}

function readFunction(name: string, overloads: readonly RawOverload[]): FunctionDeclaration {
  return {
    name,
    overloads: overloads.map(({overloadId, params = [], resultType, isInstanceFunction = false}) => ({
      id: overloadId,
      receiver: isInstanceFunction,
      params: params.map(readType),
      result: readType(resultType),
      call: () => {
        throw new CelError('declared for the checker only');
      },
    })),
  };
}

const wellKnown: Readonly<Record<string, Type>> = {TIMESTAMP: timestampType, DURATION: durationType, ANY: anyType};
const primitives: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};

function readType(raw: Raw): Type {
  const [[kind, of] = ['', undefined]] = Object.entries(raw);
  switch (kind) {
    case 'dyn':
      return dynType;
    case 'typeParam':
      return param(of as string);
    case 'null':
      return nullType;
    case 'primitive':
      return primitives[of as string]!;
    case 'wellKnown':
      return wellKnown[of as string]!;
    case 'listType':
      return listOf(readType((of as {elemType?: Raw}).elemType ?? {dyn: {}}));
    case 'mapType': {
      const {keyType = {dyn: {}}, valueType = {dyn: {}}} = of as {keyType?: Raw; valueType?: Raw};
      return mapOf(readType(keyType), readType(valueType));
    }
    case 'type':
      return typeOf(of === undefined || Object.keys(of as Raw).length === 0 ? undefined : readType(of as Raw));
    case 'abstractType': {
      const {name, parameterTypes = []} = of as {name: string; parameterTypes?: readonly Raw[]};
      return name === 'optional_type' ? optionalOf(readType(parameterTypes[0] ?? {dyn: {}})) : opaque(name);
    }
    default:
      throw new NeedsProtobuf();
  }
}

const typeNames: Readonly<Record<string, Type>> = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  null_type: nullType,
  list: listOf(dynType),
  map: mapOf(dynType, dynType),
  type: typeOf(),
  'google.protobuf.Timestamp': timestampType,
  'google.protobuf.Duration': durationType,
};

function readValue(raw: Raw): Value {
  const [[kind, of] = ['', undefined]] = Object.entries(raw);
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return of as boolean | string;
    case 'int64Value':
      return intOf(BigInt(of as string));
    case 'uint64Value':
      return new Uint(BigInt(of as string));
    case 'doubleValue':
      return doubleOf(Number(of));
    case 'bytesValue':
      return new Uint8Array(Buffer.from(of as string, 'base64'));
    case 'listValue':
      return ((of as {values?: readonly Raw[]}).values ?? []).map(readValue);
    case 'mapValue': {
      const {entries = []} = of as {entries?: ReadonlyArray<{key: Raw; value: Raw}>};
      return makeMap(entries.map(({key, value}) => [readValue(key), readValue(value)] as const));
    }
    case 'typeValue':
      return new TypeValue(typeNames[of as string] ?? opaque(of as string));
    case 'objectValue':
      return readObject(of as {'@type': string; value?: unknown});
    default:
      throw new NeedsProtobuf();
  }
}

function readObject(raw: {'@type': string; value?: unknown}): Value {
  const name = raw['@type'].split('/').pop();
  if (name === 'google.protobuf.Duration') return parseDurationText(String(raw.value));
  if (name === 'google.protobuf.Timestamp') return parseTimestamp(String(raw.value));
  throw new NeedsProtobuf();
}

/** Same type and same value, all the way down: 1 is not 1.0, and NaN is NaN. */
export function same(a: Value, b: Value): boolean {
  if (isDouble(a) || isDouble(b)) return isDouble(a) && isDouble(b) && sameDouble(toNumber(a), toNumber(b));
  if (isInt(a) || isInt(b)) return isInt(a) && isInt(b) && equals(a, b);
  if (a instanceof Uint || b instanceof Uint) return a instanceof Uint && b instanceof Uint && a.value === b.value;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]!));
  if (isMap(a)) {
    if (!isMap(b) || mapSize(a) !== mapSize(b)) return false;
    return [...mapEntries(a)].every(([key, item]) => {
      const other = mapGet(b, key);
      return other !== undefined && same(item, other);
    });
  }
  if (a instanceof TypeValue) return b instanceof TypeValue && runtimeName(a.type) === runtimeName(b.type);
  if (a instanceof Duration || a instanceof Timestamp || a instanceof Float) return equals(a, b);
  return equals(a, b);
}

function sameDouble(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}
