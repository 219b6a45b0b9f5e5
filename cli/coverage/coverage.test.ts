import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {collectStreams} from '../output/testing/collected-streams.js';
import {coveragePoints} from '../../engine/explain/index.js';
import {buildPolicy} from '../../engine/explain/testing/build-policy.js';
import {runTest} from '../test/run-test.js';
import type {TestFlags} from '../test/run-test.js';
import {coverageReport} from './coverage-report.js';

const suite = join(import.meta.dirname, 'testdata');

async function run(flags: Partial<TestFlags>) {
  const streams = collectStreams();
  const status = await runTest(
    [suite],
    {fileName: 'kyverno-test.yaml', testCaseSelector: 'policy=*,rule=*,resource=*', ...flags},
    streams,
  );
  return {status, ...streams.written};
}

describe('test --coverage', () => {
  it('names the one anchor that no test of a suite reached, and leaves the exit status alone', async () => {
    const {status, out} = await run({coverage: true});
    expect(status).toBe(0);
    expect(out).toContain('volumes: 6 of 7 (85%)');
    expect(out.match(/not reached: .*/g)).toEqual([
      'not reached: anchor =(initContainers) of rule safe-volumes (spec.rules[0].validate.pattern.spec.=(initContainers))',
    ]);
  });

  it('says nothing of coverage unless asked', async () => expect((await run({})).out).not.toContain('Coverage'));

  it('writes the same as JSON', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'coverage-')), 'coverage.json');
    await run({coverage: file});
    const report = JSON.parse(readFileSync(file, 'utf8'));
    expect(report).toMatchObject({total: 7, reached: 6, percent: 85});
    expect(report.policies[0].unreached).toHaveLength(1);
  });

  it('keeps machine output alone on standard output', async () => {
    const {out, err} = await run({coverage: true, outputFormat: 'json'});
    JSON.parse(out);
    expect(err).toContain('Coverage: 6 of 7');
  });

  it('ends in an error below the wanted share, and not at it', async () => {
    await expect(run({coverageMin: 90})).rejects.toThrow('coverage is 85%, 90% is wanted');
    expect((await run({coverageMin: 85})).status).toBe(0);
  });
});

describe('coverage points', () => {
  it('are rules, filters, conditions, alternatives, loops and anchors', () => {
    const policy = buildPolicy(`
      - name: a
        match: {any: [{resources: {kinds: [Pod]}}, {resources: {kinds: [Service]}}]}
        exclude: {any: [{resources: {names: [x]}}]}
        preconditions: {any: [{key: 1, operator: Equals, value: 1}]}
        validate:
          anyPattern:
            - spec: {(hostPID): true}
            - metadata: {name: x}
      - name: b
        match: {any: [{resources: {kinds: [Pod]}}]}
        validate:
          foreach:
            - list: request.object.spec.containers
              deny: {conditions: {all: [{key: 1, operator: Equals, value: 1}]}}
    `);
    expect(coveragePoints(policy).map(({kind, path}) => `${kind} ${path}`)).toEqual([
      'rule spec.rules[0]',
      'match spec.rules[0].match.any[0]',
      'match spec.rules[0].match.any[1]',
      'exclude spec.rules[0].exclude.any[0]',
      'precondition spec.rules[0].preconditions.any[0]',
      'alternative spec.rules[0].validate.anyPattern[0]',
      'anchor spec.rules[0].validate.anyPattern[0].spec.(hostPID)',
      'alternative spec.rules[0].validate.anyPattern[1]',
      'rule spec.rules[1]',
      'foreach spec.rules[1].validate.foreach[0]',
      'condition spec.rules[1].validate.foreach[0].deny.conditions.all[0]',
    ]);
  });

  it('are anchors of patches and loops over patches', () => {
    const policy = buildPolicy(`
      - name: m
        match: {any: [{resources: {kinds: [Pod]}}]}
        mutate:
          foreach:
            - list: request.object.spec.containers
              patchStrategicMerge: {spec: {containers: [{(name): a, +(tty): true}]}}
    `);
    expect(coveragePoints(policy).map(({kind, path}) => `${kind} ${path}`)).toEqual([
      'rule spec.rules[0]',
      'foreach spec.rules[0].mutate.foreach[0]',
      'anchor spec.rules[0].mutate.foreach[0].patchStrategicMerge.spec.containers[0].(name)',
      'anchor spec.rules[0].mutate.foreach[0].patchStrategicMerge.spec.containers[0].+(tty)',
    ]);
  });

  it('of one policy in several suites count once', () => {
    const point = {rule: 'r', kind: 'rule', name: 'r', path: 'spec.rules[0]'} as const;
    const other = {...point, kind: 'anchor', name: '(x)', path: 'spec.rules[0].(x)'} as const;
    const points = [point, other];
    const report = coverageReport([
      {policy: 'p', points, reached: [point.path]},
      {policy: 'p', points, reached: [other.path]},
      {policy: 'q', points: [point], reached: []},
    ]);
    expect(report.policies.map(({policy, percent}) => [policy, percent])).toEqual([
      ['p', 100],
      ['q', 0],
    ]);
    expect(report.percent).toBe(66);
  });
});
