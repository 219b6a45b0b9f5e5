import type {Library} from '../library/library.js';
import {doubleType, intType} from '../types/type.js';
import {type DoubleValue, doubleOf, type IntValue, toNumber} from '../values/index.js';
import {declare} from './declare.js';

/** Beyond, a double has no decimals left to round; as far below zero, nothing but zero comes out. */
const maxPlaces = 308;

/** `math.round` with a number of decimals; the one without is of CEL's own mathematics. */
export const roundLibrary: Library = {
  name: 'kyverno.math',
  functions: declare(
    'kyverno_math',
    ['math.round'],
    [
      {
        id: 'double_int',
        receiver: false,
        params: [doubleType, intType],
        result: doubleType,
        call: (value: DoubleValue, places: IntValue) => doubleOf(round(toNumber(value), toNumber(places))),
      },
    ],
  ),
};

/** Half away from zero, as Go's `math.Round(x * 10^n) / 10^n`. */
function round(value: number, places: number): number {
  if (!Number.isFinite(value) || places > maxPlaces) return value;
  const factor = 10 ** places;
  const scaled = value * factor;
  // Too large to have decimals that could be rounded.
  if (!Number.isFinite(scaled)) return value;
  if (factor === 0) return value < 0 ? -0 : 0;
  const size = Math.abs(scaled);
  // Adding a half and cutting off would round 0.49999999999999994 up.
  const whole = Math.trunc(size);
  const rounded = size - whole >= 0.5 ? whole + 1 : whole;
  return (scaled < 0 ? -rounded : rounded) / factor;
}
