import {mkdir, stat} from 'node:fs/promises';
import {dirname} from 'node:path';

/** Makes a folder unless it is there, those above it first. Not by mkdir's own `recursive`, which never ends where a file system refuses new folders. */
export async function makeFolder(path: string, retry = true): Promise<void> {
  try {
    await mkdir(path, {mode: 0o750});
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || !retry || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path, false);
  }
}
