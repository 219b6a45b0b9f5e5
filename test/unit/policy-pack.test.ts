import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parse, parseAllDocuments} from 'yaml';
import {collectStreams} from '../../cli/output/testing/collected-streams.js';
import {runTest} from '../../cli/test/run-test.js';

const pack = resolve(import.meta.dirname, '../../install/policies/pod-security');
const families = ['classic', 'cel'] as const;
const levels = ['baseline', 'restricted'] as const;

interface Row {
  readonly policy: string;
  readonly kind: string;
  readonly resources: readonly string[];
  readonly result: string;
}

interface Policy {
  readonly metadata: {readonly name: string; readonly labels: Readonly<Record<string, string>>};
  readonly spec: {readonly rules?: readonly unknown[]; readonly validationActions?: readonly string[]};
}

function read<T>(path: string): T {
  return parse(readFileSync(join(pack, path), 'utf8')) as T;
}

function controlsOf(family: string, level: string): string[] {
  const prefix = `pod-security-${level}-`;
  return readdirSync(join(pack, 'policies', family, level))
    .filter(name => name.startsWith(prefix))
    .map(name => name.slice(prefix.length, -'.yaml'.length))
    .sort();
}

describe.each(families)('the pack of Pod Security, family %s', family => {
  const suite = read<{results: readonly Row[]}>(`tests/${family}/kyverno-test.yaml`);

  it('refuses a Pod for each control, and lets the good one in', async () => {
    const streams = collectStreams();
    const exit = await runTest([join(pack, 'tests', family)], {fileName: 'kyverno-test.yaml', testCaseSelector: ''}, streams);
    expect(streams.written.out).toMatch(/\d+ tests passed and 0 tests failed/);
    expect(exit).toBe(0);
  });

  it.each(levels)('has a good and a bad Pod for every control of %s', level => {
    for (const control of controlsOf(family, level)) {
      const rows = suite.results.filter(({policy}) => policy === `pod-security-${level}-${control}`);
      expect(rows.filter(({result}) => result === 'pass').flatMap(({resources}) => resources), control).toContain('good');
      expect(rows.filter(({result}) => result === 'fail').flatMap(({resources}) => resources), control).toContain(`${control}-1`);
    }
  });

  it.each(levels)('lists every policy of %s for kustomize, and each one reports until it is told to refuse', level => {
    const {resources} = read<{resources: readonly string[]}>(`policies/${family}/${level}/kustomization.yaml`);
    const controls = controlsOf(family, level);
    expect(resources.filter(name => name !== '../baseline')).toEqual(controls.map(control => `pod-security-${level}-${control}.yaml`));
    for (const control of controls) {
      const {metadata, spec} = read<Policy>(`policies/${family}/${level}/pod-security-${level}-${control}.yaml`);
      expect(metadata.labels).toEqual({'app.kubernetes.io/part-of': 'pod-security', 'pod-security/level': level});
      // The component `enforce` patches the first rule.
      if (spec.rules !== undefined) expect(spec.rules).toMatchObject([{name: control, validate: {failureAction: 'Audit'}}]);
      else expect(spec.validationActions).toEqual(['Audit']);
    }
  });
});

it('both families have the same controls, twelve of baseline and six of restricted', () => {
  for (const level of levels) expect(controlsOf('classic', level)).toEqual(controlsOf('cel', level));
  expect(levels.map(level => controlsOf('cel', level).length)).toEqual([12, 6]);
});

it('the page names every control', () => {
  const page = readFileSync(join(pack, 'README.md'), 'utf8');
  for (const level of levels) for (const control of controlsOf('cel', level)) expect(page).toContain(`| \`${control}\` | ${level} |`);
});

it('the objects of the suites are Pods and what makes them', () => {
  const kinds = parseAllDocuments(readFileSync(join(pack, 'tests/resources.yaml'), 'utf8')).map(document => (document.toJS() as {kind: string}).kind);
  expect(new Set(kinds)).toEqual(new Set(['Pod', 'Deployment']));
});
