import type {FunctionEnv} from '../types.js';

/** Accounts for a text a function has made, or is about to make, and for the time it takes. */
export function chargeText(env: FunctionEnv, length: number): void {
  env.budget.step(1 + (length >>> 6));
  env.budget.bytes(length);
}

/** Accounts for time only: a scan over a text that makes nothing. */
export function chargeScan(env: FunctionEnv, length: number): void {
  env.budget.step(1 + (length >>> 6));
}

/** Accounts for a list or map made of `count` members. */
export function chargeList(env: FunctionEnv, count: number): void {
  env.budget.step(1 + count);
  env.budget.bytes(count * 8);
}
