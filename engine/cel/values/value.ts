import type {Float, Json} from '../../json/types.js';
import type {Type} from '../types/type.js';

/**
 * CEL values at run time. JSON is used as it is, without conversion:
 *
 * | CEL | JavaScript |
 * |---|---|
 * | null, bool, string | the same |
 * | int | `number` that is a safe integer (never -0), else `bigint` within int64 |
 * | double | `number` with a fraction, NaN or infinite; integral ones (and -0) are `Float` |
 * | uint | `Uint` |
 * | bytes | `Uint8Array` |
 * | duration, timestamp | `Duration`, `Timestamp` |
 * | list | array, never written to |
 * | map | plain object (own keys only), or `Map` where a literal or function made it (keys: string, bool, int, `Uint`) |
 * | optional | `Optional` |
 * | type | `TypeValue` |
 * | objects with fields | `ObjectValue` |
 * | opaque values | `OpaqueValue` |
 */
export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | Float
  | Uint
  | Uint8Array
  | Duration
  | Timestamp
  | readonly Value[]
  | ReadonlyMap<MapKey, Value>
  | {readonly [key: string]: Value}
  | Optional
  | TypeValue
  | ObjectValue
  | OpaqueValue;

/** `Uint` keys are kept as `u:<digits>` symbols of the registry, so that equal keys are one key; see maps.ts. */
export type MapKey = string | boolean | number | bigint | symbol;

/** What all classes of values, and errors, have in common, so that one check tells a plain map from every one of them. */
export abstract class Boxed {}

/** An unsigned 64-bit integer. */
export class Uint extends Boxed {
  constructor(readonly value: bigint) {
    super();
  }
}

/** Nanoseconds, within ±315,576,000,000 seconds. */
export class Duration extends Boxed {
  constructor(readonly nanos: bigint) {
    super();
  }
}

/** Nanoseconds since the epoch; years 1 to 9999. */
export class Timestamp extends Boxed {
  constructor(readonly nanos: bigint) {
    super();
  }
}

export class Optional extends Boxed {
  static readonly none = new Optional(undefined);

  /** `undefined`: none. */
  constructor(readonly value: Value | undefined) {
    super();
  }
}

export class TypeValue extends Boxed {
  constructor(readonly type: Type) {
    super();
  }
}

/**
 * A value with fields that need not be there yet: `variables` evaluates a field when it is first read. What `get` throws
 * (a CelError, a Suspend) is the read's.
 */
export abstract class ObjectValue extends Boxed {
  abstract readonly typeName: string;
  /** `undefined`: no such field, or not set. */
  abstract get(field: string): Value | undefined;
  abstract has(field: string): boolean;
  /** Absent: equal to itself alone. */
  equals?(other: ObjectValue): boolean;
  /** Absent: no JSON can be made of it. */
  toJson?(): Json;
  /** What people are shown of it. */
  text?(): string;
}

/** A value that only functions look into. */
export abstract class OpaqueValue extends Boxed {
  /** As `type(x)` prints it. */
  abstract readonly typeName: string;
  abstract equals(other: OpaqueValue): boolean;
  /** Absent: no JSON can be made of it. */
  toJson?(): Json;
  /** What people are shown of it; often what its constructor takes. */
  text?(): string;
}
