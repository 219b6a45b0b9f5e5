import {readdir, realpath, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {readBounded, utf8Text} from './read-bounded.js';

export interface TreeFile {
  /** As given plus what is below it. */
  readonly path: string;
  readonly text: string;
}

export interface TreeResult {
  readonly files: readonly TreeFile[];
  /** Files or folders that cannot be read, one line each. */
  readonly problems: readonly string[];
}

const manifest = /\.(ya?ml|json)$/i;
/** Larger than any policy the API server would store. */
const maxFileBytes = 10 * 1024 * 1024;

/**
 * All manifests in a folder (or one file), in the order of their paths. Hidden entries and node_modules are left out;
 * a folder that links lead back to is read once.
 */
export async function readTree(root: string): Promise<TreeResult> {
  const files: TreeFile[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = async (path: string, explicit: boolean): Promise<void> => {
    try {
      const info = await stat(path);
      if (info.isDirectory()) {
        const real = await realpath(path);
        if (seen.has(real)) return;
        seen.add(real);
        const names = (await readdir(path)).sort();
        for (const name of names)
          if (!name.startsWith('.') && name !== 'node_modules') await visit(join(path, name), false);
      } else if (explicit || manifest.test(path)) {
        files.push({path, text: utf8Text(await readBounded(path, maxFileBytes))});
      }
    } catch (error) {
      problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await visit(root, true);
  return {files, problems};
}
