import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ensureBuilt} from '../e2e/support/build.js';
import {docCommands} from '../guide/doc-blocks.js';
import {program, repository, temporaryFolder} from './support/serve-process.js';

const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec:\n  containers: [{name: web, image: registry.example.com/web:1}]\n';

const suite = `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: t}
policies: [../policies/require-app-label.yaml]
resources: [../samples/pods.yaml]
results:
  - {policy: require-app-label, rule: app-label, kind: Pod, resources: [web], result: pass}
`;

/** A folder as pages speak of one: policies, samples of objects, suites. */
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = await temporaryFolder();
  const samples = join(repository, 'docs/samples');
  mkdirSync(join(folder, 'bin'));
  symlinkSync(program, join(folder, 'bin/kyverno'));
  symlinkSync(join(repository, 'install'), join(folder, 'install'));
  cpSync(join(samples, 'policies'), join(folder, 'policies'), {recursive: true});
  mkdirSync(join(folder, 'samples'));
  cpSync(join(samples, 'cli/pods.yaml'), join(folder, 'samples/pods.yaml'));
  cpSync(samples, join(folder, 'docs/samples'), {recursive: true});
  cpSync(join(samples, 'policies/require-app-label.yaml'), join(folder, 'policy.yaml'));
  cpSync(join(samples, 'more/exception.yaml'), join(folder, 'exception.yaml'));
  for (const name of ['pod.yaml', 'resource.yaml', 'new.yaml', 'old.yaml']) writeFileSync(join(folder, name), pod);
  mkdirSync(join(folder, 'tests'));
  writeFileSync(join(folder, 'tests/kyverno-test.yaml'), suite);
  writeFileSync(join(folder, 'user.yaml'), 'apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nmetadata: {name: user}\nclusterRoles: [view]\nuserInfo: {username: ann}\n');
  writeFileSync(join(folder, 'values.yaml'), 'apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nmetadata: {name: values}\nglobalValues: {request.operation: UPDATE}\n');
});

afterAll(() => rm(folder, {recursive: true, force: true}));

function run(commands: string) {
  const env = {...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`};
  const {status, stdout, stderr} = spawnSync('bash', ['-euc', commands], {cwd: folder, env, encoding: 'utf8'});
  return {status, stdout, stderr};
}

describe('pages on the command', () => {
  const rows: ReadonlyArray<readonly [page: string, block: string]> = [
    ['bench.md', 'compare'],
    ['explain.md', 'explain'],
    ['lint.md', 'lint'],
    ['fix-to-cel.md', 'convert'],
    ['coverage.md', 'coverage'],
    ['migration.md', 'judge'],
  ];
  it.each(rows)('%s, %s: every command is one that the program takes', (page, block) => {
    for (const command of docCommands(page, block).split('\n')) {
      const words = command.replace(/^npx /, '').replace(/^kyverno bench/, 'kyverno bench --iterations 20 --warmup 5');
      const {status, stderr} = run(words);
      // 1 is a finding; 2 a command that is not understood.
      expect([0, 1], `${command}\n${stderr}`).toContain(status);
      expect(stderr, command).not.toMatch(/unknown|cannot be read|no such/i);
    }
  });
});

it('the pack of Pod Security has suites that pass', () => {
  const {status, stdout} = run('kyverno test install/policies/pod-security/tests');
  expect(stdout).toMatch(/\d+ tests passed and 0 tests failed/);
  expect(status).toBe(0);
});
