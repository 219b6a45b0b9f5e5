/**
 * Types of the Common Expression Language as the checker sees them (cel-spec, "Values"). Immutable; the simple ones are
 * singletons, so `===` decides for them.
 */
export type Type =
  | {readonly kind: SimpleKind}
  | {readonly kind: 'list'; readonly element: Type}
  | {readonly kind: 'map'; readonly key: Type; readonly value: Type}
  | {readonly kind: 'optional'; readonly value: Type}
  /** A type as a value; `of` is what it denotes, where that is known. */
  | {readonly kind: 'type'; readonly of: Type | undefined}
  /** A value that only functions look into: `kubernetes.Quantity`, `net.IP`, `kyverno.image` … */
  | {readonly kind: 'opaque'; readonly name: string}
  /** A value with declared fields: `kubernetes.AdmissionRequest`, `kyverno.variables`, `Object.spec` … */
  | {readonly kind: 'object'; readonly name: string}
  /** A type parameter of a function's declaration. */
  | {readonly kind: 'param'; readonly name: string};

export type SimpleKind =
  | 'dyn'
  /** `google.protobuf.Any`: selected from like `dyn`, but no argument of a formatted string. */
  | 'any'
  /** Of an expression that has a fault already; fits everywhere, so that one fault is told once. */
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'timestamp';

const simple = (kind: SimpleKind): Type => Object.freeze({kind});

export const dynType = simple('dyn');
export const anyType = simple('any');
export const errorType = simple('error');
export const nullType = simple('null');
export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const durationType = simple('duration');
export const timestampType = simple('timestamp');

export const listOf = (element: Type): Type => Object.freeze({kind: 'list', element});
export const mapOf = (key: Type, value: Type): Type => Object.freeze({kind: 'map', key, value});
export const optionalOf = (value: Type): Type => Object.freeze({kind: 'optional', value});
export const typeOf = (of?: Type): Type => Object.freeze({kind: 'type', of});
export const opaque = (name: string): Type => Object.freeze({kind: 'opaque', name});
export const objectType = (name: string): Type => Object.freeze({kind: 'object', name});
export const param = (name: string): Type => Object.freeze({kind: 'param', name});

const simpleNames: Readonly<Record<SimpleKind, string>> = {
  dyn: 'dyn',
  any: 'any',
  error: '!error!',
  null: 'null',
  bool: 'bool',
  int: 'int',
  uint: 'uint',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  duration: 'duration',
  timestamp: 'timestamp',
};

/** As cel-go prints it in messages: `list(string)`, `map(string, dyn)`, `optional_type(int)`, `type(int)`. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.element)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.value)})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${typeText(type.of)})`;
    case 'opaque':
    case 'object':
    case 'param':
      return type.name;
    default:
      return simpleNames[type.kind];
  }
}
