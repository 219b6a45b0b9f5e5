import {describe, expect, it} from 'vitest';
import {runApply} from '../../cli/apply/run-apply.js';
import {lintSarif} from '../../cli/lint/lint-sarif.js';
import {type JunitCase, junitXml} from '../../cli/output/junit.js';
import {type SarifResult, sarifLog} from '../../cli/output/sarif.js';
import {collectStreams} from '../../cli/output/testing/collected-streams.js';
import {lintCatalogue} from '../../engine/lint/index.js';
import {junitFaults} from '../guide/junit-shape.js';
import {sarifFaults} from '../guide/sarif-shape.js';

const hostile = ['<a b="c">&\'', 'two\nlines\tand \u0001', ']]>', 'ünïcödé \ud800', '', 'a/b c%#?'];

const outcomes = ['pass', 'fail', 'warn', 'error', 'skip'] as const;
const results = outcomes.flatMap(status =>
  hostile.map(
    (odd, index): SarifResult => ({
      policy: `policy-${odd}`,
      rule: index % 2 === 0 ? odd : '',
      status,
      message: odd,
      resource: `ns/Pod/${odd}`,
      file: index === 4 ? '' : `./dir ${index}/${odd.replace('\ud800', '')}.yaml`,
      line: index,
      severity: ['low', 'medium', 'high', 'critical', 'info', undefined][index],
      description: index === 1 ? undefined : odd,
    }),
  ),
);

const cases = outcomes.flatMap(outcome =>
  hostile.map(
    (odd): JunitCase => ({
      suite: `policy-${odd}`,
      className: odd,
      name: `Pod/${odd}`,
      outcome: outcome === 'warn' ? 'pass' : outcome,
      reason: odd,
      message: odd,
    }),
  ),
);

const findings = lintCatalogue.map(({id, severity}, index) => ({
  id,
  severity,
  message: hostile[index % hostile.length]!,
  hint: 'change it',
  policy: 'p',
  rule: 'r',
  path: 'spec.rules[0]',
  file: `policies/${index} x.yaml`,
  line: index,
}));

/** What `apply` writes of two samples, one of which fails, and of a policy that only mutates. */
async function applied(outputFormat: string): Promise<string> {
  const streams = collectStreams();
  const resource = ['docs/samples/cli/pods.yaml', 'docs/samples/cli/rendered.yaml'];
  expect(await runApply(['docs/samples/policies', 'docs/samples/more'], {resource, outputFormat}, {streams})).toBe(1);
  return streams.written.out;
}

describe('SARIF', () => {
  it('logs follow the schema, whatever stands in them', () => {
    expect(sarifFaults(JSON.parse(JSON.stringify(sarifLog(results, '1.2.3'))))).toEqual([]);
    expect(sarifFaults(JSON.parse(JSON.stringify(sarifLog([], '1.2.3'))))).toEqual([]);
  });

  it('logs of apply follow the schema', async () => {
    const log = JSON.parse(await applied('sarif'));
    expect(log.runs[0].results.length).toBeGreaterThan(5);
    expect(sarifFaults(log)).toEqual([]);
  });

  it('logs of lint follow the schema', () => {
    expect(findings.length).toBeGreaterThan(5);
    expect(sarifFaults(JSON.parse(JSON.stringify(lintSarif(findings, '1.2.3'))))).toEqual([]);
  });

  it.each<[what: string, change: (log: never) => unknown]>([
    ['an unknown field', (log: object) => ({...log, extra: 1})],
    ['another version', (log: object) => ({...log, version: '2.0.0'})],
    ['no runs', ({version}: {version: string}) => ({version})],
    ['a run without a tool', (log: object) => ({...log, runs: [{results: []}]})],
    ['line 0', (log: object) => JSON.parse(JSON.stringify(log).replace('"startLine":1', '"startLine":0'))],
    ['a blank in an address', (log: object) => JSON.parse(JSON.stringify(log).replace('dir%20', 'dir '))],
    ['a level of what passed', (log: object) => JSON.parse(JSON.stringify(log).replace('"none"', '"error"'))],
    [
      'a result of no rule',
      (log: object) => JSON.parse(JSON.stringify(log).replace('"ruleIndex":0', '"ruleIndex":99')),
    ],
  ])('the check sees %s', (_what, change) => {
    expect(sarifFaults(change(JSON.parse(JSON.stringify(sarifLog(results, '1'))) as never))).not.toEqual([]);
  });
});

describe('JUnit', () => {
  it('reports follow the schema, whatever stands in them', () => {
    expect(junitFaults(junitXml(cases))).toEqual([]);
    expect(junitFaults(junitXml([]))).toEqual([]);
  });

  it('reports of apply follow the schema', async () => {
    const report = await applied('junit');
    expect(report).toContain('<failure');
    expect(junitFaults(report)).toEqual([]);
  });

  it.each<[what: string, from: string | RegExp, to: string]>([
    ['an unknown attribute', '<testsuites ', '<testsuites skipped="0" '],
    ['a missing name', /<testsuite name="[^"]*"/, '<testsuite'],
    ['a wrong count', /failures="\d+"/, 'failures="77"'],
    ['an unknown element', '<failure', '<fault'],
    ['a misplaced element', '<system-out>', '<testcase name="x"></testcase><system-out>'],
  ])('the check sees %s', (_what, from, to) => {
    const report = junitXml(cases)
      .replace(from, to)
      .replace(to === '<fault' ? '</failure>' : '', to === '<fault' ? '</fault>' : '');
    expect(junitFaults(report)).not.toEqual([]);
  });

  it.each(['<a>', '<a></b>', '<a b="<"/>', '<a b="&nbsp;"/>', '<a/><a/>', '<a b="1" b="2"/>', 'text'])(
    'the check refuses what is not well-formed: %s',
    source => expect(() => junitFaults(source)).toThrow(),
  );
});
