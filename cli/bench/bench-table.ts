import {drawTable} from '../output/table.js';
import type {BenchEntry} from './baseline.js';
import {type Comparison, keyOf} from './compare.js';

/** Policies and, below each, its rules; microseconds. */
export function benchTable(entries: readonly BenchEntry[], comparisons: readonly Comparison[] | undefined): string {
  const changes = new Map((comparisons ?? []).map(comparison => [keyOf(comparison), comparison]));
  const headers = [
    'policy',
    'rule',
    'p50 µs',
    'p95 µs',
    'p99 µs',
    'ratio',
    ...(comparisons === undefined ? [] : ['baseline']),
  ];
  const rows = entries.map(entry => {
    const cells = [
      entry.policy,
      entry.rule === '' ? '(all)' : entry.rule,
      micros(entry.p50),
      micros(entry.p95),
      micros(entry.p99),
      entry.ratio.toFixed(3),
    ];
    return comparisons === undefined ? cells : [...cells, changeText(changes.get(keyOf(entry)))];
  });
  for (const comparison of comparisons ?? []) {
    if (comparison.change === 'gone')
      rows.push([comparison.policy, comparison.rule === '' ? '(all)' : comparison.rule, '', '', '', '', 'gone']);
  }
  return drawTable(
    headers,
    rows.map(row => row.map(text => ({text}))),
  );
}

function micros(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(1);
}

function changeText(comparison: Comparison | undefined): string {
  if (comparison?.percent === undefined) return comparison?.change ?? '';
  const percent = `${comparison.percent >= 0 ? '+' : ''}${comparison.percent.toFixed(0)}%`;
  return comparison.change === 'same' ? percent : `${percent} ${comparison.change}`;
}
