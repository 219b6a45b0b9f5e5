import {maxDepth} from './scan.js';
import {Float, type Json} from './types.js';

export interface StringifyOptions {
  /** Object keys in ascending order, for canonical text. */
  readonly sortKeys?: boolean;
}

/**
 * Compact JSON text, keys in own order, bigints as their digits, `Float` as Go prints a double (`1`, `1e+21`).
 * Throws `RangeError` beyond 512 levels when the slow way is taken.
 */
export function stringifyJson(value: Json, options: StringifyOptions = {}): string {
  if (!options.sortKeys) {
    try {
      return JSON.stringify(value);
    } catch (error) {
      // A TypeError is a bigint inside: no cycles exist in JSON values.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return write(value, options.sortKeys === true, 0);
}

function write(value: Json, sortKeys: boolean, depth: number): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || value instanceof Float) return JSON.stringify(value);
  if (depth >= maxDepth) throw new RangeError(`value nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) return `[${value.map(item => write(item, sortKeys, depth + 1)).join(',')}]`;
  const keys = Object.keys(value);
  if (sortKeys) keys.sort();
  const members: string[] = [];
  for (const key of keys) {
    const member: Json | undefined = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, sortKeys, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}
