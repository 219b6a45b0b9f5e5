import {dirname, join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {messageOf} from '../../cli/files/file-error.js';
import {collectStreams} from '../../cli/output/testing/collected-streams.js';
import {runTest} from '../../cli/test/run-test.js';
import {conformanceRoot, readSuites} from '../conformance/suites.js';
import {judgeSuite} from '../conformance/verdict.js';

const testdata = join(import.meta.dirname, '..', 'conformance', 'testdata');

async function run(folder: string, registry = false) {
  const streams = collectStreams();
  const flags = {
    fileName: 'kyverno-test.yaml',
    testCaseSelector: '',
    outputFormat: 'json',
    detailedResults: true,
    registry,
  };
  try {
    return {exit: await runTest([folder], flags, streams), ...streams.written};
  } catch (error) {
    return {exit: 1, out: streams.written.out, err: `${streams.written.err}${messageOf(error)}`};
  }
}

async function rows(suite: string) {
  const {exit, out} = await run(join(testdata, suite));
  const list = JSON.parse(out) as Array<Record<string, string>>;
  return {exit, rows: list.map(row => [row['RULE'], row['RESOURCE'], row['RESULT'], row['REASON']].join(' '))};
}

describe('own suites', () => {
  it.each<[suite: string, rows: readonly string[]]>([
    [
      'labels',
      [
        'has-team v1/Pod/default/named Pass Ok',
        'has-team v1/Pod/default/nameless Pass Ok',
        'autogen-has-team apps/v1/Deployment/shop/web Pass Ok',
        'has-team v1/Service/shop/web Pass Excluded',
      ],
    ],
    [
      'defaults',
      [
        'set-tier v1/ConfigMap/default/plain Pass Ok',
        'tier-known v1/ConfigMap/default/plain Pass Excluded',
        'tier-known v1/ConfigMap/default/plain Pass Ok',
        'tier-known v1/ConfigMap/default/odd Pass Excluded',
        'tier-known v1/ConfigMap/default/odd Pass Ok',
      ],
    ],
    ['targets', ['stamp-secret v1/ConfigMap/lab/trigger Pass Ok', 'stamp-secret v1/Secret/lab/token Pass Ok']],
    ['quota', ['make-quota /standard Pass Ok']],
    [
      'values',
      [
        'registry-listed v1/Pod/default/one Pass Ok',
        'registry-listed v1/Pod/default/three Pass Ok',
        'registry-listed v1/Pod/default/two Pass Ok',
        'no-delete v1/Pod/default/two Pass Ok',
      ],
    ],
    ['exceptions', ['check v1/Pod/default/agent Pass Ok', 'check v1/Pod/default/guest Pass Ok']],
    [
      'cel',
      [
        ' v1/Pod/shop/one Pass Ok',
        ' v1/Pod/shop/large Pass Ok',
        ' v1/Pod/shop/two Pass Ok',
        ' batch/v1/CronJob/shop/nightly Pass Ok',
        ' v1/Pod/kube-system/proxy Pass Ok',
        ' v1/Pod/shop/one Pass Ok',
        ' batch/v1/Job/shop/done Pass Ok',
        ' batch/v1/Job/shop/running Pass Ok',
        ' apps/v1/Deployment/shop/web Pass Ok',
      ],
    ],
    ['cel-payloads', [' own.json Pass Ok', ' foreign.yaml Pass Ok', ' trial.json Pass Ok']],
  ])('%s gives the rows that its author sees', async (suite, wanted) => {
    const found = await rows(suite);
    expect(found.rows).toEqual(wanted);
    expect(found.exit).toBe(0);
  });

  it('tells failed, unknown, unserved and invalid apart', async () => {
    const {exit, out, err} = await run(join(testdata, 'wrong'));
    const list = JSON.parse(out) as Array<Record<string, string>>;
    expect(list.map(row => `${row['POLICY']} ${row['RESULT']} ${row['REASON']}`)).toEqual([
      'team-label Fail Want fail, got pass',
      'team-label Fail Want fail, got pass',
      'team-label Pass Excluded',
      'nobody Fail Not found',
      'team-label Pass Ok',
      'team-label Fail Want pass, got fail',
      'team-label Pass Ok',
      'team-label Pass Excluded',
      'signed Fail Not served',
      'broken Skip Invalid Policy',
    ]);
    expect(exit).toBe(1);
    expect(err).toContain('5 tests failed');
  });
});

const root = conformanceRoot();
const every = 5;

/** A fixed part of the external suites; `npm run conformance` runs them all. */
describe.skipIf(root === undefined)('external suites (skipped without a folder of them: set CONFORMANCE_DIR)', () => {
  const suites =
    root === undefined
      ? []
      : readSuites(root).filter(suite => suite.waitsFor === undefined && suite.recorded.status === 'pass');
  const sample = suites.filter((_, index) => index % every === 0);

  it.each(sample.map(suite => [suite.id, suite] as const))('%s: rows and verdict as recorded', async (_id, suite) => {
    const result = await run(join(root!, dirname(suite.path)), suite.flags.includes('--registry'));
    expect(judgeSuite(suite, result).difference).toBeUndefined();
  });
});
