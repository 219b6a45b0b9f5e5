import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {chainsawConfig, seconds, suiteSettings} from '../../conformance/cluster/chainsaw-config.js';
import {readReport} from '../../conformance/cluster/chainsaw-report.js';

describe('a configuration for chainsaw', () => {
  let top: string;
  beforeAll(async () => {
    top = await mkdtemp(join(tmpdir(), 'chainsaw-config-'));
    await mkdir(join(top, 'family', 'suite'), {recursive: true});
    const spec = '{namespace: {fastDelete: true}, timeouts: {assert: 1m30s, apply: 12s}, templating: {enabled: false}}';
    await writeFile(join(top, 'family', '.chainsaw.yaml'), `spec: ${spec}\n`);
  });
  afterAll(() => rm(top, {recursive: true, force: true}));

  it('takes timeouts from the nearest file and leaves newer fields out', async () => {
    const settings = await suiteSettings(top, join(top, 'family', 'suite'));
    const {spec} = JSON.parse(chainsawConfig(settings, '/tmp/x/report.json', Number.POSITIVE_INFINITY)) as {
      spec: object;
    };
    expect(spec).toMatchObject({
      templating: {enabled: false},
      timeouts: {assert: '90s', apply: '12s', error: '30s'},
      report: {path: '/tmp/x', name: 'report'},
    });
    expect(spec).not.toHaveProperty('namespace');
  });
  it('holds a first attempt to the given patience', async () => {
    const settings = await suiteSettings(top, join(top, 'family', 'suite'));
    expect(JSON.parse(chainsawConfig(settings, 'r', 40))).toMatchObject({
      spec: {timeouts: {assert: '40s', error: '30s'}},
    });
  });
  it('has the defaults of chainsaw where there is no file', async () =>
    expect(await suiteSettings(top, top)).toMatchObject({timeouts: {assert: 30}, templating: true}));
  it.each([
    ['1m30s', 90],
    ['2h', 7200],
    ['5s', 5],
  ])('reads %s', (text, value) => expect(seconds(text)).toBe(value));
  it.each(['', '5', '1d'])('refuses the duration %j', text => expect(() => seconds(text)).toThrow('no duration'));
});

describe('a report of chainsaw', () => {
  const report = (test: object) => JSON.stringify({tests: [test]});
  it('passes', () => expect(readReport(report({steps: [{operations: [{}]}]}), 0)).toEqual({status: 'pass'}));
  it('tells the first failure', () => {
    const steps = [{name: 'one', operations: [{type: 'apply'}, {name: 'x', type: 'assert', failure: {error: 'no'}}]}];
    expect(readReport(report({steps}), 1)).toEqual({
      status: 'fail',
      failure: {step: 'one', operation: 'assert x', message: 'no'},
    });
  });
  it('counts a skipped suite as neither', () =>
    expect(readReport(report({skipped: true}), 0)).toEqual({status: 'skip'}));
  it('is no pass without a test', () => expect(readReport('{}', 0).status).toBe('fail'));
  it('is no pass when chainsaw itself failed', () => expect(readReport(report({steps: []}), 1).status).toBe('fail'));
});
