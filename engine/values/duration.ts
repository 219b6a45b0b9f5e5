/** Durations as Go's `time.ParseDuration` and `Duration.String` have them; values in nanoseconds, 64 bits. */

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const limit = 2n ** 63n;
const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
const maxLength = 256;

/** Nanoseconds of a Go duration (`1h30m`, `-1.5s`, `0`); `undefined` when the text is none or overflows 64 bits. */
export function parseDuration(text: string): bigint | undefined {
  if (text === '0' || text === '+0' || text === '-0') return 0n;
  const last = text.charCodeAt(text.length - 1);
  // Every other duration ends in its unit: s, m or h.
  if (last !== 115 && last !== 109 && last !== 104) return undefined;
  const first = text.charCodeAt(0);
  const signed = first === 43 || first === 45;
  const start = text.charCodeAt(signed ? 1 : 0);
  if (!(start >= 48 && start <= 57) && start !== 46) return undefined;
  if (text.length > maxLength) return undefined;
  let total = 0n;
  let index = signed ? 1 : 0;
  while (index < text.length) {
    part.lastIndex = index;
    const match = part.exec(text);
    if (!match) return undefined;
    const [whole, digits = '', fraction = '', unitName = ''] = match;
    if (digits === '' && fraction === '') return undefined;
    const unit = units.get(unitName) ?? 1n;
    total += BigInt(digits) * unit + fractionOf(fraction, unit);
    if (total > limit) return undefined;
    index += whole.length;
  }
  if (first === 45) return -total;
  return total === limit ? undefined : total;
}

/** Same double arithmetic as Go, so that odd fractions truncate alike; digits beyond 64 bits are dropped. */
function fractionOf(text: string, unit: bigint): bigint {
  if (text === '') return 0n;
  let scale = 1;
  let digits = 0n;
  for (const digit of text) {
    const longer = digits * 10n + BigInt(digit);
    if (longer > limit) break;
    digits = longer;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(digits) * (Number(unit) / scale)));
}

/** Go's text: `1h30m0s`, `1.5s`, `2ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\u00b5s`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes % 60n}m${seconds}`;
}

/** `value` × 10^-places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = (value % unit).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}
