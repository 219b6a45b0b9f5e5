import type {JsonNumber} from '../json/types.js';
import {toDouble} from '../json/types.js';

/**
 * A number as text for comparisons with text: plain decimal digits, never an exponent (`1000000`, `0.0000001`).
 * A deliberate difference from upstream, which prints `1e+06`, so that 1000000 equals `"1000000"`.
 * A double with an integral value has no fraction part (`80`, not `80.0`).
 */
export function numberText(value: JsonNumber): string {
  if (typeof value === 'bigint') return value.toString();
  const double = toDouble(value);
  const text = Object.is(double, -0) ? '0' : String(double);
  return text.includes('e') ? expandExponent(text) : text;
}

function expandExponent(text: string): string {
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', head = '', fraction = '', exponentText = '0'] = match;
  const digits = head + fraction;
  const point = 1 + Number(exponentText);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
