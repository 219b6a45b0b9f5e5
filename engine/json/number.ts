import {Float, type JsonNumber} from './types.js';

const uint64Limit = 1n << 64n;
const int64Floor = -(1n << 63n);

/** The smallest faithful form: `number` when safe, `bigint` within 64 bits, else the nearest double as Kubernetes does. */
export function integerFrom(value: bigint): JsonNumber {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  return value < uint64Limit && value >= int64Floor ? value : new Float(Number(value));
}

/** A double: plain when it has a fraction, `Float` when it would be taken for an integer. Must be finite. */
export function doubleFrom(value: number): JsonNumber {
  return Number.isInteger(value) ? new Float(value) : value;
}

/** Reads the text of a JSON number token; `undefined` when it lies beyond a double. */
export function numberFromToken(token: string): JsonNumber | undefined {
  if (/[.eE]/.test(token)) {
    const value = Number(token);
    return Number.isFinite(value) ? doubleFrom(value) : undefined;
  }
  // `-0` is the integer 0.
  if (token.length < 16) return Number(token) + 0;
  if (token.length <= 20) return integerFrom(BigInt(token));
  const value = Number(token);
  return Number.isFinite(value) ? new Float(value) : undefined;
}
