import {execFile} from 'node:child_process';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';

export const repository = resolve(import.meta.dirname, '../../..');
export const program = join(repository, 'dist/kyverno.cjs');
const sources = ['adapters', 'cli', 'engine', 'install', 'operator', 'webhook', 'package-lock.json', 'scripts/build.mjs'];

/** Bundles the program when the bundle is missing or older than a source of it. */
export async function ensureBuilt(): Promise<void> {
  if (existsSync(program) && statSync(program).mtimeMs >= newestSource()) return;
  await promisify(execFile)('npm', ['run', '--silent', 'build'], {cwd: repository});
}

function newestSource(): number {
  return Math.max(...sources.map(source => newest(join(repository, source))));
}

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.test\.ts$/.test(path) ? 0 : stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map(name => newest(join(path, name))));
}
