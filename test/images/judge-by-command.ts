import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {stringify} from 'yaml';
import {program} from '../e2e/support/build.js';
import {podOf} from '../e2e/support/image-policies.js';
import type {Thing} from '../e2e/support/policies.js';

interface Report {
  readonly results?: readonly {readonly result: string; readonly resources?: readonly {readonly name: string}[]}[];
}

/** What `kyverno apply --registry` says of a Pod for each image: `pass`, `fail` or `error`; the worst of its rules. */
export async function judgeByCommand(
  folder: string,
  policy: Thing,
  images: Readonly<Record<string, string>>,
  {flags = [], env}: {readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>>} = {},
): Promise<Record<string, string>> {
  const pods = Object.entries(images).map(([name, image]) => podOf(name, image));
  await writeFile(join(folder, 'policy.yaml'), stringify(policy));
  await writeFile(join(folder, 'pods.yaml'), pods.map(pod => stringify(pod)).join('---\n'));
  const args = [program, 'apply', join(folder, 'policy.yaml'), '--resource', join(folder, 'pods.yaml'), '--registry', '-p', '--output-format', 'json', ...flags];
  const {stdout, stderr} = await promisify(execFile)(process.execPath, args, {cwd: folder, maxBuffer: 1 << 26, env: {...process.env, ...env}}).catch((error: {stdout: string; stderr: string}) => error);
  const verdicts: Record<string, string> = {};
  for (const line of stdout.split('\n').filter(text => text.startsWith('{'))) {
    for (const {result, resources = []} of (JSON.parse(line) as Report).results ?? []) {
      for (const {name} of resources) if (verdicts[name] === undefined || result !== 'pass') verdicts[name] = result;
    }
  }
  if (Object.keys(verdicts).length === 0) throw new Error(`${stdout}\n${stderr}`);
  return verdicts;
}
