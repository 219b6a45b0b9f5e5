import {execFile} from 'node:child_process';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {bundleFolder} from './bundle-on-disk.js';
import {operatorVerify} from './programs.js';

const run = promisify(execFile);
let program = '';
let folder = '';
beforeAll(async () => {
  [program, folder] = await Promise.all([operatorVerify(), mkdtemp(join(tmpdir(), 'olm-'))]);
});
afterAll(() => rm(folder, {recursive: true, force: true}));

/** What it says of a bundle; whatever it finds, it ends with 0. */
async function verify(path: string, flags: readonly string[] = []): Promise<readonly string[]> {
  const {stdout, stderr} = await run(program, ['manifests', path, ...flags], {maxBuffer: 16 * 1024 * 1024});
  return `${stdout}${stderr}`.split('\n').filter(line => line !== '');
}

/** Reports are written by the operator and have no spec, so that they have no example either. */
const explained = /Kind=(Cluster)?PolicyReport: .*example annotation/;

describe('the bundle', () => {
  it('passes operator-verify, with warnings that are explained alone', async () => {
    const lines = await verify(bundleFolder, ['--operatorhub_validate', '--object_validate']);
    expect(lines.filter(line => !explained.test(line))).toEqual([]);
  });

  it('would not pass with a definition missing', async () => {
    const broken = join(folder, 'broken');
    await cp(bundleFolder, broken, {recursive: true});
    await rm(join(broken, 'manifests/policies.kyverno.io.crd.yaml'));
    expect((await verify(broken)).join('\n')).toMatch(/level=error.*Kind=Policy.*not found in bundle/);
  });

  it('would not pass without an install mode', async () => {
    const broken = join(folder, 'modes');
    await cp(bundleFolder, broken, {recursive: true});
    const file = join(broken, 'manifests/kyverno-ts.clusterserviceversion.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('supported: true', 'supported: false'));
    expect((await verify(broken)).join('\n')).toMatch(/level=error.*none of InstallModeTypes are supported/);
  });
});
