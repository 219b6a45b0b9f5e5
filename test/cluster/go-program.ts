import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdtemp, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {withLock} from './build-lock.js';
import {requireGo} from './go-toolchain.js';

export interface GoProgram {
  /** Absolute path of the program. */
  readonly target: string;
  /** Folder of the module file. */
  readonly room: string;
  readonly modfile: string;
  readonly package: string;
  /** `local`, or the newest Go that compiles it. */
  readonly toolchain: string;
  readonly linkerFlags?: string;
}

/** Path of the program, built from its module when it is not there yet; takes minutes then. */
export async function builtProgram({target, room, modfile, package: name, toolchain, linkerFlags = ''}: GoProgram): Promise<string> {
  if (existsSync(target)) return target;
  await requireGo('1.24.0');
  await withLock(`${target}.lock`, async () => {
    if (existsSync(target)) return;
    process.stderr.write(`building ${name} (once, some minutes)\n`);
    const staging = await mkdtemp(`${target}.building-`);
    try {
      const flags = ['-modfile', modfile, '-trimpath', '-p', '2', '-ldflags', `-s -w ${linkerFlags}`];
      await go(['build', ...flags, '-o', join(staging, 'program'), name], room, toolchain);
      await rename(join(staging, 'program'), target);
    } finally {
      await rm(staging, {recursive: true, force: true});
    }
  });
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
