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

interface Verdict {
  readonly code: number;
  readonly lines: readonly string[];
}

async function verify(path: string, flags: readonly string[] = []): Promise<Verdict> {
  const result = await run(program, ['manifests', path, ...flags], {maxBuffer: 16 * 1024 * 1024}).then(
    ({stdout, stderr}) => ({code: 0, text: `${stdout}${stderr}`}),
    (error: {code: number; stdout: string; stderr: string}) => ({code: error.code, text: `${error.stdout}${error.stderr}`}),
  );
  return {code: result.code, lines: result.text.split('\n').filter(line => /error|warn/i.test(line))};
}

/** Reports are written by the operator and have no spec, so that they have no example either. */
const explained = /(clusterpolicyreports|policyreports).*example annotation|example annotation.*(ClusterPolicyReport|PolicyReport)/i;

describe('the bundle', () => {
  it('passes operator-verify, with warnings that are explained alone', async () => {
    const {code, lines} = await verify(bundleFolder, ['--operatorhub_validate', '--object_validate']);
    expect(lines.filter(line => !explained.test(line))).toEqual([]);
    expect(code).toBe(0);
  });

  it('would not pass with a definition missing', async () => {
    const broken = join(folder, 'broken');
    await cp(bundleFolder, broken, {recursive: true});
    await rm(join(broken, 'manifests/policies.kyverno.io.crd.yaml'));
    const {code, lines} = await verify(broken);
    expect(lines.join('\n')).toContain('policies.kyverno.io');
    expect(code).not.toBe(0);
  });

  it('would not pass without an install mode', async () => {
    const broken = join(folder, 'modes');
    await cp(bundleFolder, broken, {recursive: true});
    const file = join(broken, 'manifests/kyverno-ts.clusterserviceversion.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('supported: true', 'supported: false'));
    expect((await verify(broken)).code).not.toBe(0);
  });
});
