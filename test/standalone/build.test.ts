import {execFileSync} from 'node:child_process';
import {cpSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import packageJson from '../../package.json' with {type: 'json'};
import {repository, temporaryFolder} from './support/serve-process.js';

const sources = [
  'adapters',
  'cli',
  'crds',
  'engine',
  'install',
  'operator',
  'scripts',
  'webhook',
  'package.json',
  'tsconfig.json',
];
/** A copy of the sources without a git directory. */
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of sources) cpSync(join(repository, name), join(folder, name), {recursive: true});
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(() => rmSync(folder, {recursive: true, force: true}));

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const {SOURCE_DATE_EPOCH: _epoch, ...rest} = process.env;
  return execFileSync(program, args, {
    cwd: folder,
    env: {...rest, ...env},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const build = (env?: Readonly<Record<string, string>>) => run(process.execPath, ['scripts/build.mjs'], env);
const version = () => JSON.parse(run(process.execPath, ['dist/kyverno.cjs', 'version', '-o', 'json']));

describe('what the bundle says of its build', () => {
  it('is nothing without a git directory', () => {
    build();
    expect(version()).toEqual({version: packageJson.version, time: '---', gitCommitId: '---'});
  });

  it('is the time that SOURCE_DATE_EPOCH names, and the same bytes each time', () => {
    const built = () => {
      build({SOURCE_DATE_EPOCH: '1700000000'});
      return readFileSync(join(folder, 'dist/kyverno.cjs'), 'utf8');
    };
    expect(built()).toBe(built());
    expect(version()).toMatchObject({time: '2023-11-14T22:13:20Z'});
  });

  it('is id and time of the commit in a clone', () => {
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
    run('git', ['init', '-q']);
    run('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'x'], {GIT_COMMITTER_DATE: '2024-02-03T04:05:06Z'});
    build();
    const gitCommitId = run('git', ['rev-parse', 'HEAD']).trim();
    expect(version()).toEqual({version: packageJson.version, time: '2024-02-03T04:05:06Z', gitCommitId});
    expect(run(process.execPath, ['dist/kyverno.cjs', 'version'])).toBe(
      `Version: ${packageJson.version}\nTime: 2024-02-03T04:05:06Z\nGit commit ID: ${gitCommitId}\n`,
    );
  });
});
