import {spawn} from 'node:child_process';
import {mkdir, mkdtemp, readdir, rename, rm, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {requireGo} from './go-toolchain.js';
import type {Minor} from './minors.js';

/** Go package of each program. */
const packages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
} as const;

/** The four programs of a control plane. */
export type Program = keyof typeof packages;
export const programs = Object.keys(packages) as readonly Program[];

/** Builds the four programs of `minor` into the folder `target`, which appears only when all are complete. */
export async function buildPrograms(minor: Minor, target: string): Promise<void> {
  await requireGo(minor.go);
  await mkdir(dirname(target), {recursive: true});
  await removeUnfinished(target);
  const staging = await mkdtemp(`${target}.building-`);
  try {
    const flags = ['-modfile', minor.modfile, '-trimpath', '-p', '2', '-ldflags', linkerFlags(minor)];
    // One command for all, so that linking one program fills the second core while another compiles.
    await go(['build', ...flags, '-o', `${staging}/`, ...Object.values(packages)]);
    await rename(join(staging, 'server'), join(staging, 'etcd'));
    await writeFile(join(staging, 'version'), `${minor.version}\n`);
    await rm(target, {recursive: true, force: true});
    await rename(staging, target);
  } finally {
    await rm(staging, {recursive: true, force: true});
  }
}

/** Folders of builds that were cut off; the caller sees to it that no other build runs. */
async function removeUnfinished(target: string): Promise<void> {
  const parent = dirname(target);
  const names = (await readdir(parent)).filter(name => name.startsWith(`${basename(target)}.building-`));
  await Promise.all(names.map(name => rm(join(parent, name), {recursive: true, force: true})));
}

/** What `/version` answers. The module proxy tells no git commit, so that field stays empty rather than wrong. */
function linkerFlags(minor: Minor): string {
  const [major = '', minorNumber = ''] = minor.version.split('.');
  const facts: Readonly<Record<string, string>> = {
    gitVersion: `v${minor.version}`,
    gitMajor: major,
    gitMinor: minorNumber,
    gitTreeState: 'archive',
    gitCommit: '',
    buildDate: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(path =>
    Object.entries(facts).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
  return ['-s', '-w', ...settings].join(' ');
}

function go(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = {...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOTOOLCHAIN: 'local'};
    const child = spawn('nice', ['-n', '10', 'go', ...args], {
      cwd: import.meta.dirname,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go ${args[0]} ended with ${signal ?? code}`));
    });
  });
}
