import {readdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';

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

/** All manifests in a folder (or one file), in the order of their paths. Hidden entries and node_modules are left out. */
export async function readTree(root: string): Promise<TreeResult> {
  const files: TreeFile[] = [];
  const problems: string[] = [];
  const visit = async (path: string, explicit: boolean): Promise<void> => {
    try {
      const info = await stat(path);
      if (info.isDirectory()) {
        const names = (await readdir(path)).sort();
        for (const name of names) if (!name.startsWith('.') && name !== 'node_modules') await visit(join(path, name), false);
      } else if (explicit || manifest.test(path)) {
        if (info.size > maxFileBytes) problems.push(`${path}: larger than ${maxFileBytes} bytes`);
        else files.push({path, text: await readUtf8(path)});
      }
    } catch (error) {
      problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await visit(root, true);
  return {files, problems};
}

async function readUtf8(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    throw new Error('not valid UTF-8');
  }
}
