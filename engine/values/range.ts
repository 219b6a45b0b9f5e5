/** `a-b` (inside, both ends included) or `a!-b` (outside); the ends are quantities, durations or numbers as text. */
export interface Range {
  readonly inside: boolean;
  readonly low: string;
  readonly high: string;
}

const shape = /^([-|+]?\d+(?:\.\d+)?[A-Za-z]*)(!?)-([-|+]?\d+(?:\.\d+)?[A-Za-z]*)$/;

/** Reads `1-10`, `256Mi-1Gi`, `-10--8`, `10s!-2m`; `undefined` when the whole text is no range. */
export function parseRange(text: string): Range | undefined {
  if (!text.includes('-')) return undefined;
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, low = '', not, high = ''] = match;
  return {inside: not === '', low, high};
}
