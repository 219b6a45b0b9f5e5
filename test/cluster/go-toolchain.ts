import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

const run = promisify(execFile);

/** Throws a one-line Error that names what is missing unless a Go of at least `wanted` (such as `1.26.0`) is on PATH. */
export async function requireGo(wanted: string): Promise<void> {
  const hint = `the control plane for tests needs Go ${wanted} or newer on PATH (or its binaries in KUBEBUILDER_ASSETS)`;
  let found: string;
  try {
    found = (await run('go', ['env', 'GOVERSION'])).stdout.trim();
  } catch (cause) {
    throw new Error(`${hint}: no working go command found`, {cause});
  }
  const version = /^go(\d+\.\d+(?:\.\d+)?)/.exec(found)?.[1];
  if (version === undefined || older(version, wanted)) throw new Error(`${hint}: found ${found}`);
}

function older(a: string, b: string): boolean {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
