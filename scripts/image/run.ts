import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

const start = promisify(execFile);

/** Runs a program to its end; what it wrote to standard output. Throws with what it wrote to standard error. */
export async function run(program: string, args: readonly string[], options: {readonly cwd?: string; readonly env?: Readonly<Record<string, string>>} = {}): Promise<string> {
  try {
    const {stdout} = await start(program, [...args], {cwd: options.cwd, env: {...process.env, ...options.env}, maxBuffer: 64 * 1024 * 1024});
    return stdout;
  } catch (error) {
    const {stderr = ''} = error as {stderr?: string};
    throw new Error(`${program} ${args.slice(0, 3).join(' ')} …: ${stderr.trim() || String(error)}`, {cause: error});
  }
}
