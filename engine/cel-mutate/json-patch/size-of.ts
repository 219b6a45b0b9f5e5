import {isObject, type Json} from '../../json/types.js';

/** Number of values in a value, itself counted; stops at `limit`. */
export function sizeOf(value: Json, limit: number): number {
  let count = 0;
  const open: Json[] = [value];
  while (open.length > 0 && count < limit) {
    const next = open.pop()!;
    count++;
    if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isObject(next)) for (const key of Object.keys(next)) open.push(next[key]!);
  }
  return count;
}
