import {chmod, mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

/** A folder for PATH with what suites call by name: kubectl, its eviction plug-in, and the `kyverno` command. */
export async function programsFolder(folder: string, programs: {kubectl: string; bundle: string}): Promise<string> {
  await mkdir(folder, {recursive: true});
  await symlink(programs.kubectl, join(folder, 'kubectl'));
  await symlink(join(import.meta.dirname, 'scripts', 'kubectl-evict'), join(folder, 'kubectl-evict'));
  const command = join(folder, 'kyverno');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${programs.bundle}' "$@"\n`);
  await chmod(command, 0o755);
  return folder;
}
