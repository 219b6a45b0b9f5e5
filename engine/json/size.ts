import type {Budget} from '../budget.js';
import {isObject, type Json} from './types.js';

/** Approximate bytes of a value as JSON text; walks it once, charging a step per node. */
export function jsonSize(value: Json, budget: Budget): number {
  budget.step();
  if (typeof value === 'string') return value.length + 2;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + jsonSize(item, budget), 2);
  if (!isObject(value)) return 8;
  let size = 2;
  for (const [key, item] of Object.entries(value)) size += key.length + 4 + jsonSize(item, budget);
  return size;
}
