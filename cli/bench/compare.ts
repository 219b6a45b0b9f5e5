import type {BenchEntry} from './baseline.js';

export type Change = 'slower' | 'faster' | 'same' | 'new' | 'gone';

export interface Comparison {
  readonly policy: string;
  readonly rule: string;
  readonly change: Change;
  /** Percent, negative when faster; absent for what only one side has. */
  readonly percent?: number;
}

/** Differences below this many nanoseconds are the clock's and the scheduler's. */
const noise = 500;

/** `threshold` in percent. Ratios are compared, not times: each side was measured beside its own calibration. */
export function compareBenches(
  before: readonly BenchEntry[],
  after: readonly BenchEntry[],
  threshold: number,
): readonly Comparison[] {
  const old = new Map(before.map(entry => [keyOf(entry), entry]));
  const comparisons = after.map((entry): Comparison => {
    const {policy, rule} = entry;
    const known = old.get(keyOf(entry));
    if (known === undefined) return {policy, rule, change: 'new'};
    old.delete(keyOf(entry));
    const percent = (entry.ratio / known.ratio - 1) * 100;
    // What the difference is worth on this machine.
    const worth = Math.abs(entry.ratio - known.ratio) * (entry.p50 / entry.ratio);
    const beyond = Math.abs(percent) > threshold && worth > noise;
    return {policy, rule, percent, change: beyond ? (percent > 0 ? 'slower' : 'faster') : 'same'};
  });
  return [...comparisons, ...[...old.values()].map(({policy, rule}): Comparison => ({policy, rule, change: 'gone'}))];
}

export function keyOf({policy, rule}: {readonly policy: string; readonly rule: string}): string {
  return `${policy}\n${rule}`;
}
