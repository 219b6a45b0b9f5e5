import {constants} from 'node:fs';
import {access} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {withLock} from './build-lock.js';
import {buildPrograms, type Program, programs} from './build.js';
import {resolveMinor} from './minors.js';

/** Absolute path of each program. */
export type ProgramPaths = Readonly<Record<Program, string>>;

const cache = resolve(import.meta.dirname, '../../.cache/cluster');

/**
 * The programs found in the folder `KUBEBUILDER_ASSETS`; what it lacks (it seldom has kube-controller-manager), or all
 * without it, comes from the pinned `minor`, built on first use into `.cache/cluster/<version>/`.
 */
export async function findPrograms(minor?: string): Promise<ProgramPaths> {
  const assets = await foundIn(process.env['KUBEBUILDER_ASSETS']);
  if (programs.every(program => assets[program] !== undefined)) return assets as ProgramPaths;
  const pinned = resolveMinor(minor);
  const folder = join(cache, pinned.version);
  if (!(await isComplete(folder))) {
    await withLock(`${folder}.lock`, async () => {
      if (await isComplete(folder)) return;
      process.stderr.write(`building the Kubernetes ${pinned.version} control plane (once, some minutes)\n`);
      await buildPrograms(pinned, folder);
    });
  }
  return {...pathsIn(folder), ...assets};
}

function pathsIn(folder: string): ProgramPaths {
  return Object.fromEntries(programs.map(program => [program, join(folder, program)])) as ProgramPaths;
}

async function foundIn(folder: string | undefined): Promise<Partial<ProgramPaths>> {
  if (!folder) return {};
  const found: Partial<Record<Program, string>> = {};
  for (const [program, path] of Object.entries(pathsIn(resolve(folder)))) {
    if (await executable(path)) found[program as Program] = path;
  }
  return found;
}

async function isComplete(folder: string): Promise<boolean> {
  for (const path of Object.values(pathsIn(folder))) if (!(await executable(path))) return false;
  return true;
}

async function executable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
