import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, rename, rm} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {requireGo} from '../../cluster/go-toolchain.js';
import {resolveMinor} from '../../cluster/minors.js';

const cache = resolve(import.meta.dirname, '../../../.cache');
const clusterRoom = resolve(import.meta.dirname, '../../cluster');

interface Tool {
  readonly target: string;
  readonly room: string;
  readonly modfile: string;
  readonly package: string;
  /** Go's own choice of toolchain; chainsaw does not compile with a newer one than this. */
  readonly toolchain: string;
  readonly linkerFlags?: string;
}

/** Path of chainsaw; built once from its module into `.cache/conformance-tools/`, some minutes. */
export function chainsaw(): Promise<string> {
  return built({
    target: join(cache, 'conformance-tools', 'chainsaw-0.2.12'),
    room: import.meta.dirname,
    modfile: 'go.mod',
    package: 'github.com/kyverno/chainsaw',
    toolchain: 'go1.24.6',
  });
}

/** Path of kwok, which lets Pods of nodes that do not exist say that they run. */
export function kwok(): Promise<string> {
  return built({
    target: join(cache, 'conformance-tools', 'kwok-0.7.0'),
    room: import.meta.dirname,
    modfile: 'kwok.mod',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    toolchain: 'local',
  });
}

/** Path of the scheduler that belongs to the API server of that minor. */
export function scheduler(minor: string): Promise<string> {
  const {version, modfile} = resolveMinor(minor);
  return built({
    target: join(cache, 'conformance-tools', `kube-scheduler-${version}`),
    room: clusterRoom,
    modfile,
    package: 'k8s.io/kubernetes/cmd/kube-scheduler',
    toolchain: 'local',
    linkerFlags: `-X k8s.io/component-base/version.gitVersion=v${version}`,
  });
}

async function built({target, room, modfile, package: name, toolchain, linkerFlags = ''}: Tool): Promise<string> {
  if (existsSync(target)) return target;
  await requireGo('1.24.0');
  process.stderr.write(`building ${name} (once, some minutes)\n`);
  await mkdir(dirname(target), {recursive: true});
  const staging = await mkdtemp(`${target}.building-`);
  try {
    const flags = ['-modfile', modfile, '-trimpath', '-p', '2', '-ldflags', `-s -w ${linkerFlags}`];
    await go(['build', ...flags, '-o', join(staging, 'program'), name], room, toolchain);
    // Whoever is first wins; both are the same program.
    await rename(join(staging, 'program'), target);
  } finally {
    await rm(staging, {recursive: true, force: true});
  }
  return target;
}

function go(args: readonly string[], cwd: string, toolchain: string): Promise<void> {
  return new Promise((done, fail) => {
    const env = {...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOTOOLCHAIN: toolchain};
    const child = spawn('nice', ['-n', '10', 'go', ...args], {cwd, env, stdio: ['ignore', 'inherit', 'inherit']});
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      if (code === 0) done();
      else fail(new Error(`go ${args[0]} ended with ${signal ?? code}`));
    });
  });
}
