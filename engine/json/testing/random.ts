import type {Json, JsonObject} from '../types.js';
import {Float, setOwn} from '../types.js';

/** A seeded stream of numbers in [0, 1), the same on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: () => number, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

const keys = ['a', 'b', 'name', 'x/y', 'm~n', '', '__proto__', 'constructor', 'ключ', 'tab\there', '0', '-'];
const scalars: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -7,
  0.5,
  1e-7,
  9007199254740991,
  9007199254740993n,
  -9223372036854775808n,
  18446744073709551615n,
  new Float(1),
  new Float(1e21),
  '',
  'text',
  'quote " back \\ slash',
  '\u2028 \u0001 \ud83d\ude00',
  'yes',
  '014',
  '12:30',
  '1.0, ',
];

/** A JSON value with awkward keys and scalars, at most `depth` levels deep. */
export function randomJson(random: () => number, depth: number): Json {
  const kind = depth <= 0 ? 0 : Math.floor(random() * 4);
  if (kind <= 1) return pick(random, scalars);
  const size = Math.floor(random() * 5);
  if (kind === 2) return Array.from({length: size}, () => randomJson(random, depth - 1));
  return randomObject(random, depth, size);
}

export function randomObject(random: () => number, depth: number, size = 4): JsonObject {
  const result: JsonObject = {};
  for (let i = 0; i < size; i++) setOwn(result, pick(random, keys), randomJson(random, depth - 1));
  return result;
}
