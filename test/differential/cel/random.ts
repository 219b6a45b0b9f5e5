import {pick} from '../../../engine/json/testing/random.js';
import type {JsonObject} from '../../../engine/json/types.js';

/** An expression and its variables, made at random. Numbers in `vars` are safe integers or doubles with a fraction. */
export interface Case {
  readonly expr: string;
  readonly vars: JsonObject;
}

export type Random = () => number;
export type Make = (random: Random) => Case;

export const int = (random: Random, low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
export const times = <T>(count: number, make: () => T): T[] => Array.from({length: count}, make);

/** One of the expressions between bars. */
export function oneOf(random: Random, expressions: string): string {
  return pick(random, expressions.split(/\s*\|(?!\|)\s+/));
}
