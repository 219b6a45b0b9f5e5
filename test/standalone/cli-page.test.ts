import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync, symlinkSync} from 'node:fs';
import {readdir, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import packageJson from '../../package.json' with {type: 'json'};
import {ensureBuilt} from '../e2e/support/build.js';
import {cliExamples, cliPagePath, rbacPagePath} from '../guide/cli-examples.js';
import {junitFaults} from '../guide/junit-shape.js';
import {sarifFaults} from '../guide/sarif-shape.js';
import {clientModels} from '../../scripts/client-plugins.mjs';
import {program, repository, temporaryFolder} from './support/serve-process.js';

let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = await temporaryFolder();
  symlinkSync(program, join(folder, 'kyverno'));
  symlinkSync(join(repository, 'docs'), join(folder, 'docs'));
});

afterAll(() => rm(folder, {recursive: true, force: true}));

function kyverno(words: string): string {
  const {stdout} = spawnSync(process.execPath, [program, ...words.split(' ')], {cwd: folder, encoding: 'utf8'});
  return stdout;
}

describe('docs/rbac.md', () => {
  for (const {name, exit, command, output} of cliExamples(rbacPagePath)) {
    it(`${name}: does what the page says`, () => {
      const env = {...process.env, PATH: `${folder}:${process.env['PATH']}`};
      const {status, stdout, stderr} = spawnSync('bash', ['-c', command], {cwd: folder, env, encoding: 'utf8'});
      expect(stdout, stderr).toBe(output);
      expect(status, stderr).toBe(exit);
    });
  }
});

describe('docs/cli.md', () => {
  // kubectl comes with the cluster: test/e2e/cli-cluster.test.ts.
  for (const {name, exit, command, output} of cliExamples().filter(example => example.name !== 'kustomize')) {
    it(`${name}: does what the page says`, () => {
      const env = {...process.env, PATH: `${folder}:${process.env['PATH']}`};
      const {status, stdout, stderr} = spawnSync('bash', ['-c', command], {cwd: folder, env, encoding: 'utf8'});
      if (output !== undefined) expect(stdout, stderr).toBe(output);
      expect(status, stderr).toBe(exit);
    });
  }

  it('the report for code scanning names the line of the object', () => {
    const {runs} = JSON.parse(readFileSync(join(folder, 'results.sarif'), 'utf8'));
    const failed = runs[0].results.find((result: {level: string}) => result.level === 'error');
    expect(failed.locations[0].physicalLocation).toEqual({
      artifactLocation: {uri: 'docs/samples/cli/pods.yaml'},
      region: {startLine: 12},
    });
  });

  it.each([
    'apply docs/samples/policies --resource docs/samples/cli/pods.yaml --output-format sarif',
    'lint docs/samples/policies docs/samples/more -o sarif',
  ])('%s writes SARIF of the schema', words => {
    const log = JSON.parse(kyverno(words));
    expect(log.runs[0].results.length).toBeGreaterThan(1);
    expect(sarifFaults(log)).toEqual([]);
  });

  it.each([
    'apply docs/samples/policies --resource docs/samples/cli/pods.yaml --output-format junit',
    'test docs/samples/cli -o junit',
    'test docs/samples/cli -o junit --detailed-results',
  ])('%s writes JUnit of the schema', words => {
    const report = kyverno(words);
    expect(report.match(/<testcase /g)?.length).toBeGreaterThan(1);
    expect(junitFaults(report)).toEqual([]);
  });

  it('names every command, and links to files that exist', async () => {
    const text = readFileSync(cliPagePath, 'utf8');
    const rows = text.split('\n').filter(line => line.startsWith('| `'));
    const named = rows.flatMap(row => [...row.split('|')[1]!.matchAll(/`([\w-]+)/g)].map(([, name]) => name));
    const files = await readdir(join(repository, 'cli/commands'));
    const commands = files.filter(file => !file.endsWith('.test.ts') && file !== 'boolean-values.ts');
    expect([...named].sort()).toEqual(commands.map(file => file.replace('.ts', '')).sort());
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)\)/g)) {
      expect(existsSync(join(dirname(cliPagePath), link)), link).toBe(true);
    }
  });
});

describe('krew/kyverno.yaml', () => {
  const manifest = parse(readFileSync(join(repository, 'krew/kyverno.yaml'), 'utf8'));

  it('is a plug-in of this version', () => {
    expect(manifest).toMatchObject({apiVersion: 'krew.googlecontainertools.github.com/v1alpha2', kind: 'Plugin'});
    expect(manifest.metadata).toEqual({name: 'kyverno'});
    expect(manifest.spec.version).toBe(`v${packageJson.version}`);
    // The rules of the plug-in index for the one-line description.
    expect(manifest.spec.shortDescription.length).toBeLessThanOrEqual(50);
    expect(manifest.spec.shortDescription).not.toMatch(/\.$|kubectl/);
  });

  it('says for every platform what to fetch and what to run', () => {
    expect(manifest.spec.platforms.length).toBeGreaterThan(0);
    for (const {uri, sha256, bin, files, selector} of manifest.spec.platforms) {
      expect(uri).toBe('RELEASE_URL');
      expect(sha256).toBe('RELEASE_SHA256');
      expect(files.map(({from}: {from: string}) => from)).toContain(`dist/${bin}`);
      expect(Object.values(packageJson.bin)).toContain(`dist/${bin}`);
      expect(['linux', 'darwin']).toEqual(expect.arrayContaining(selector.matchExpressions[0].values));
    }
  });

  it('fetches all parts of the bundle', () => {
    const build = readFileSync(join(repository, 'scripts/build.mjs'), 'utf8');
    const [, parts = ''] = /const parts = \{([^}]*)\}/.exec(build) ?? [];
    const names = ['kyverno', 'commands', ...[...parts.matchAll(/(\w+): '/g)].map(([, name]) => name), ...Object.keys(clientModels)];
    for (const {files} of manifest.spec.platforms) {
      const from = files.map(({from}: {from: string}) => from).filter((path: string) => path.startsWith('dist/'));
      expect(from.sort()).toEqual(names.map(name => `dist/${name}.cjs`).sort());
    }
  });
});
