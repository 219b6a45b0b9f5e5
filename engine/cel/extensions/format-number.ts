/** Doubles as `%f` and `%e` print them in Kubernetes: Go's message printer for English, `1,234.50` and `1.234500×10⁰³`. */

const maxDigits = 1_100;
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const scientificDigits = 6;

/** With `precision` digits behind the point, rounded half to even, and thousands in groups. */
export function fixedText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  // No double has more digits than that; the rest is zeros.
  const places = Math.min(precision, maxDigits);
  const digits = scaled(Math.abs(value), places)
    .toString()
    .padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - places).padEnd(precision, '0');
  return `${sign(value)}${whole}${precision > 0 ? `.${fraction}` : ''}`;
}

/** Always with six digits behind the point; the number in `%.3e` is a width there. */
export function scientificText(value: number, width: number): string {
  return (Number.isFinite(value) ? sign(value) + scientific(Math.abs(value)) : notFinite(value)).padStart(width, ' ');
}

function scientific(size: number): string {
  let exponent = size === 0 ? 0 : Number(size.toExponential().split('e')[1]);
  let digits = scaled(size, scientificDigits - exponent).toString();
  if (digits.length > scientificDigits + 1) {
    exponent++;
    digits = digits.slice(0, -1);
  }
  digits = digits.padEnd(scientificDigits + 1, '0');
  const power = Math.abs(exponent).toString().padStart(2, '0');
  const raised = [...power].map(digit => superscripts[Number(digit)]).join('');
  return `${digits[0]}.${digits.slice(1)}×10${exponent < 0 ? '⁻' : ''}${raised}`;
}

function sign(value: number): string {
  return value < 0 ? '-' : '';
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '-∞';
}

/** `value` × 10^places from all of its binary digits, rounded half to even. */
function scaled(value: number, places: number): bigint {
  const {mantissa, exponent} = binary(value);
  let numerator = mantissa;
  let denominator = 1n;
  if (exponent > 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  if (places > 0) numerator *= 10n ** BigInt(places);
  else denominator *= 10n ** BigInt(-places);
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && (quotient & 1n) === 1n);
  return up ? quotient + 1n : quotient;
}

/** mantissa × 2^exponent of a double that is not negative. */
function binary(value: number): {mantissa: bigint; exponent: number} {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & 0xfffffffffffffn;
  const biased = Number(bits >> 52n);
  if (biased === 0) return {mantissa: fraction, exponent: -1074};
  return {mantissa: fraction | 0x10000000000000n, exponent: biased - 1075};
}
