import {describe, expect, it} from 'vitest';
import {createLimitsTold} from './limits-told.js';

function told(rules: readonly number[]) {
  const lines: string[] = [];
  const log = {info: (line: string) => lines.push(`info ${line}`), warn: (line: string) => lines.push(`warn ${line}`)};
  const policies = new Map(rules.map((count, index) => [String(index), {rules: Array.from({length: count})}]));
  const core = {log, cache: {current: {policies}}, config: () => ({updateRequestThreshold: 70})};
  return {lines, policies, limits: createLimitsTold(core as never, () => 3)};
}

describe('limits of background work', () => {
  it('are told at start with what is there now', () => {
    const {lines, limits} = told([2, 3]);
    limits.onPolicy();
    limits.start();
    expect(lines).toEqual([expect.stringMatching(/^info background limit: at most 70 .*updateRequestThreshold\), 3 now; rule limit: 1000, .* 5 now$/)]);
  });

  it('warn of many rules, once for each time', () => {
    const {lines, policies, limits} = told([600, 600]);
    limits.start();
    limits.onPolicy();
    expect(lines.filter(line => line.startsWith('warn'))).toHaveLength(1);
    policies.delete('1');
    limits.onPolicy();
    policies.set('1', {rules: Array.from({length: 401})});
    limits.onPolicy();
    expect(lines.filter(line => line.startsWith('warn'))).toHaveLength(2);
  });
});
