/**
 * Order of two resource versions of one collection: negative when `a` is older. Kubernetes documents them as decimal
 * integers that only grow; anything else compares as older than any number.
 */
export function compareResourceVersions(a: string, b: string): number {
  const left = digits(a);
  const right = digits(b);
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

function digits(version: string): string {
  return /^\d+$/.test(version) ? version.replace(/^0+/, '') : '';
}
