import {readdir, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {ioMessage} from './documents.js';
import {FileError} from './file-error.js';

/** Whether a path is a folder; a missing path is an error that names it. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new FileError(ioMessage('stat', path, error));
  }
}

/**
 * YAML files at or below a path, folders in the order of their names. Hidden entries below it are left out; the path
 * itself is always taken.
 */
export async function findYamlFiles(path: string): Promise<readonly string[]> {
  if (!(await isFolder(path))) return [path];
  return walk(path, {hidden: false, take: isYamlName});
}

/** Files of exactly this name anywhere below a folder, hidden folders included. */
export async function findNamedFiles(folder: string, name: string): Promise<readonly string[]> {
  return walk(folder, {hidden: true, take: file => file === name});
}

/** Direct YAML files of a folder. */
export async function yamlFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, {withFileTypes: true});
  return entries
    .filter(entry => !entry.isDirectory() && isYamlName(entry.name))
    .map(entry => join(folder, entry.name))
    .sort();
}

export function isYamlName(name: string): boolean {
  return /\.ya?ml$/.test(name);
}

async function walk(
  folder: string,
  options: {readonly hidden: boolean; readonly take: (name: string) => boolean},
): Promise<readonly string[]> {
  let entries: import('node:fs').Dirent[];
  try {
    entries = await readdir(folder, {withFileTypes: true});
  } catch (error) {
    throw new FileError(ioMessage('open', folder, error));
  }
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!options.hidden && entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== '.git') found.push(...(await walk(path, options)));
    } else if (options.take(basename(path))) found.push(path);
  }
  return found;
}
