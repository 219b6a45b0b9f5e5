import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {messageOf} from '../files/file-error.js';
import {collectStreams} from '../output/testing/collected-streams.js';
import {runTest, type TestFlags} from './run-test.js';

const testdata = resolve(import.meta.dirname, '..', '..', 'test', 'conformance', 'testdata');

async function run(folder: string, flags: Partial<TestFlags> = {}) {
  const streams = collectStreams();
  try {
    return {
      exit: await runTest([folder], {fileName: 'kyverno-test.yaml', testCaseSelector: '', ...flags}, streams),
      ...streams.written,
    };
  } catch (error) {
    return {exit: 1, out: streams.written.out, err: `${streams.written.err}${messageOf(error)}`};
  }
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-'));
});
afterEach(() => rm(folder, {recursive: true, force: true}));

const header = 'apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\n';

describe('kyverno test', () => {
  it('shows what it does, a table and a summary', async () => {
    const {exit, out} = await run(join(testdata, 'exceptions'));
    expect(out).toContain(
      '  Loading policies ...\n  Loading resources ...\n  Loading exceptions ...\n  Applying 1 policy to 2 resources with 1 exception ...\n  Checking results ...\n',
    );
    expect(out).toContain('│ 1  │ no-host-network │ check │ v1/Pod/default/agent │ Pass   │ Ok     │\n');
    expect(out).toContain('\nTest Summary: 2 tests passed and 0 tests failed\n');
    expect(exit).toBe(0);
  });

  it('shows only failures with --fail-only', async () => {
    const {exit, out, err} = await run(join(testdata, 'wrong'), {failOnly: true, detailedResults: true});
    expect(out).toContain('Test Summary: 5 out of 10 tests failed');
    expect(out).toContain('Aggregated Failed Test Cases :');
    expect(out).toContain('evaluation mode "Elsewhere" is not served by this release');
    expect(out).not.toContain('Pass ');
    expect([exit, err.endsWith('5 tests failed')]).toEqual([1, true]);
  });

  it.each(['json', 'yaml', 'markdown', 'junit'])('keeps progress out of %s', async outputFormat => {
    const {out, err} = await run(join(testdata, 'quota'), {outputFormat});
    expect(out).not.toContain('Loading');
    expect(out).toContain('/standard');
    expect(err).toContain('Test Summary: 1 tests passed and 0 tests failed');
  });

  it('selects, and counts nothing else', async () => {
    const {out} = await run(join(testdata, 'labels'), {testCaseSelector: 'resource=nameless'});
    expect(out).not.toContain('default/named');
  });

  it.each<[what: string, flags: Partial<TestFlags>, text: string, exit: number]>([
    ['no tests', {}, 'No test yamls available', 0],
    ['no tests where some are wanted', {requireTests: true}, 'no tests found', 1],
    ['a selector that says nothing', {testCaseSelector: 'foo'}, 'foo: the key must be one of', 1],
    ['an unknown format', {outputFormat: 'xml'}, 'invalid format, expected (json, yaml, markdown, junit)', 1],
  ])('%s', async (_what, flags, text, exit) => {
    const result = await run(folder, flags);
    expect(`${result.out}${result.err}`).toContain(text);
    expect(result.exit).toBe(exit);
  });

  it.each<[what: string, test: string, text: string]>([
    [
      'an unknown field',
      `${header}results: [{policy: p, resource: r}]`,
      'json: unknown field "resource" in results[0]',
    ],
    ['a repeated key', `${header}policies: []\npolicies: []`, 'key "policies" already set in map'],
    ['broken YAML', 'a: [', 'kyverno-test.yaml:1'],
    ['the deprecated form', 'name: t\nresults: [{policy: p}]', 'deprecated form'],
    [
      'a missing policy',
      `${header}policies: [absent.yaml]\nresults: [{policy: p}]`,
      'absent.yaml: no such file or directory',
    ],
    [
      'a missing resource',
      `${header}resources: [absent.yaml]\nresults: [{policy: p}]`,
      'failed to load resources (stat',
    ],
    ['values of the old form', `${header}variables: v.yaml\nresults: [{policy: p}]`, 'failed to load values file'],
  ])('ends at %s', async (_what, test, text) => {
    await writeFile(join(folder, 'kyverno-test.yaml'), test);
    await writeFile(join(folder, 'v.yaml'), 'globalValues: {}\n');
    const {exit, out, err} = await run(folder);
    expect(`${out}${err}`).toContain(text);
    expect(exit).toBe(1);
  });

  it('a file is no folder', async () => {
    const file = join(folder, 'kyverno-test.yaml');
    await writeFile(file, header);
    expect((await run(file)).err).toContain(`Error loading tests: open ${file}: not a directory`);
  });

  it('a test without results is not even announced', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'a', 'kyverno-test.yaml'), header);
    expect((await run(folder)).out).toBe('\nTest Summary: 0 tests passed and 0 tests failed\n\n');
  });

  it('deprecated forms may be errors', async () => {
    await writeFile(
      join(folder, 'p.yaml'),
      'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  validationFailureAction: Audit\n  rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {deny: {}}}]\n',
    );
    await writeFile(join(folder, 'r.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n');
    await writeFile(
      join(folder, 'kyverno-test.yaml'),
      `${header}policies: [p.yaml]\nresources: [r.yaml]\nresults: [{policy: p, rule: r, result: fail}]`,
    );
    expect((await run(folder)).exit).toBe(0);
    const {exit, err} = await run(folder, {warningsAsErrors: true});
    expect([exit, err]).toEqual([
      1,
      expect.stringContaining('found 1 deprecation warning(s) and --warnings-as-errors is set'),
    ]);
  });
});
