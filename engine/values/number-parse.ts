const maxLength = 400;
const floatShape = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A 64-bit integer in base 10 with optional sign, as Go's `ParseInt`; `undefined` for every other text. */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > maxLength || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A finite decimal number, as Go's `ParseFloat` (but no hex, `inf` or `nan`); `undefined` for every other text. */
export function parseFloatText(text: string): number | undefined {
  if (text.length > maxLength || !floatShape.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
