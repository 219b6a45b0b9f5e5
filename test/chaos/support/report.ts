import {expect} from 'vitest';
import type {Outcome} from './load.js';
import {type Verdict, wrong} from './verdict.js';

export interface Tally {
  readonly total: number;
  readonly count: Readonly<Partial<Record<Verdict, number>>>;
  readonly refused: number;
}

export function tally(outcomes: readonly Outcome[]): Tally {
  const count: Partial<Record<Verdict, number>> = {};
  for (const {verdict} of outcomes) count[verdict] = (count[verdict] ?? 0) + 1;
  return {total: outcomes.length, count, refused: count.refused ?? 0};
}

/** Nothing was let through or turned down against the policies; the error shows the first that was. */
export function expectNothingWrong(outcomes: readonly Outcome[]): void {
  expect(outcomes.filter(({verdict}) => wrong.has(verdict)).slice(0, 3)).toEqual([]);
}

/** One line of figures; times are printed and never judged. */
export function print(
  title: string,
  outcomes: readonly Outcome[],
  more: Readonly<Record<string, number | string>> = {},
): void {
  const {total, count} = tally(outcomes);
  const times = outcomes.map(({due, answered}) => answered - due).sort((a, b) => a - b);
  const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
  const figures = {requests: total, ...count, p50: at(0.5), p99: at(0.99), ...more};
  const text = Object.entries(figures).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value) : value}`,
  );
  console.log(`${title}: ${text.join(', ')}`);
}
