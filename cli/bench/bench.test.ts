import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {collectStreams} from '../output/testing/collected-streams.js';
import type {BenchEntry} from './baseline.js';
import {compareBenches} from './compare.js';
import {measure, percentile} from './measure.js';
import {type BenchFlags, runBench} from './run-bench.js';

const data = join(import.meta.dirname, 'testdata');

async function bench(policy: string, flags: Partial<BenchFlags> = {}) {
  const streams = collectStreams();
  const all = {resource: [join(data, 'pod.yaml')], iterations: 300, warmup: 100, rounds: 3, threshold: 20, ...flags};
  const status = await runBench([join(data, policy)], all, {streams, now: process.hrtime.bigint});
  return {status, ...streams.written};
}

describe('bench', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const baseline = join(folder, 'baseline.json');

  it('shows the policy and each rule, and saves a baseline', async () => {
    const {status, out} = await bench('policy.yaml', {save: baseline});
    expect(status).toBe(0);
    expect(out).toMatch(/│ names\s+│ \(all\)\s+│/);
    expect(out).toMatch(/│ names\s+│ prefixed\s+│/);
    const {version, entries} = JSON.parse(readFileSync(baseline, 'utf8'));
    expect(version).toBe(1);
    expect(entries.map(({policy, rule, samples}: BenchEntry) => [policy, rule, samples])).toEqual([
      ['names', '', 300],
      ['names', 'prefixed', 300],
    ]);
  });

  it('ends with 1 when a heavier policy has taken the name of the one that was saved', async () => {
    await bench('policy.yaml', {save: baseline});
    const {status, out, err} = await bench('heavier.yaml', {compare: baseline});
    expect(status).toBe(1);
    expect(out).toContain('slower');
    expect(err).toMatch(/names\/prefixed is \d+% slower than the baseline; 20% is allowed/);
  });

  it('ends with 0 when the heavier one was saved and the lighter one is measured', async () => {
    await bench('heavier.yaml', {save: baseline});
    const {status, out} = await bench('policy.yaml', {compare: baseline, threshold: 50});
    expect(status).toBe(0);
    expect(out).toContain('faster');
  });

  it('gives JSON with the comparison', async () => {
    await bench('policy.yaml', {save: baseline});
    const {entries, comparisons} = JSON.parse(
      (await bench('policy.yaml', {compare: baseline, threshold: 100_000, json: true})).out,
    );
    expect(entries).toHaveLength(2);
    expect(comparisons).toMatchObject([
      {policy: 'names', rule: '', change: 'same'},
      {policy: 'names', rule: 'prefixed'},
    ]);
  });

  it.each([
    ['{', 'not JSON'],
    ['{"version": 2}', 'not a baseline'],
    ['{"version": 1, "entries": [{}]}', 'not a baseline'],
  ])('refuses %s as a baseline', async (text, why) => {
    const path = join(folder, 'broken.json');
    writeFileSync(path, text);
    await expect(bench('policy.yaml', {compare: path})).rejects.toThrow(why);
  });

  it('wants a resource', () => expect(bench('policy.yaml', {resource: []})).rejects.toThrow('--resource is required'));
});

describe('figures', () => {
  it.each([
    [0.5, 50],
    [0.95, 95],
    [0.99, 99],
  ])('percentile %d is by nearest rank', (share, wanted) =>
    expect(
      percentile(
        Array.from({length: 100}, (_, index) => 100 - index),
        share,
      ),
    ).toBe(wanted),
  );

  it('are taken from the given clock: each call that counts is one sample, warm-up is none', async () => {
    let clock = 0n;
    let calls = 0;
    const now = () => clock;
    const figures = await measure(
      () => {
        calls += 1;
        clock += BigInt(calls > 10 ? 1000 : 1_000_000);
      },
      {warmup: 10, iterations: 20, rounds: 4, now},
    );
    expect(calls).toBe(30);
    expect(figures).toMatchObject({p50: 1000, p99: 1000, samples: 20});
  });
});

describe('comparison', () => {
  const entry = (rule: string, p50: number, ratio: number): BenchEntry => ({
    policy: 'p',
    rule,
    p50,
    p95: p50,
    p99: p50,
    ratio,
    samples: 1,
  });
  it.each([
    ['a slower machine is no slower policy', entry('r', 10_000, 1), entry('r', 30_000, 1), 'same'],
    ['beyond the threshold', entry('r', 10_000, 1), entry('r', 13_000, 1.3), 'slower'],
    ['within the threshold', entry('r', 10_000, 1), entry('r', 11_000, 1.1), 'same'],
    ['faster', entry('r', 10_000, 1), entry('r', 5_000, 0.5), 'faster'],
    ['too small to be told from noise', entry('r', 500, 0.05), entry('r', 800, 0.08), 'same'],
  ])('%s', (_name, before, after, change) => {
    expect(compareBenches([before], [after], 20)).toMatchObject([{change}]);
  });

  it('tells what only one side has', () => {
    expect(
      compareBenches([entry('a', 1, 1)], [entry('b', 1, 1)], 20).map(({rule, change}) => `${rule} ${change}`),
    ).toEqual(['b new', 'a gone']);
  });
});
