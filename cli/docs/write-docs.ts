import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {ioMessage} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {makeFolder} from '../files/make-folder.js';
import type {CommandNode} from './command-tree.js';
import {fileName, type MarkdownOptions, markdownPage} from './markdown.js';

/** Writes one file for each command into a folder, which is made when absent. */
export async function writeDocs(root: CommandNode, folder: string, options: MarkdownOptions): Promise<void> {
  try {
    await makeFolder(folder);
    await writePages(root, undefined, {folder, ...options});
  } catch (error) {
    throw new FileError(ioMessage('write', folder, error));
  }
}

async function writePages(
  node: CommandNode,
  parent: CommandNode | undefined,
  options: MarkdownOptions & {readonly folder: string},
): Promise<void> {
  await writeFile(join(options.folder, fileName(node)), markdownPage(node, parent, options));
  for (const child of node.children) await writePages(child, node, options);
}
