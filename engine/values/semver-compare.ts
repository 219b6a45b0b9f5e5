/** A strict semantic version 2.0: three numbers, no leading `v`. Build metadata takes no part in the order. */
export interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
}

const number = '(?:0|[1-9]\\d*)';
const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const shape = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const maxLength = 256;

/** `undefined` when the text is no strict version. */
export function parseSemver(text: string): Semver | undefined {
  if (text.length > maxLength) return undefined;
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = match;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split('.'),
  };
}

/** Precedence of semver 2.0 §11: negative, zero or positive. */
export function compareSemver(a: Semver, b: Semver): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  const shared = Math.min(a.prerelease.length, b.prerelease.length);
  for (let index = 0; index < shared; index++) {
    const order = compareIdentifiers(a.prerelease[index] ?? '', b.prerelease[index] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers numerically and below words; words by ASCII order. */
function compareIdentifiers(a: string, b: string): number {
  const aNumeric = /^\d+$/.test(a);
  const bNumeric = /^\d+$/.test(b);
  if (aNumeric !== bNumeric) return aNumeric ? -1 : 1;
  if (aNumeric) {
    const [left, right] = [BigInt(a), BigInt(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
